"""A full `evaluate` of a large table, beside DuckDB's bare group-by of the same Parquet file, in one run.

    python benchmarks/bench_evaluate.py            # 1e5, 1e6 and 1e7 rows, every score distinct, then with ties
    python benchmarks/bench_evaluate.py 1e8        # sizes of your choice

Each size runs in a process of its own, so that its peak memory is its own. Asked: at 1e7 rows the evaluation after the
table takes at most 1.5 times the group-by, on 2 cores, within 2 GB.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from _timing import best_of, seconds

SIZES = ("1e5", "1e6", "1e7")
PIECE = 10_000_000
GROUP_BY = "SELECT s, sum(y) AS positives, sum(1 - y) AS negatives FROM '{}' GROUP BY s"


def pieces(n: int, ties: bool) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Labels and probabilities, not all in memory at once."""
    rng = np.random.default_rng(0)
    for first in range(0, n, PIECE):
        y = rng.random(min(PIECE, n - first)) < 0.1
        s = 1 / (1 + np.exp(2.5 - 1.5 * y - rng.normal(size=len(y))))
        yield y, np.round(s, 4) if ties else s


def write_file(path: Path, n: int, ties: bool) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("y", pa.int8()), ("s", pa.float64())])
    with pq.ParquetWriter(path, schema) as file:
        for y, s in pieces(n, ties):
            file.write_table(pa.table({"y": y.astype(np.int8), "s": s}, schema=schema))


def group_by(path: Path) -> None:
    """DuckDB alone: the group-by counted, and the group-by fetched as arrow columns."""
    import duckdb

    query = GROUP_BY.format(path)
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    counted = best_of(lambda: connection.execute(f"SELECT count(*) FROM ({query})").fetchall(), 3)
    fetched = best_of(lambda: connection.execute(query).to_arrow_table(), 2)
    print(counted, fetched)


def evaluation(path: Path) -> None:
    """Ours: the table (untimed here: reading has its own benchmark), then everything after it."""
    import pyarrow.parquet as pq

    import unconfuse as uc

    table = uc.ScoreTable.empty()
    for batch in pq.ParquetFile(path).iter_batches(PIECE):
        y, s = batch["y"].to_numpy(), batch["s"].to_numpy()
        table = table.merge(uc.score_table(y, s)) if len(table) else uc.score_table(y, s)
        del batch, y, s
    made = peak_gigabytes()
    fresh = [uc.ScoreTable(table.score, table.positives, table.negatives) for _ in range(3)]  # none remembers anything
    took = min(seconds(lambda each=each: uc.evaluate(each)) for each in fresh)
    print(took, len(table), made, peak_gigabytes())
    each_metric = {
        name: seconds(
            lambda name=name: uc.evaluate(  # a new table each time: nothing is shared
                uc.ScoreTable(table.score, table.positives, table.negatives), metrics=[name]
            )
        )
        for name in uc.METRICS
    }
    slowest = sorted(each_metric.items(), key=lambda item: -item[1])[:10]
    print(", ".join(f"{name} {1e3 * took:.0f}" for name, took in slowest))


def peak_gigabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def in_process(what: str, path: Path) -> list[str]:
    """What a process of its own prints, line by line."""
    command = [sys.executable, __file__, "--" + what, str(path)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def compare(size: str, ties: bool, folder: Path) -> None:
    path = folder / "rows.parquet"
    write_file(path, int(float(size)), ties)
    counted, fetched = map(float, in_process("group-by", path)[0].split())
    first, slowest = in_process("evaluate", path)
    took, distinct, made, peak = map(float, first.split())
    print(
        f"{size} rows, {distinct:,.0f} distinct scores: group-by {counted:.2f} s ({fetched:.2f} s with the rows "
        f"fetched); evaluate {took:.2f} s, {took / counted:.2f} ({took / fetched:.2f}) times that; peak {peak:.2f} "
        f"GB, of which {made:.2f} GB to make the table\n    slowest alone, in ms: {slowest}",
        flush=True,
    )


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1].startswith("--"):
        {"--group-by": group_by, "--evaluate": evaluation}[sys.argv[1]](Path(sys.argv[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        for ties in (False, True):
            for size in sys.argv[1:] or SIZES:
                compare(size, ties, Path(folder))


if __name__ == "__main__":
    main()
