"""Models with cases of their own, as `compare` takes them: each four counts, a score table, or labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unconfuse._errors import ArgumentError, nearest
from unconfuse._plain import brief
from unconfuse._validate import by_text, check_count
from unconfuse.ingest import DataWords
from unconfuse.ingest.door import check_judgeable, sample_of
from unconfuse.table import Apart, Counts, DistantSample, Sample, ScoreTable

Cut = Callable[[Sample, float | None], Sample]


def are_apart(source: Any) -> bool:
    """Whether every model comes with cases of its own."""
    if not isinstance(source, Mapping) or not source:
        return False
    return all(
        isinstance(each, Counts | ScoreTable | Sample) or (isinstance(each, tuple) and len(each) == 2)
        for each in source.values()
    )


def samples_apart(
    source: Mapping[str, Any],
    threshold: float | Mapping[str, float] | None,
    baselines: Sequence[str],
    data: DataWords,
    cut: Cut,
) -> Apart:
    """The cases of each model, cut at its threshold."""
    _check(source, threshold, baselines)
    by_text(source, "models")
    found: dict[str, Sample] = {}
    for name, each in source.items():
        if isinstance(each, Counts):
            found[str(name)] = _of_counts(each, name, data)
            continue
        y, s = each if isinstance(each, tuple) else (each, None)
        sample = sample_of(y, s, data)
        check_judgeable(sample)
        if sample.several:
            hint = "Hint: compare one class."
            raise ArgumentError(f"independent test sets of several classes are not compared here. {hint}")
        found[str(name)] = cut(sample, threshold.get(name) if isinstance(threshold, Mapping) else threshold)
    return Apart(found)


def _check(source: Mapping[str, Any], threshold: object, baselines: Sequence[str]) -> None:
    if baselines:
        words = "`baselines` are models of the same cases, but these have cases of their own."
        raise ArgumentError(f"{words} Hint: leave it out.")
    scored = [name for name, each in source.items() if not isinstance(each, Counts)]
    if threshold is not None and not scored:
        raise ArgumentError("`threshold` cuts scores, but there are only counts. Hint: leave it out.")
    for name in threshold if isinstance(threshold, Mapping) else ():
        if name not in scored:
            raise ArgumentError(f"a threshold is for {brief(name)}, which has no scores here. {nearest(name, scored)}")


def _of_counts(counts: Counts, name: str, data: DataWords) -> Sample:
    if data:
        raise ArgumentError(
            f"`{next(iter(data))}` describes rows, but {brief(name)} is four counts. Hint: leave it out."
        )
    if counts.shape:
        raise ArgumentError(f"{brief(name)} must be one 2x2 table; got {counts.shape[0]} of them.")
    cells = {key: check_count(cell, key) for key, cell in counts.as_dict().items()}
    return DistantSample.of_counts(Counts(**cells))
