"""Commands that are interrupted, killed or starved: nothing half written, nothing left over, the right code, soon."""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from hostile import FINE, Outcome, SlowError, WrongError

KIND = "faults"
WORDS = "SIGINT, SIGTERM, kill -9, full disks, closed and full outputs, umasks, little memory, devices, pipes, links"
PATIENCE = 600
LONGEST = 100.0  # seconds that a command may take, times how busy the machine is
_BEGUN = 0.3  # seconds of CPU, three times what loading the command line takes
SOON = 1.0  # seconds after a signal, times how busy the machine is
_PROGRAMS = [str(Path(sys.executable).with_name("unconfuse"))], [sys.executable, "-m", "unconfuse"]
_NAMES = ["--label", "y", "--score", "p"]
_OLD = b"what was there before"


def missing() -> str:
    """Signals and limits of this kind are those of Linux."""
    return "" if sys.platform == "linux" and shutil.which("pgrep") else "faults are tried on Linux, with pgrep"


def attack(rng: np.random.Generator) -> Outcome:
    """One command, one fault."""
    faults: tuple[Callable[..., None], ...] = (
        _signal,
        _signal,
        _killed,
        _small_disk,
        _no_output,
        _umask,
        _starved,
        _odd_target,
    )
    with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder:
        faults[int(rng.integers(len(faults)))](Path(folder), rng)
    return FINE


@functools.cache
def _data() -> tuple[Path, str]:
    """Rows, and a folder for temporary files of this kind alone."""
    folder = tempfile.TemporaryDirectory(prefix="unconfuse-attack-data-")
    _data.kept = folder  # type: ignore[attr-defined]
    rng, path = np.random.default_rng(0), Path(folder.name) / "rows.csv"
    y = rng.integers(0, 2, 30_000)
    p = np.clip(0.3 * y + rng.random(len(y)), 0, 1)
    path.write_text(
        "y,p,q,g\n" + "".join(f"{a},{b:.4f},{1 - b:.3f},{k % 900}\n" for k, (a, b) in enumerate(zip(y, p, strict=True)))
    )
    (Path(folder.name) / "tmp").mkdir()
    return path, str(Path(folder.name) / "tmp")


def _commands(folder: Path, rng: np.random.Generator, *, slow: bool = False) -> list[str]:
    rows, target = str(_data()[0]), str(folder / "out")
    fit = ["--estimator", "sklearn.tree:DecisionTreeClassifier", "--space", '{"max_depth": [2, 3]}']
    known = [
        ["evaluate", rows, *_NAMES, "--group", "g", "--json", "--output", target],
        ["evaluate", rows, *_NAMES, "--html", target],
        ["compare", rows, "--label", "y", "--score", "p", "--score", "q", "--group", "g", "--output", target],
        ["thresholds", rows, *_NAMES, "--export", target],
        ["table", rows, *_NAMES, "-o", target],
        ["resolve", rows, *_NAMES, "--output", target],
        [
            "tournament",
            rows,
            "--label",
            "y",
            *fit,
            "--trials",
            "9999",
            "--jobs",
            str(rng.integers(1, 3)),
            "--checkpoint",
            target,
        ],
    ]
    return known[int(rng.integers(len(known)))] if not slow else known[-1]


def _start(command: list[str], **how: Any) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "TMPDIR": _data()[1], "OMP_NUM_THREADS": "1", **how.pop("env", {})}
    program = _PROGRAMS[len(command) % 2] + command  # both ways to call it: Python ends them differently
    how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True, **how}
    return subprocess.Popen(program, env=environment, **how)


def _busy() -> float:
    """How many programs want to run."""
    return max(1.0, os.getloadavg()[0])


def _said(process: subprocess.Popen[bytes]) -> str:
    """What a command says until it ends; one that does not end is ended, with all that it started, and is slow."""
    try:
        said = process.communicate(timeout=min(LONGEST * _busy(), PATIENCE - 20))[1].decode("utf-8", "replace")
        _check("nanobind" not in said, f"a library complains at the end: {said[:300]}")
        return said
    except subprocess.TimeoutExpired as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise SlowError(str(error)) from None


def _signal(folder: Path, rng: np.random.Generator) -> None:
    number = signal.SIGINT if rng.random() < 0.7 else signal.SIGTERM
    command = _commands(folder, rng)
    process = _start(command)
    time.sleep(float(rng.uniform(0.5, 4)))
    early, begun = process.poll() is None, _has_begun(process)
    if early:
        os.killpg(process.pid, number)
    start = time.monotonic()
    said = _said(process)
    took = time.monotonic() - start
    told = f"{' '.join(command)}: signal {number}, code {process.returncode} after {took:.1f} s\n{said[-800:]}"
    _check(process.returncode in ((0, 128 + number, *(() if begun else (-number,))) if early else (0,)), told)
    # A signal may come after the last word; that the file it names is whole is checked below.
    silent = said.strip() in ("", f"Wrote {folder / 'out'}.")
    _check(not begun or not early or silent or process.returncode == 0, told)
    _check(took < SOON * _busy() + 0.5, told)
    _check("went wrong" not in said, told)
    _nothing_left(process, told)
    _whole(folder, process.returncode, command, told)


def _has_begun(process: subprocess.Popen[bytes]) -> bool:
    """Whether a command has come to its own code: until then it is Python that hears signals."""
    with contextlib.suppress(OSError):
        used = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[11:13]
        return sum(map(int, used)) > _BEGUN * os.sysconf("SC_CLK_TCK")
    return False


def _killed(folder: Path, rng: np.random.Generator) -> None:
    (folder / "out").write_bytes(_OLD)
    command = _commands(folder, rng)
    if command[0] == "tournament":
        (folder / "out").unlink()
    process = _start(command)
    time.sleep(float(rng.uniform(0.3, 4)))
    process.kill()
    _said(process)
    told = f"{' '.join(command)}: kill -9"
    _nothing_left(process, told, folders=False)  # a folder for spilling is cleared away by the next run
    names = {each.name for each in folder.iterdir()}
    _check(names <= {"out"}, f"{told} left {names}")
    if process.returncode and command[0] != "tournament":
        content = (folder / "out").read_bytes()
        _check(content == _OLD or len(content) > 200, f"{told} left half a file of {len(content)} bytes")


def _small_disk(folder: Path, rng: np.random.Generator) -> None:
    """Files may not grow beyond a few blocks: what a full disk does, without being root."""
    (folder / "out").write_bytes(_OLD)
    command = _commands(folder, rng)
    if command[0] == "tournament":
        return
    most = int(rng.choice([0, 100, 4096]))

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    process = _start(command, preexec_fn=limit)
    said = _said(process)
    told = f"{' '.join(command)}: files of at most {most} bytes: code {process.returncode}\n{said[-600:]}"
    _check(process.returncode in (0, 1, 2) and "went wrong" not in said and "Traceback" not in said, told)
    _nothing_left(process, told)
    kept = (folder / "out").read_bytes() == _OLD
    _check({each.name for each in folder.iterdir()} == {"out"} and kept == (process.returncode != 0), told)


def _no_output(folder: Path, rng: np.random.Generator) -> None:
    command = ["evaluate", str(_data()[0]), *_NAMES, "--metric", str(rng.choice(["auroc", "sensitivity"]))]
    kind = int(rng.integers(3))
    target: Any = Path("/dev/full").open("wb") if kind == 0 else None  # noqa: SIM115
    process = _start(command, stdout=target or subprocess.PIPE, preexec_fn=(lambda: os.close(1)) if kind == 1 else None)
    if kind == 2:
        process.stdout.close()  # type: ignore[union-attr]
        process.stdout = None
    said = _said(process)
    if target:
        target.close()
    told = f"{' '.join(command)}: output {('full', 'closed', 'gone')[kind]}: code {process.returncode}\n{said[-600:]}"
    _check(process.returncode == 1 and "went wrong" not in said and "Traceback" not in said, told)


def _umask(folder: Path, rng: np.random.Generator) -> None:
    mask = int(rng.choice([0o000, 0o022, 0o027, 0o077]))
    command = _commands(folder, rng)
    if command[0] == "tournament":
        return
    process = _start(command, preexec_fn=lambda: os.umask(mask))
    said = _said(process)
    mode = (folder / "out").stat().st_mode & 0o777 if process.returncode == 0 else None
    _check(mode == 0o666 & ~mask, f"{' '.join(command)}: umask {mask:o} gave {mode}\n{said[-300:]}")


def _starved(folder: Path, rng: np.random.Generator) -> None:
    """Little memory to address, and eight threads that want theirs."""
    most = int(rng.uniform(0.4, 3.0) * 2**30)
    command = _commands(folder, rng)
    if command[0] == "tournament":
        return
    environment = {"OMP_NUM_THREADS": "8", "OPENBLAS_NUM_THREADS": "8", "UNCONFUSE_THREADS": "8"}
    process = _start(command, env=environment, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)))
    said = _said(process)
    told = f"{' '.join(command)}: {most / 2**30:.2f} GB: code {process.returncode}\n{said[-800:]}"
    _check(process.returncode in (0, 1, 2) and "terminate called" not in said, told)
    _nothing_left(process, told)
    _check((folder / "out").exists() == (process.returncode == 0), told)


def _odd_target(folder: Path, rng: np.random.Generator) -> None:
    rows, kind = folder / "rows.csv", int(rng.integers(4))
    shutil.copy(_data()[0], rows)
    before, target = rows.read_bytes(), folder / "target"
    option = str(rng.choice(["--output", "--html", "--payload", "--plot"]))
    if kind == 0:
        target = rows
    elif kind == 1:
        target.symlink_to(rows)
    elif kind == 2:
        target.symlink_to(folder / "real.svg")
    else:
        target = Path("/dev/null")
    process = _start(["evaluate", str(rows), *_NAMES, "--metric", "auroc", option, str(target)])
    said = _said(process)
    told = f"{option} {target} ({kind}): code {process.returncode}\n{said[-600:]}"
    _check(rows.read_bytes() == before and Path("/dev/null").is_char_device(), told)
    picture = option == "--plot" and kind > 1  # whose ending says what to draw
    _check(process.returncode == (2 if kind < 2 else 0) or picture, told)
    _check(kind != 2 or target.is_symlink(), told)


def _check(holds: bool, told: str) -> None:
    if not holds:
        raise WrongError(told)


def _nothing_left(process: subprocess.Popen[bytes], told: str, *, folders: bool = True) -> None:
    until = time.monotonic() + 20
    while subprocess.run(["pgrep", "-s", str(process.pid)], stdout=subprocess.DEVNULL, check=False).returncode == 0:
        _check(time.monotonic() < until, f"{told}\nprocesses are left")
        time.sleep(0.1)
    left = [each.name for each in Path(_data()[1]).iterdir() if each.name.startswith(("unconfuse", "tmp"))]
    if folders:
        _check(not left, f"{told}\nleft behind: {left}")
    for each in Path(_data()[1]).iterdir():
        shutil.rmtree(each, ignore_errors=True) if each.is_dir() else each.unlink()


def _whole(folder: Path, code: int, command: list[str], told: str) -> None:
    names = {each.name for each in folder.iterdir()}
    if command[0] == "tournament":
        _check(names <= {"out"}, told)
        return
    done = {"out"} if code == 0 or (names == {"out"} and _ends_as_left_alone(folder / "out", command)) else set()
    _check(names == done, f"{told}\nthe folder holds {names}")


def _ends_as_left_alone(out: Path, command: list[str]) -> bool:
    """Whether a file that a signal came too late for is whole: it ends as the same command's does if left alone."""
    end = out.read_bytes()[-40:]
    process = _start(command)
    _said(process)
    return process.returncode == 0 and out.read_bytes()[-40:] == end
