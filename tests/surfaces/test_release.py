"""What ships and what gates: actions are pinned, the gate's script ends as the gate does, wheels have one ABI."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = ROOT / ".github" / "actions" / "gate"
USES = re.compile(r"uses:\s*(\S+)(.*)")


@pytest.mark.parametrize("path", [ACTION / "action.yml", ROOT / ".github" / "workflows" / "wheels.yml"], ids=str)
def test_actions_are_pinned_to_commits(path):
    found = USES.findall(path.read_text(encoding="utf-8"))
    assert found
    for name, words in found:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name) and re.match(r" # v\d", words), name


def test_what_is_given_to_the_action_is_no_text_of_a_script():
    scripts = re.findall(r"run: (.*)", (ACTION / "action.yml").read_text(encoding="utf-8"))
    assert scripts and not any("${{" in each for each in scripts)


@pytest.fixture
def scores(tmp_path):
    rows = ["y,old,same,bad"]
    for k in range(600):
        y = k % 3 == 0
        old = 0.5 + 0.3 * y + 0.2 * ((k * 37) % 101) / 101 - 0.1
        rows.append(f"{int(y)},{old:.4f},{old + 0.0001 * (k % 5):.4f},{((k * 61) % 97) / 97:.4f}")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows))
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action's script needs bash")
@pytest.mark.parametrize(
    ("arguments", "cannot_tell", "code", "verdict"),
    [
        ("--score same --baseline-score old --margin .02", "fail", 0, "pass"),
        ("--score bad --baseline-score old --margin .02", "fail", 3, "worse"),
        ("--score same --baseline-score old --require 'auroc>=.9999'", "fail", 4, "cannot tell"),
        ("--score same --baseline-score old --require 'auroc>=.9999'", "pass", 0, "cannot tell"),
        ("--score nothing --baseline-score old; touch broken", "fail", 2, None),
    ],
)
def test_the_script_ends_as_the_gate_does(tmp_path, scores, arguments, cannot_tell, code, verdict):
    files = {name: tmp_path / name for name in ("summary", "output", "junit.xml")}
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NEW": str(scores),
        "ARGUMENTS": f"--label y {arguments}",
        "CANNOT_TELL": cannot_tell,
        "JUNIT": str(files["junit.xml"]),
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
        "GITHUB_OUTPUT": str(files["output"]),
    }
    done = subprocess.run(
        ["bash", str(ACTION / "gate.sh")], env=environment, cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert done.returncode == code, done.stderr
    assert not (tmp_path / "broken").exists()
    if verdict is not None:
        assert files["output"].read_text() == f"verdict={verdict}\n"
        assert "| check" in files["summary"].read_text() and "<testsuite" in files["junit.xml"].read_text()


def test_wheels_are_of_the_stable_abi_and_keep_bits_everywhere():
    """Without the component of scikit-build-core, nanobind turns the stable ABI off and says nothing."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert settings["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert "${SKBUILD_SABI_COMPONENT}" in (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    kernels = (ROOT / "src" / "unconfuse" / "_kernels" / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "STABLE_ABI" in kernels
    assert all(flag in kernels for flag in ("-ffp-contract=off", "/clang:-ffp-contract=off", "/fp:strict"))


def test_extras_are_those_of_the_documentation():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = {"plot", "sklearn", "mlflow", "spark", "database", "excel", "serve", "dev"}
    assert wanted <= set(settings["project"]["optional-dependencies"])


def test_source_distribution_is_reproducible(tmp_path):
    """Two builds from copies of different ages are the same file."""
    sys.path.insert(0, str(ROOT / "tests"))
    import sdist

    python, folders = sdist.tools(), [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
    first, second = (sdist.built(python, age, into) for age, into in zip((1e9, 1.5e9), folders, strict=True))
    assert sdist.digest(first) == sdist.digest(second)


def test_bill_of_materials_is_reproducible(tmp_path):
    made = []
    for name in ("one", "two"):
        script = [sys.executable, str(ROOT / "tests" / "supply_chain.py"), "--sbom", str(tmp_path / name)]
        subprocess.run(script, check=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"})
        made.append((tmp_path / name).read_bytes())
    assert made[0] == made[1] and b"2023-11-14T22:13:20" in made[0]


def test_version_is_the_same_everywhere():
    import unconfuse

    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.M)
    assert cited and cited[1] == unconfuse.__version__


def test_conda_recipe_needs_what_the_package_needs():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    recipe = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")
    for each in settings["project"]["dependencies"]:
        name, limits = re.fullmatch(r"([\w-]+)(.*)", each).groups()
        assert f"- {name.replace('duckdb', 'python-duckdb')} {limits}\n" in recipe, each


def test_changelog_has_only_the_four_kinds():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("## [Unreleased]")[2].partition("\n## [")[0]
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) > 10
    assert [line for line in lines if not re.match(r"- (Added|Changed|Fixed|Removed): ", line)] == []


def test_paper_quotes_what_the_code_computes(tmp_path):
    """JOSS: front matter, references that exist, numbers and a figure that the project's own script makes."""
    folder = ROOT / "docs" / "paper"
    paper, references = ((folder / name).read_text(encoding="utf-8") for name in ("paper.md", "paper.bib"))
    sys.path.insert(0, str(folder))
    import figures

    assert all(f"{field}:" in paper.split("---")[1] for field in ("title", "tags", "authors", "affiliations", "date"))
    plain = re.sub(r"\s+", " ", paper)
    for name, text in figures.quoted().items():
        assert text in plain, name
    cited = set(re.findall(r"@(\w+)", paper.partition("# Summary")[2]))
    assert cited == set(re.findall(r"@article\{(\w+),", references))
    figures.main(tmp_path)
    words = [re.findall(r"<text[^>]*>([^<]+)</text>", (each / "panel.svg").read_text()) for each in (folder, tmp_path)]
    assert words[0] == words[1] and words[0]
    assert 250 <= len(re.findall(r"\w+", plain)) <= 1000
