"""Models with cases of their own, as `compare` takes them: each four counts, a score table, or labels and scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import by_text, check_count
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import check_judgeable, sample_of
from unconfuse.table import AggregatedSample, Counts, IndependentSamples, Sample, ScoreTable

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
    data: DataOptions,
    cut: Cut,
) -> IndependentSamples:
    """Return the cases of each model, cut at its threshold."""
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
        if sample.is_multiclass:
            hint = "Hint: compare one class."
            raise ArgumentError(f"independent test sets of several classes are not compared here. {hint}")
        found[str(name)] = cut(sample, threshold.get(name) if isinstance(threshold, Mapping) else threshold)
    return IndependentSamples(found)


def _check(source: Mapping[str, Any], threshold: object, baselines: Sequence[str]) -> None:
    if baselines:
        words = "`baselines` are models of the same cases, but these have cases of their own."
        raise ArgumentError(f"{words} Hint: leave it out.")
    scored = [name for name, each in source.items() if not isinstance(each, Counts)]
    if threshold is not None and not scored:
        raise ArgumentError("`threshold` cuts scores, but there are only counts. Hint: leave it out.")
    for name in threshold if isinstance(threshold, Mapping) else ():
        if name not in scored:
            raise ArgumentError(
                f"a threshold is for {short_repr(name)}, which has no scores here. {did_you_mean(name, scored)}"
            )


def _of_counts(counts: Counts, name: str, data: DataOptions) -> Sample:
    if data:
        raise ArgumentError(
            f"`{next(iter(data))}` describes rows, but {short_repr(name)} is four counts. Hint: leave it out."
        )
    if counts.shape:
        raise ArgumentError(f"{short_repr(name)} must be one 2x2 table; got {counts.shape[0]} of them.")
    cells = {key: check_count(cell, key) for key, cell in counts.as_dict().items()}
    return AggregatedSample.of_counts(Counts(**cells))
