"""What runs on the executors: NumPy and pyarrow only, so that nothing else need be installed there.

A case's weight in a resample is hashed from (seed, resample, case): it does not depend on where the case is, so that
results are the same for any number of partitions, and a task that is run again gives the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
Batches = Iterator[Any]
LANES = 4  # resamples from one hash of 64 bits
_AT_ONCE = 1 << 15  # rows that are counted together


def mixed(words: Words) -> Words:
    """Every bit of the result depends on every bit of the word (the finaliser of SplitMix64)."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def keys_of(columns: Sequence[npt.NDArray[Any]]) -> Words:
    """One word for each row, from the bits of its columns."""
    keys = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        wide = column.astype(np.float64 if column.dtype.kind == "f" else np.int64)
        keys = mixed(keys ^ np.ascontiguousarray(wide).view(np.uint64))
    return keys


def poisson_of_lane() -> npt.NDArray[np.uint8]:
    """How often a case is drawn, for each of 65,536 equally likely numbers: Poisson with mean 1."""
    below = np.cumsum([math.exp(-1) / math.factorial(k) for k in range(12)])
    drawn = np.searchsorted(np.round(below * 65536), np.arange(65536), side="right")
    return drawn.astype(np.uint8)


def multiplicities(keys: Words, seed: int, first: int, count: int) -> npt.NDArray[np.uint8]:
    """How often each case is drawn in the resamples `first`, ...: shape (count, cases). Both are multiples of 4."""
    drawn, table = np.empty((count, len(keys)), dtype=np.uint8), poisson_of_lane()
    for place in range(0, count, LANES):
        salt = mixed(mixed(np.array([seed], dtype=np.uint64)) ^ np.uint64((first + place) // LANES))
        words = mixed(keys ^ salt)
        for lane in range(LANES):
            drawn[place + lane] = table[(words >> np.uint64(16 * lane)).astype(np.uint16)]
    return drawn


def bins_of(scores: Floats, edges: Floats) -> npt.NDArray[np.int64]:
    """Return the bin of each score: the number of edges (ascending) that are not above it."""
    return np.searchsorted(edges, scores, side="right").astype(np.int64)


def binning(edges: Sequence[Floats]) -> Callable[[Batches], Batches]:
    """Return a function for mapInArrow that puts the bin of each score in the place of its key."""
    import pyarrow as pa  # type: ignore[import-untyped]

    def put(batches: Batches) -> Batches:
        for batch in batches:
            columns = {name: batch.column(name) for name in batch.schema.names}
            for model, edge in enumerate(edges):
                scores = np.nan_to_num(columns[f"s{model}"].to_numpy(zero_copy_only=False).astype(np.float64))
                columns[f"k{model}"] = pa.array(bins_of(scores, edge).astype(np.float64))
            yield pa.RecordBatch.from_pydict(columns)

    return put


def resampling(
    edges: Sequence[Floats], n_resamples: int, seed: int, chunk: int, by_content: bool
) -> Callable[[Batches], Batches]:
    """Return a function for mapInArrow that sums, for each resample, each class's weight in each band of scores."""
    import pyarrow as pa

    rounded = -(-n_resamples // chunk) * chunk
    sizes = [2 * (len(edge) + 1) for edge in edges]

    def count(batches: Batches) -> Batches:
        sums = [np.zeros((rounded, size)) for size in sizes]
        for rows in _joined(batches):
            _add(rows, sums)
        for first in range(0, rounded, chunk):
            part = np.concatenate([each[first : first + chunk].reshape(-1) for each in sums])
            yield pa.RecordBatch.from_pydict({"chunk": pa.array([first], pa.int32()), "sums": [part.tobytes()]})

    def _add(rows: dict[str, Any], sums: list[Floats]) -> None:
        positive, scores = rows["positive"].astype(np.int64), [rows[f"s{model}"] for model in range(len(edges))]
        keys = keys_of([positive, *scores, rows["copy"]] if by_content else [rows["unit"], rows["copy"]])
        cells = [2 * bins_of(score, edge) + positive for score, edge in zip(scores, edges, strict=True)]
        for first in range(0, rounded, chunk):
            drawn = multiplicities(keys, seed, first, chunk)
            for cell, total in zip(cells, sums, strict=True):
                _add_cells(drawn, rows.get("w"), cell, total[first : first + chunk])

    return count


def adding() -> Callable[[Any], Any]:
    """Return a function for applyInArrow that adds up the partial sums of one chunk of resamples."""
    import pyarrow as pa

    def add(table: Any) -> Any:
        total = np.sum([np.frombuffer(part.as_py()) for part in table.column("sums")], axis=0)
        chunk = pa.array([table.column("chunk")[0].as_py()], pa.int32())
        return pa.table({"chunk": chunk, "sums": pa.array([total.tobytes()], pa.binary())})

    return add


def _add_cells(drawn: npt.NDArray[np.uint8], weights: Floats | None, cells: npt.NDArray[np.int64], to: Floats) -> None:
    order = np.argsort(cells, kind="stable")
    found, starts = np.unique(cells[order], return_index=True)
    ordered = drawn[:, order].astype(np.float64)
    if weights is not None:
        ordered *= weights[order]
    to[:, found] += np.add.reduceat(ordered, starts, axis=1)


def _joined(batches: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """Batches put together to about as many rows as are counted at once."""
    held: list[dict[str, Any]] = []
    for batch in batches:
        if batch.num_rows:
            held.append({name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names})
        if sum(len(each["positive"]) for each in held) >= _AT_ONCE:
            yield _concatenated(held)
            held = []
    if held:
        yield _concatenated(held)


def _concatenated(held: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {name: np.concatenate([each[name] for each in held]) for name in held[0]}
