"""Nothing in the package runs code from data or starts programs; what it is made of is pinned, licensed and listed."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import supply_chain

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src" / "unconfuse").rglob("*.py"))
MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "marshal",
    "shelve",
    "subprocess",
    "pty",
    "code",
    "runpy",
    "webbrowser",
}
CALLS = {"eval", "exec", "compile", "breakpoint", "system", "popen", "execv", "execve", "spawnv", "startfile"}
CALLS |= {"create_subprocess_exec", "create_subprocess_shell", "posix_spawn"}
# pyspark's own serialiser is told by which value to send one of our modules; nothing is unpickled.
ALLOWED = {("_spark_session.py", "cloudpickle")}
# The web app reads files in a child process: this same interpreter, with a module of ours, behind limits.
ALLOWED |= {("worker_pool.py", "call of create_subprocess_exec")}
# It asks the system to open its own address, unless it is told not to.
ALLOWED |= {("run.py", "webbrowser")}
PERMISSIVE = re.compile(r"MIT|BSD|Apache|PSF|Python|ISC|MPL|Zlib|Unlicense", re.I)


def offences(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {(node.module or "").partition(".")[0], *(each.name for each in node.names)}
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            owner = getattr(getattr(node.func, "value", None), "id", "")
            names = {called} if called in CALLS and owner != "re" and not _of_statement(node) else set()
            names = {f"call of {each}" for each in names}
        else:
            continue
        bad = (names & MODULES) | {each for each in names if each.startswith("call of ")}
        found += [f"{path.name}:{node.lineno}: {each}" for each in bad if (path.name, each) not in ALLOWED]
    return found


def _of_statement(node: ast.Call) -> bool:
    """`statement.compile(dialect=...)` of SQLAlchemy makes text."""
    return any(each.arg == "dialect" for each in node.keywords)


def test_no_code_is_run_from_data_and_no_program_is_started():
    assert len(SOURCES) > 100
    assert [each for path in SOURCES for each in offences(path)] == []


@pytest.mark.parametrize(
    "line", ["import pickle", "from subprocess import run", "eval('1')", "import os; os.system('x')"]
)
def test_the_search_would_find_it(line, tmp_path):
    (tmp_path / "bad.py").write_text(line)
    assert offences(tmp_path / "bad.py")


def test_the_lock_pins_every_package_with_its_hashes():
    text = (ROOT / "tests" / "ci.lock").read_text(encoding="utf-8")
    entries = re.split(r"\n(?=\S)", text.strip())
    assert all(re.match(r"[A-Za-z0-9._-]+==\S+", each) and "--hash=sha256:" in each for each in entries)
    assert "://" not in text and "index-url" not in text
    pinned = {supply_chain._plain(each) for each in entries}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {supply_chain._plain(each) for each in wanted} <= pinned


def test_every_licence_is_stated_permissive_and_listed():
    listed = (ROOT / "docs" / "trust.md").read_text(encoding="utf-8")
    for name, package in supply_chain.closure().items():
        assert PERMISSIVE.search(supply_chain.licence_of(package)), name
        assert name == "unconfuse" or f"| {name} | " in listed, f"{name} is not in the table of docs/trust.md"


def test_the_bill_of_materials_names_all(tmp_path):
    script = ROOT / "tests" / "supply_chain.py"
    subprocess.run([sys.executable, str(script), "--sbom", str(tmp_path / "sbom.json")], check=True)
    made = json.loads((tmp_path / "sbom.json").read_text())
    names = {each["name"] for each in made["components"]}
    assert {"numpy", "scipy", "duckdb", "click", "rich", "narwhals"} <= names
    known = {each["bom-ref"] for each in made["components"]} | {made["metadata"]["component"]["bom-ref"]}
    assert all(set(each["dependsOn"]) <= known for each in made["dependencies"])
