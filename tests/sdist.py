"""Build the source distribution twice, from copies of different ages, and compare: the same source is the same file.

`make sdist` runs it and leaves the file, with its SHA-256, in dist/.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OUT = ROOT / "dist"
BUILD = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"


def tracked(root: Path = ROOT) -> list[Path]:
    """Return the files that belong to the source: those git knows, and new ones it does not ignore."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
    return [root / name for name in names if name and (root / name).is_file()]


def built(python: str, age: float, out: Path) -> Path:
    """Return the source distribution of a copy whose files are all of one age."""
    with tempfile.TemporaryDirectory() as place:
        for each in tracked():
            copy = Path(place) / each.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(each, copy)
            os.utime(copy, (age, age))
        environment = {key: value for key, value in os.environ.items() if key != "SOURCE_DATE_EPOCH"}
        done = subprocess.run(
            [python, "-c", BUILD, str(out)], cwd=place, check=False, capture_output=True, text=True, env=environment
        )
        if done.returncode:
            sys.exit(done.stderr[-4000:])
        return out / done.stdout.strip().splitlines()[-1]


def digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def tools() -> str:
    """Return an interpreter that has the build backend, in an environment of its own if this one has none."""
    try:
        import scikit_build_core  # noqa: F401
    except ImportError:
        place = ROOT / "build" / "sdist-tools"
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        install = [str(place / "bin" / "pip"), "install", "--quiet", "scikit-build-core>=0.10", "nanobind>=2.4"]
        subprocess.run(install, check=True)
        return str(place / "bin" / "python")
    return sys.executable


def main() -> None:
    """Build twice, compare, and keep one."""
    python = tools()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        one, other = built(python, 1e9, Path(first)), built(python, 1.5e9, Path(second))
        if digest(one) != digest(other):
            sys.exit(f"two builds differ: {digest(one)} and {digest(other)}")
        OUT.mkdir(exist_ok=True)
        shutil.copy(one, OUT / one.name)
        (OUT / f"{one.name}.sha256").write_text(f"{digest(one)}  {one.name}\n", encoding="utf-8")
        print(f"{OUT / one.name}: {digest(one)}, twice")


if __name__ == "__main__":
    main()
