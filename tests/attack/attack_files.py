"""Files of every kind, damaged: cut, flipped, doubled, spliced, filled with hostile cells; read by commands.

A command ends with 0 or 2 and says why; the folder holds what it held before, and what was asked for only if it is 0.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import tempfile
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner
from hostile import FINE, REFUSED, Outcome, WrongError

from unconfuse.cli import cli

KIND = "files"
WORDS = "CSV, Parquet, JSON, gzip, zip, zstd, Excel, tables, cards, payloads and matrices, each mutated"
PATIENCE = 60
_CELLS = (
    "",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e309",
    "1e-400",
    "0x10",
    "1_000",
    "١",
    "½",
    "true",
    "1,5",
    '"',
    '""',
    "'",
    "NULL",
    "\\N",
    "\0",
)
_CELLS += (
    "9" * 400,
    "-0",
    "+1",
    "1e",
    ".",
    "\ufeff",
    "\u202e",
    "=1+1",
    "a;b",
    "a\tb",
    "\x1b[31m",
    "2024-01-01",
    "{}",
    "[]",
    "[[" * 50,
    "é",
    "\ud7ff",
)
_HEADERS = (
    "y,p",
    "label,score",
    '"y","p"',
    "y;p",
    "y\tp",
    " y , p ",
    "y,p,p",
    "y,p,",
    ",",
    "",
    "y",
    "filename,p",
    "Y,P",
    "y,p\r",
    "\ny,p",
    "\ufeffy,p",
    "c0,c1",
)


def attack(rng: np.random.Generator) -> Outcome:
    """One file, mutated, given to one command."""
    name, content = _corpus()[int(rng.integers(len(_corpus())))]
    kind = rng.random()
    if kind < 0.25:
        name, content = "rows.csv", hostile_csv(rng)
    elif name.endswith("d.json") and kind < 0.7:
        content = json.dumps(_bent(json.loads(content), rng)).encode()
    else:
        content = mutated(content, rng)
    with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return _tried(path, _command(path, rng))


def mutated(content: bytes, rng: np.random.Generator) -> bytes:
    """A few random changes."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if not data:
            break
        here, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
        kind = rng.integers(7)
        if kind == 0:
            data[here] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del data[here:]
        elif kind == 2:
            del data[here : here + length]
        elif kind == 3:
            data[here:here] = rng.bytes(length)
        elif kind == 4:
            data[here:here] = data[here : here + 40 * length] * int(rng.integers(1, 4))
        elif kind == 5:
            data[here:here] = str(rng.choice(_CELLS)).encode("utf-8", "surrogatepass")
        else:
            data[here : here + length] = bytes(length)
    return bytes(data)


def _bent(content: Any, rng: np.random.Generator) -> Any:
    """JSON in which one value, wherever it is, is another, is missing or is nested without end."""
    place, at = content, None
    while isinstance(place, dict | list) and place and (at is None or rng.random() < 0.8):
        at = (
            list(place)[int(rng.integers(len(place)))] if isinstance(place, dict) else int(rng.integers(len(place))),
            place,
        )
        place = place[at[0]]
    odd: list[Any] = [
        None,
        True,
        -1,
        0,
        1e308,
        "",
        "x",
        "NaN",
        [],
        {},
        [[]],
        {"a": 1},
        "<script>",
        10**30,
        "\u202e",
        [1] * 99,
    ]
    if at is not None and rng.random() < 0.2:
        del at[1][at[0]]
    elif at is not None:
        at[1][at[0]] = odd[int(rng.integers(len(odd)))]
    return content


def hostile_csv(rng: np.random.Generator) -> bytes:
    """A table of cells that readers disagree about."""
    end, separator = str(rng.choice(["\n", "\r\n", "\r", "\n\n"])), str(rng.choice([",", ";", "\t", "|"]))
    lines = [str(rng.choice(_HEADERS)).replace(",", separator)]
    for _ in range(int(rng.integers(0, 12))):
        label, score = str(rng.integers(2)), f"{rng.random():.3f}"
        cells = [label, score] if rng.random() < 0.8 else [str(each) for each in rng.choice(_CELLS, rng.integers(1, 4))]
        lines.append(separator.join(cells))
    text = end.join(lines) + str(rng.choice(["", end]))
    encoding = str(rng.choice(["utf-8", "utf-8", "utf-8", "utf-16", "latin-1"]))
    return text.encode(encoding, "replace")


def _command(path: Path, rng: np.random.Generator) -> list[str]:
    folder, given = path.parent, str(path)
    target = str(folder / "out")
    commands = {
        "card.json": [["apply", given, str(_rows()), "--score", "p", "--output", target]],
        "payload.json": [["render", given, "-o", target]],
        "matrix.csv": [["counts", "--matrix", given, "--metric", "accuracy", "--output", target]],
        "table.parquet": [["merge", given, "-o", target], ["evaluate", given, "--metric", "auroc", "--output", target]],
    }
    names = ["--label", "y", "--score", "p"] if rng.random() < 0.8 else []
    more = ["--on-bad-row", "skip"] if rng.random() < 0.3 else []
    more += ["--delimiter", str(rng.choice([";", "tab", "ab", ""]))] if rng.random() < 0.1 else []
    rows = [
        ["evaluate", given, *names, *more, "--metric", "auroc", "--json", "--output", target],
        ["table", given, *names, *more, "-o", target],
        ["evaluate", given, *names, *more, "--group", "g", "--metric", "auroc", "--output", target],
        ["evaluate", given, "--label", "y", "--predicted", "p", "--metric", "accuracy", "--output", target],
    ]
    known = commands.get(path.name, rows)
    return known[int(rng.integers(len(known)))]


def _tried(path: Path, command: list[str]) -> Outcome:
    before = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        done = CliRunner().invoke(cli, command)
    said = f"{' '.join(command)}\n{done.output[-500:]}"
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise WrongError(f"{done.exception!r} escaped: {said}")
    if done.exit_code not in (0, 2):
        raise WrongError(f"exit code {done.exit_code}: {said}")
    left = {each.name for each in path.parent.iterdir()} - {path.name}
    if left != ({"out"} if done.exit_code == 0 else set()) or path.read_bytes() != before:
        raise WrongError(f"exit code {done.exit_code}, but the folder holds {left}: {said}")
    if done.exit_code == 2 and "Error" not in done.output:
        raise WrongError(f"refused without a word: {said}")
    return FINE if done.exit_code == 0 else REFUSED


@functools.cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="unconfuse-attack-")
    _folder.kept = folder  # type: ignore[attr-defined]
    return Path(folder.name)


@functools.cache
def _rows() -> Path:
    rng, path = np.random.default_rng(0), _folder() / "rows.csv"
    lines = [f"{int(k % 3 == 0)},{rng.random():.2f},{k % 7}" for k in range(60)]
    path.write_text("\n".join(["y,p,g", *lines, ""]))
    return path


def _workbook(cells: list[list[str]]) -> list[tuple[str, bytes]]:
    try:
        import openpyxl
    except ImportError:
        return []
    book, file = openpyxl.Workbook(), io.BytesIO()
    for row in [["y", "p", "g"], *([int(y), float(p), int(g)] for y, p, g in cells)]:
        book.active.append(row)
    book.save(file)
    return [("rows.xlsx", file.getvalue())]


@functools.cache
def _corpus() -> tuple[tuple[str, bytes], ...]:
    """The same rows in every form, made by the library itself and by its peers."""
    import duckdb

    rows, folder = _rows(), _folder()
    plain = rows.read_bytes()
    cells = [line.split(",") for line in plain.decode().split()[1:]]
    lines = [json.dumps({"y": int(y), "p": float(p), "g": int(g)}) for y, p, g in cells]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("rows.csv", plain)
    for name, options in (("rows.parquet", "FORMAT parquet"), ("rows.csv.zst", "FORMAT csv, COMPRESSION zstd")):
        duckdb.sql(f"COPY (SELECT * FROM '{rows}') TO '{folder / name}' ({options})")
    made: list[Any] = [("rows.csv", plain), ("rows.csv.gz", gzip.compress(plain)), ("rows.zip", packed.getvalue())]
    made += [("rows.jsonl", "\n".join(lines).encode()), ("rows.json", f"[{','.join(lines)}]".encode())]
    made += _workbook(cells)
    made += [("matrix.csv", b",a,b,c\na,3,1,0\nb,0,5,2\nc,1,1,9\n"), ("odd.xlsx", packed.getvalue())]
    run = CliRunner().invoke
    names = ["--label", "y", "--score", "p"]
    run(cli, ["table", str(rows), *names, "-o", str(folder / "table.parquet")], catch_exceptions=False)
    card = ["--export", str(folder / "card.json"), "--payload", str(folder / "payload.json")]
    run(cli, ["thresholds", str(rows), *names, "--rule", "youden", *card], catch_exceptions=False)
    stored = ("rows.parquet", "rows.csv.zst", "table.parquet", "card.json", "payload.json")
    return tuple(made + [(name, (folder / name).read_bytes()) for name in stored])
