"""`find_slices`: subgroups that a search finds on one half of the cases, confirmed on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from unconfuse._deprecated import renamed_parameters
from unconfuse._errors import ArgumentError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._validate import check_number, check_probability, check_whole
from unconfuse.ingest import Data, DataOptions
from unconfuse.ingest._read import check_judgeable, public_data_api, sample_of
from unconfuse.ingest.grouping import MISSING, apart
from unconfuse.metrics import Metric, metrics_of
from unconfuse.results.contrast import Contrast
from unconfuse.results.evaluate_sample import cut_by_policy, evaluate_sample
from unconfuse.results.slices import Slice, SliceSearchResult
from unconfuse.results.subgroup_pairs import with_adjusted
from unconfuse.table import InMemorySample, Settings, parse_design
from unconfuse.table.in_memory import lexsorted
from unconfuse.table.sample import Grouping
from unconfuse.uncertainty import Estimate, available, estimate

_QUICK = 200  # resamples in the search, which only ranks
_WITHIN = 0.9  # of a slice inside another that was chosen: it tells nothing new
ELSEWHERE = "everyone else"
Rows = npt.NDArray[np.intp]


@renamed_parameters(smallest="min_cases", most="max_slices", held_out="holdout_fraction")
@public_data_api
def find_slices(
    y: Any,
    s: Any = None,
    *,
    metric: str | Metric = "auroc",
    depth: int = 2,
    min_cases: int = 50,
    max_slices: int = 5,
    holdout_fraction: float = 0.5,
    threshold: float | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 2000,
    rng: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[DataOptions],
) -> SliceSearchResult:
    """Search all subgroups for those with the worst metric, and ask cases that had no part in the search.

    The largest of many differences is large by chance. So the cases are dealt into two parts (groups whole): one is
    searched, the other judges the slices that looked worst, with intervals and p-values adjusted for their number only.

    Parameters
    ----------
    y, s
        As in `evaluate`; `by` names the columns that are searched, each alone and crossed with others.
    metric : str or Metric
    depth : {1, 2, 3}
        How many columns are crossed at most.
    min_cases : int
        Slices with fewer cases to search are passed over.
    max_slices : int
        How many slices are judged on the cases held out: each one more widens all intervals.
    holdout_fraction : float
        The share of cases that judge.
    threshold, design, confidence_level, n_resamples, rng, progress
        As in `evaluate`.
    **data
        What the columns mean, which rows to read: the words of `Data`.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> site, sex = rng.choice(["A", "B", "C"], 4000), rng.choice(["F", "M"], 4000)
    >>> y = rng.random(4000) < .3
    >>> s = rng.normal(size=4000) + np.where((site == "B") & (sex == "F"), .3, 1.5) * y
    >>> found = uc.find_slices(y, s, by={"site": site, "sex": sex}, max_slices=1)
    >>> print(found.sentence)  # doctest: +NORMALIZE_WHITESPACE
    11 slices of 2,000 cases searched for a worse AUROC: the one that looks worst, site B, sex F, holds on the 2,000
    cases held out.
    """
    fixed_classes, settings = parse_design(design), Settings.validated(confidence_level, n_resamples, rng)
    limits = {"depth": (depth, 1, 3), "min_cases": (min_cases, 2, 10**9), "max_slices": (max_slices, 1, 100)}
    deep, least, many = (check_whole(each, name, at_least=a, at_most=b) for name, (each, a, b) in limits.items())
    share = check_probability(holdout_fraction, "holdout_fraction", open_interval=True)
    cut = None if threshold is None else check_number(threshold, "threshold")
    if isinstance(y, Data) and (s is not None or data):
        sample_of(y, s, data)  # refuses what stands beside a description
    sample, columns = _read(y if isinstance(y, Data) else Data(y, s, **data))
    check_judgeable(sample)
    sample = _cut(sample.with_design(fixed_classes), cut)
    wanted = available([metrics_of(sample).find(metric)], sample)[0]

    judges = _dealt(sample, columns, share, rng)
    search = _SliceSearch(sample, columns, wanted, settings)
    looked, chosen = search.worst(np.flatnonzero(~judges), deep, least, many, progress)
    return search.confirmed(chosen, judges, looked)


def _cut(sample: InMemorySample, threshold: float | None) -> InMemorySample:
    return cut_by_policy(sample, threshold).rows_for("a search")


def _read(data: Data) -> tuple[InMemorySample, list[Grouping]]:
    """Read the cases, and what each column alone divides them into."""
    if data.by is None:
        hint = f"Hint: give {argument_name('by', 'site')}, or several columns."
        raise ArgumentError(f"there is nothing to search: no column divides the cases. {hint}")
    if data.fold is not None or data.folds is not None:
        raise ArgumentError("slices are searched among cases, not folds. Hint: leave the folds out.")
    sample = sample_of(replace(data, by=apart(data.by)), None, {}, rows=True).in_memory
    if sample is None or sample.division is None:
        raise ArgumentError("a search needs rows, not tables of them. Hint: give the rows, or a file of them.")
    return sample.derive(division=None), list(sample.division.each or (sample.division,))


def _dealt(sample: InMemorySample, columns: list[Grouping], share: float, seed: int) -> npt.NDArray[np.bool_]:
    """Which rows are held out: the same share of each class, or of the groups."""
    generator = np.random.default_rng(seed)
    if sample.groups is not None:
        of_groups = _part(np.zeros(sample.n_groups, dtype=np.int64), share, generator)
        return np.asarray(of_groups[sample.groups])
    # Whatever order the rows came in: alike are only rows between which nothing here can tell.
    scores = [each for column in sample.scores.values() for each in np.atleast_2d(column.T)]
    order = lexsorted([*(column.code for column in columns), *sample.decided.values(), *scores, sample.truth])
    held = np.zeros(len(sample), dtype=np.bool_)
    held[order] = _part(sample.truth[order].astype(np.int64), share, generator)
    return held


def _part(code: npt.NDArray[np.int64], share: float, generator: np.random.Generator) -> npt.NDArray[np.bool_]:
    held = np.zeros(len(code), dtype=np.bool_)
    for each in np.unique(code):
        rows = generator.permutation(np.flatnonzero(code == each))
        held[rows[: round(share * len(rows))]] = True
    return held


@dataclass(frozen=True)
class _Candidate:
    """A slice that was looked at, and how much worse than everyone it looks, in widths of its interval."""

    name: str
    columns: tuple[str, ...]
    code: npt.NDArray[np.int64]
    place: int
    distance: float

    def rows(self) -> npt.NDArray[np.bool_]:
        return np.asarray(self.code == self.place)


@dataclass(frozen=True)
class _SliceSearch:
    sample: InMemorySample
    columns: list[Grouping]
    metric: Metric
    settings: Settings

    def worst(
        self, rows: Rows, depth: int, smallest: int, most: int, progress: Callable[[int, int], object] | None
    ) -> tuple[int, list[_Candidate]]:
        """How many slices were looked at, and those that look worst and are not within one another."""
        quick = replace(self.settings, n_resamples=min(_QUICK, self.settings.n_resamples))
        part = self.sample.taken(rows)
        everyone = estimate([self.metric], part, quick)[self.metric.name]
        crossings = [combination for k in range(1, depth + 1) for combination in combinations(self.columns, k)]
        candidates: list[_Candidate] = []
        for done, crossing in enumerate(crossings):
            candidates += self._of_crossing(crossing, rows, part, everyone, quick, smallest)
            if progress is not None:
                progress(done + 1, len(crossings))
        ranked = sorted(
            (candidate for candidate in candidates if candidate.distance > 0),
            key=lambda each: (-each.distance, each.name),
        )
        return len(candidates), _apart(ranked, rows, most)

    def _of_crossing(
        self,
        crossing: tuple[Grouping, ...],
        rows: Rows,
        part: InMemorySample,
        everyone: Estimate,
        quick: Settings,
        smallest: int,
    ) -> Iterable[_Candidate]:
        division = _crossed(crossing)
        sample = part.derive(division=division.taken(rows))
        for place, (name, each) in enumerate(sample.by_subgroup().items()):
            if each.n < smallest or each.n > part.n - smallest:
                continue
            value = estimate([self.metric], each, quick)[self.metric.name]
            yield _Candidate(name, division.columns, division.code, place, self._distance(value, everyone))

    def _distance(self, value: Estimate, everyone: Estimate) -> float:
        gap, width = value.value - everyone.value, (value.high - value.low) / 2
        if not np.isfinite(gap) or not width > 0:
            return 0.0
        worse = {"higher": -gap, "lower": gap}.get(self.metric.better, abs(gap))
        return float(worse / width)

    def confirmed(self, chosen: list[_Candidate], judges: npt.NDArray[np.bool_], looked: int) -> SliceSearchResult:
        """Return what the held-out cases say of each candidate."""
        searched, contrasts = (self._differences(chosen, side) for side in (~judges, judges))
        contrasts = list(with_adjusted(self.metric, contrasts))
        slices = tuple(
            Slice(
                candidate.name,
                candidate.columns,
                float(self.sample.weight[candidate.rows() & judges].sum()),
                contrast,
                two,
            )
            for candidate, contrast, two in zip(chosen, searched, contrasts, strict=True)
        )
        sizes = (float(self.sample.weight[side].sum()) for side in (~judges, judges))
        return SliceSearchResult(slices, self.metric.name, self.metric.label, looked, *sizes)

    def _differences(self, chosen: list[_Candidate], side: npt.NDArray[np.bool_]) -> list[Contrast]:
        """Each slice against everyone else, on one part of the cases."""
        rows, contrasts = np.flatnonzero(side), []
        part = self.sample.taken(rows)
        for candidate in chosen:
            code = (~candidate.rows()[rows]).astype(np.int64)
            division = Grouping(candidate.columns, (candidate.name, ELSEWHERE), code)
            if not len(np.unique(code)) == 2:
                raise ArgumentError(
                    f"no case of {short_repr(candidate.name)} is held out. Hint: {argument_name('min_cases', 100)}."
                )
            whole = evaluate_sample(part.derive(division=division), [self.metric], self.settings)
            contrasts.append(whole.subgroups.difference(self.metric.name, candidate.name, ELSEWHERE))
        return contrasts


def _crossed(crossing: tuple[Grouping, ...]) -> Grouping:
    """Slices of one column or of several, named by column and value; missing values stay nameless everywhere."""
    sizes = [len(grouping.names) for grouping in crossing]
    whole = np.ravel_multi_index([grouping.code for grouping in crossing], sizes)
    held = np.bincount(whole) > 0
    present, code = np.flatnonzero(held), (np.cumsum(held) - 1)[whole]
    places = np.unravel_index(present, sizes)
    names = tuple(
        ", ".join(_named(grouping, int(places[k][i])) for k, grouping in enumerate(crossing))
        for i in range(len(present))
    )
    return Grouping(tuple(grouping.columns[0] for grouping in crossing), names, code)


def _named(division: Grouping, place: int) -> str:
    value = division.names[place]
    return f"{division.columns[0]} {value if value != MISSING else 'missing'}"


def _apart(ranked: list[_Candidate], rows: Rows, most: int) -> list[_Candidate]:
    """Return the first candidates, without those that lie almost wholly within one that was taken before."""
    taken: list[tuple[_Candidate, npt.NDArray[np.bool_]]] = []
    for candidate in ranked:
        own = candidate.rows()[rows]
        if all((own & other).sum() < _WITHIN * own.sum() for _, other in taken):
            taken.append((candidate, own))
        if len(taken) == most:
            break
    return [each for each, _ in taken]
