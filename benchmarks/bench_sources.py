"""Files of distinct scores: time and memory beside DuckDB's bare GROUP BY on the same file, in one run.

`python benchmarks/bench_sources.py` takes 1e6 and 1e7 rows as Parquet and CSV, and ten thousand small Parquet files;
`--rows 1e8` another size, `--quick` leaves out 1e7 rows. Each measurement has a process of its own, so that its peak of
memory is its own; each is taken twice and the better one counts.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

SMALL_FILES, SMALL_ROWS = 10_000, 100
READERS = {
    ".parquet": "read_parquet('{path}')",
    ".csv": "read_csv('{path}', auto_detect=false, header=true, delim=',', columns={{'y': 'INTEGER', 'p': 'DOUBLE'}})",
}


def bare(path: str) -> None:
    """The least that any tool on this engine must do: the same sums, handed over as NumPy columns."""
    reader = READERS[Path(path).suffix].format(path=path)
    duckdb.sql(f"SELECT p, sum(y), sum(1 - y) FROM {reader} GROUP BY p").fetchnumpy()


def table(path: str) -> None:
    import unconfuse as uc

    uc.score_table(path, label="y", score="p")


def evaluation(path: str) -> None:
    import unconfuse as uc

    uc.evaluate(path, label="y", score="p")


WORK = {"bare group-by": bare, "score table": table, "evaluate": evaluation}


def alone(what: str, path: str) -> None:
    """Seconds and peak megabytes of one piece of work, printed for the process that asked."""
    start = time.perf_counter()
    WORK[what](path)
    took, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))


def measured(what: str, path: str, repeats: int = 2) -> tuple[float, float, float]:
    runs = []
    for _ in range(repeats):
        command = [sys.executable, __file__, "--alone", what, path]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs.append(tuple(json.loads(done.stdout.splitlines()[-1])))
    return min(run[0] for run in runs), min(run[1] for run in runs), max(run[2] for run in runs)


def write(folder: Path, rows: int) -> list[Path]:
    with duckdb.connect() as database:
        made = f"SELECT (random() < 0.3)::INT AS y, random() AS p FROM range({rows})"
        database.execute(f"COPY ({made}) TO '{folder / 'rows.parquet'}'")
        database.execute(f"COPY (FROM '{folder / 'rows.parquet'}') TO '{folder / 'rows.csv'}' (HEADER)")
    return [folder / "rows.parquet", folder / "rows.csv"]


def write_many(folder: Path) -> str:
    with duckdb.connect() as database:
        for number in range(SMALL_FILES):
            rows = f"SELECT (random() < 0.3)::INT AS y, random() AS p FROM range({SMALL_ROWS})"
            database.execute(f"COPY ({rows}) TO '{folder / f'{number:05}.parquet'}'")
    return str(folder / "*.parquet")


def compare(path: str, works: list[str], title: str, repeats: int) -> None:
    base = None
    for what in works:
        took, work, megabytes = measured(what, path, repeats)
        base = (took, work) if base is None else base
        print(
            f"{title:26} {what:14} {took:8.2f} s {took / base[0]:6.2f} x bare {work:8.2f} s of CPU "
            f"{work / base[1]:6.2f} x bare {megabytes:7.0f} MB",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--alone", nargs=2)
    parser.add_argument("--rows", type=float, action="append")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--tables", action="store_true", help="leave out the whole evaluation")
    given = parser.parse_args()
    if given.alone:
        alone(*given.alone)
        return
    works = [what for what in WORK if not (given.tables and what == "evaluate")]
    for size in given.rows or ([1e6] if given.quick else [1e6, 1e7]):
        with tempfile.TemporaryDirectory() as folder:
            for path in write(Path(folder), int(size)):
                compare(str(path), works, f"{size:g} rows, {path.suffix[1:]}", 1 if size > 1e7 else 2)
    with tempfile.TemporaryDirectory() as folder:
        compare(write_many(Path(folder)), works[:2], f"{SMALL_FILES:,} Parquet files", 1)


if __name__ == "__main__":
    main()
