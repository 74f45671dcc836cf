"""A reader study: averages over readers, differences of modalities, a new reader, and how large a study must be."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, UnknownNameError, argument_name, did_you_mean
from unconfuse._formatting import TabularResult, number_text, p_text, short_label, short_repr, strict_json
from unconfuse._render_mixins import PlotMixin, Reported
from unconfuse._scipy_special import stdtrit
from unconfuse._validate import check_choice, check_list, check_number, check_probability, check_whole, public_api
from unconfuse.metrics import METRICS, Metric
from unconfuse.multilevel import readers as levels
from unconfuse.multilevel.benchmarks import holm
from unconfuse.multilevel.pooling import FEWEST
from unconfuse.multilevel.readers import Generalise, Readings
from unconfuse.policy import Verdict
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.method import NoInterval

SCOPES: tuple[Generalise, ...] = ("both", "cases", "readers")
METRICS_OF_READERS = ("auroc", "sensitivity", "specificity", "accuracy")
_SCOPE_WORDS = {
    "both": "for readers and cases like these",
    "cases": "for these readers and cases like these",
    "readers": "for readers like these and these cases",
}
_PILOT = 5  # readers from which on a plan is worth its name
_PLANNED_READERS = (3, 4, 5, 6, 8, 10, 12, 15, 20, 30)
_MOST_CASES = 1000  # times those of the study: more is no advice


@dataclass(frozen=True)
class ReaderPair:
    """How two modalities differ.

    Attributes
    ----------
    first, second : str
    difference : Estimate
        Mean over readers of the first modality minus that of the second.
    p_value : float
        Of no difference; it fits `difference`.
    adjusted_p_value : float
        The same, adjusted for all pairs of modalities (Holm), on which the verdict rests.
    verdict : {"better", "worse", "cannot tell"}
    """

    first: str
    second: str
    difference: Estimate
    p_value: float
    adjusted_p_value: float
    verdict: Verdict
    scope: str

    @property
    def sentence(self) -> str:
        """The difference in plain words, and for whom it holds."""
        estimate, name = self.difference, short_label(METRICS[self.difference.name].label)
        if math.isnan(estimate.low):
            return (
                f"{self.first} minus {self.second}: {name} differs by {number_text(estimate.value)}; there is "
                f"{estimate.method}."
            )
        if self.verdict == Verdict.CANNOT_TELL:
            return (
                f"This study cannot tell {self.first} and {self.second} apart: difference in {name} "
                f"{number_text(estimate.value)} {estimate.interval_text}, {p_text(self.adjusted_p_value)}, "
                f"{self.scope}."
            )
        if estimate.name not in _COUNTED:
            how = "higher" if estimate.value > 0 else "lower"
            size = number_text(abs(estimate.value))
            return f"{self.first}: {name} of readers is {size} {how} than {self.second} {self._ends(1)}, {self.scope}."
        verb, what, sign = _COUNTED[estimate.name]
        change = sign * estimate.value
        more = "more" if change > 0 else "fewer"
        size = f"{abs(100 * change):.{_digits(change)}f}"
        return (
            f"{self.first}: readers {verb} {size} {more} of 100 {what} than {self.second} "
            f"{self._ends(100, sign)}, {self.scope}."
        )

    def _ends(self, times: float, sign: int = 1) -> str:
        """Return the interval, counted in the direction of the sentence."""
        turned = math.copysign(1, self.difference.value)
        ends = sorted(turned * times * each for each in (self.difference.low, self.difference.high))
        if times == 1:
            return f"[{number_text(ends[0])}, {number_text(ends[1])}]"
        digits = _digits(self.difference.value * sign)
        return f"[{ends[0]:.{digits}f}, {ends[1]:.{digits}f}]"

    def reversed(self) -> ReaderPair:
        """Return the second modality minus the first."""
        d = self.difference
        context = d.conditions.replace(f"{self.first} - {self.second}", f"{self.second} - {self.first}")
        turned = replace(d, value=-d.value, low=-d.high, high=-d.low, conditions=context)
        return replace(self, first=self.second, second=self.first, difference=turned, verdict=self.verdict.opposite)

    def __str__(self) -> str:
        return self.sentence

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = {name: getattr(self, name) for name in ("first", "second", "p_value", "adjusted_p_value", "verdict")}
        return {**plain, "difference": self.difference.as_dict(), "sentence": self.sentence}


_COUNTED = {  # what readers do, to which cases, and whether a higher rate is more of it
    "sensitivity": ("find", "positives", 1),
    "specificity": ("flag", "negatives", -1),
    "accuracy": ("label rightly", "cases", 1),
}


def scope_of(generalise: str) -> Generalise:
    """Validate to whom intervals are to speak."""
    return SCOPES[SCOPES.index(check_choice(generalise, "generalise", SCOPES))]


def _digits(change: float) -> int:
    return 0 if abs(change) >= 0.02 else 1


@dataclass(frozen=True)
class ReaderPlan(TabularResult):
    """How many readers and cases a study needs; `options` are (readers, cases, standard error), cases 0: impossible."""

    of: tuple[str, ...]
    goal: float
    power: float | None
    confidence_level: float
    readers_now: int
    cases_now: int
    options: tuple[tuple[int, int, float], ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each number of readers; no number of cases is enough where `cases` is NaN."""
        return [
            {"readers": readers, "cases": cases or math.nan, "standard_error": error}
            for readers, cases, error in self.options
        ]

    @property
    def sentence(self) -> str:
        """The plan in plain words."""
        level = f"{self.confidence_level * 100:.4g}%"
        what = " minus ".join(self.of)
        aim = (
            f"To show a difference of {number_text(self.goal)} ({what}) in {self.power * 100:.0f} of 100 studies"
            if self.power is not None
            else f"For a {level} interval of width {number_text(self.goal)} for {what}"
        )
        enough = [option for option in self.options if option[1]]
        if not enough:
            most = max(option[0] for option in self.options)
            return f"{aim}, {most} readers are not enough, however many cases they read: readers differ too much."
        shown = dict.fromkeys([enough[0], enough[len(enough) // 2], enough[-1]])
        ways = "; or ".join(f"{readers} readers and {cases:,} cases" for readers, cases, _ in shown)
        few = f" {self.readers_now} readers say little about how readers differ: pilot at least {_PILOT}."
        return f"{aim}, plan at least {ways}.{few if self.readers_now < _PILOT else ''}"

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        names = ("goal", "power", "confidence_level", "readers_now", "cases_now", "sentence")
        return {"of": list(self.of), **{name: getattr(self, name) for name in names}, "options": self.rows()}

    def __str__(self) -> str:
        return self.sentence


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Readers(TabularResult, PlotMixin, Reported, Mapping[str, Estimate]):
    """Means over readers by modality, and differences of two: `rd["with"]`, `rd["with", "without"].difference`.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(0)
    >>> truth, readers = np.repeat([1, 0], [20, 30]), np.arange(5)
    >>> rows = {"r": np.repeat(readers, 50), "c": np.tile(np.arange(50), 5), "y": np.tile(truth, 5)}
    >>> rows["s"] = 1.5 * rows["y"] + rng.normal(size=50)[rows["c"]] + rng.normal(size=250)
    >>> rd = uc.readers(rows, reader="r", case="c", truth="y", score="s")
    >>> print(rd.mean)
    auroc 0.707 [0.605, 0.792] 95% Obuchowski-Rockette, Hillis, for readers and cases like these, 5 readers, 50 cases
    """

    picture = "plot_readers"

    readings: Mapping[str, Readings]
    names: tuple[str, ...]
    cases: int
    metric: Metric
    generalise: Generalise
    confidence_level: float = 0.95

    @property
    def modalities(self) -> tuple[str, ...]:
        """Names of the modalities."""
        return tuple(self.readings)

    @property
    def mean(self) -> Estimate:
        """Mean over readers of the only modality."""
        if len(self.readings) > 1:
            raise ArgumentError(
                f"there are {len(self.readings)} modalities. "
                f"Hint: ask for one, such as rd[{short_repr(self.modalities[0])}]."
            )
        return self._means[self.modalities[0]]

    @cached_property
    def _means(self) -> dict[str, Estimate]:
        return {
            name: self._estimate(levels.averaged(reading, **self._how), self._context(""))
            for name, reading in self.readings.items()
        }

    @property
    def _how(self) -> dict[str, Any]:
        return {"generalise": self.generalise, "confidence_level": self.confidence_level}

    def _context(self, what: str) -> str:
        size = f"{len(self.names)} readers, {self.cases} cases"
        return f"{what}{_SCOPE_WORDS[self.generalise]}, {size}"

    def _estimate(self, found: levels.ReaderAverage, context: str, **more: Any) -> Estimate:
        limits = found.low, found.high, found.method
        return Estimate.from_interval(
            self.metric,
            found.value,
            limits,
            self.confidence_level,
            conditions=context,
            standard_error=found.standard_error,
            **more,
        )

    @cached_property
    def pairs(self) -> dict[tuple[str, str], ReaderPair]:
        """Every pair of modalities once."""
        found = {
            pair: levels.averaged(self.readings[pair[0]], self.readings[pair[1]], **self._how)
            for pair in combinations(self.readings, 2)
        }
        known = [pair for pair, reader_average in found.items() if not math.isnan(reader_average.p_value)]
        adjusted = dict(zip(known, holm(np.array([found[pair].p_value for pair in known])).tolist(), strict=True))
        return {
            pair: self._pair(pair, reader_average, adjusted.get(pair, math.nan))
            for pair, reader_average in found.items()
        }

    def _pair(self, pair: tuple[str, str], found: levels.ReaderAverage, adjusted: float) -> ReaderPair:
        label = f"difference in {self.metric.label}"
        gap = self._estimate(found, self._context(f"{' - '.join(pair)}, "), label=label, baseline=0.0)
        sure = adjusted <= 1 - self.confidence_level and (gap.low > 0 or gap.high < 0)
        verdict = (Verdict.BETTER if gap.value > 0 else Verdict.WORSE) if sure else Verdict.CANNOT_TELL
        return ReaderPair(*pair, gap, found.p_value, adjusted, verdict, _SCOPE_WORDS[self.generalise])

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return self._of_two(key)
        return self._means[self._known(key)]

    def _of_two(self, key: tuple[Any, ...]) -> ReaderPair:
        if len(key) != 2:
            raise ArgumentError(f"ask for a modality or (first, second); got {short_repr(key)}.")
        first, second = (self._known(each) for each in key)
        if first == second:
            raise ArgumentError(f"a modality cannot be compared with itself; got {short_repr(first)} twice.")
        return self.pairs[first, second] if (first, second) in self.pairs else self.pairs[second, first].reversed()

    def _known(self, name: Any) -> str:
        if str(name) not in self.readings:
            raise UnknownNameError(
                f"no modality {short_repr(name)} in this study. {did_you_mean(str(name), self.readings)}"
            )
        return str(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.readings)

    def __len__(self) -> int:
        return len(self.readings)

    def by_reader(self, modality: str | None = None) -> dict[str, float]:
        """Return each reader's own value in one modality; NaN of a reader who read none of its cases."""
        readings = self.readings[self._only(modality)]
        return dict(zip(self.names, readings.values.tolist(), strict=True))

    def _only(self, modality: str | None) -> str:
        if modality is None and len(self.readings) > 1:
            raise ArgumentError(f"`modality` is required: there are {', '.join(self.modalities)}.")
        return self.modalities[0] if modality is None else self._known(modality)

    def new_reader(self, modality: str | None = None) -> Estimate:
        """Return what to expect of one more reader like these, with a prediction interval."""
        name = self._only(modality)
        readings, mean = self.readings[name], self._means[name]
        context = f"new reader, {len(self.names)} readers, {self.cases} cases"
        if int((readings.totals > 0).sum()) < FEWEST:
            words = NoInterval(f"no interval: {len(self.names)} readers say nothing about other readers")
            return replace(mean, low=math.nan, high=math.nan, method=words, conditions=context)
        if math.isnan(mean.low):  # readers or readings that are all alike do not say how others vary
            return replace(mean, conditions=context)
        low, high = levels.new_reader(readings, self.confidence_level)
        ends = float(np.fmin(low, mean.low)), float(np.fmax(high, mean.high))
        return replace(
            mean, low=ends[0], high=ends[1], method="Q-mixture, prediction on the logit scale", conditions=context
        )

    def generalised(self, generalise: str) -> Readers:
        """Return the same study for others: new readers and cases ("both"), new "cases" or new "readers" alone."""
        return replace(self, generalise=scope_of(generalise))

    def plan(
        self,
        modalities: Any = None,
        *,
        difference: float | None = None,
        width: float | None = None,
        power: float = 0.8,
        readers: Any = None,
    ) -> ReaderPlan:
        """Return how many readers and cases a study like this needs, from the variances of this one.

        Parameters
        ----------
        modalities : str or pair of str, optional
            What the study is about; the only modality, or the only pair, by default.
        difference : float, optional
            Difference to show with the given `power`.
        width : float, optional
            Width of the interval to reach, instead.
        power : float
        readers : list of int, optional
            Numbers of readers to look at.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(0)
        >>> rows = {"r": np.repeat(np.arange(5), 50), "c": np.tile(np.arange(50), 5)}
        >>> rows["y"] = (rows["c"] < 20).astype(int)
        >>> rows["s"] = 1.5 * rows["y"] + rng.normal(size=50)[rows["c"]] + rng.normal(size=250)
        >>> print(uc.readers(rows, reader="r", case="c", truth="y", score="s").plan(width=.1, readers=[5, 10]))
        For a 95% interval of width 0.100 for s, plan at least 5 readers and 232 cases; or 10 readers and 198 cases.
        """
        names = self._asked(modalities)
        if (difference is None) == (width is None):
            raise ArgumentError("`plan` takes either `difference` or `width`. Hint: pass one of them.")
        if difference is not None and len(names) == 1:
            raise ArgumentError("`difference` requires two modalities. Hint: pass `width`.")
        goal = check_number(difference if width is None else width, "difference" if width is None else "width")
        if goal <= 0:
            raise ArgumentError(f"`{'difference' if width is None else 'width'}` must be above 0; got {goal:g}.")
        chance = None if difference is None else check_probability(power, "power", open_interval=True)
        numbers = _PLANNED_READERS if readers is None else check_list(readers, "readers")
        sizes = [check_whole(number, "readers", at_least=FEWEST) for number in numbers]
        own = [self.readings[name] for name in names]
        shared = int(np.logical_and.reduce([readings.totals > 0 for readings in own]).sum())
        if shared < FEWEST:
            raise ArgumentError(
                f"a plan must rest on at least {FEWEST} readers of {' and of '.join(map(short_repr, names))}; got "
                f"{shared}."
            )
        parts = levels.components(*own)
        if not parts.variance(1, 1) > 0:
            raise ArgumentError("a plan must rest on readings that vary, but all readers agree here.")
        found = tuple(self._option(parts, size, goal, chance) for size in sizes)
        return ReaderPlan(names, goal, chance, self.confidence_level, len(self.names), self.cases, found)

    def _asked(self, modalities: Any) -> tuple[str, ...]:
        if modalities is None:
            if len(self.readings) > 2:
                raise ArgumentError(f"`modalities` is required: there are {', '.join(self.modalities)}.")
            return self.modalities
        given = [modalities] if isinstance(modalities, str) else check_list(modalities, "modalities")
        if not 1 <= len(given) <= 2:
            raise ArgumentError(f"`modalities` must be one or two; got {len(given)}.")
        return tuple(self._known(each) for each in given)

    def _option(
        self, parts: levels.ReaderComponents, readers: int, goal: float, power: float | None
    ) -> tuple[int, int, float]:
        """Return the fewest cases that these readers need, by doubling and halving; 0 if none are enough."""
        low, high = 0, self.cases
        while not self._is_enough(parts, readers, high, goal, power):
            low, high = high, 2 * high
            if high > _MOST_CASES * self.cases:
                return readers, 0, math.nan
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self._is_enough(parts, readers, middle, goal, power) else (middle, high)
        return readers, high, math.sqrt(parts.variance(readers, high / self.cases))

    def _is_enough(
        self, parts: levels.ReaderComponents, readers: int, cases: int, goal: float, power: float | None
    ) -> bool:
        share = cases / self.cases
        square, shared = parts.readers + parts.own / share, parts.shared / share
        error = math.sqrt(square / readers + shared)
        freedom = (square + readers * shared) ** 2 / (square**2 / (readers - 1)) if square > 0 else 1e6
        cut = float(stdtrit(freedom, (1 + self.confidence_level) / 2))
        reach = 2 * cut if power is None else cut + float(stdtrit(freedom, power))
        return reach * error <= goal

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Differences, or the mean, in plain words; then what limits them."""
        said = [Finding("Difference of modalities.", pair.verdict, pair.sentence) for pair in self.pairs.values()]
        if not said:
            mean, new, name = self.mean, self.new_reader(), short_label(self.metric.label)
            words = f"Readers have a mean {name} of {number_text(mean.value)} {mean.interval_text}".rstrip()
            words += f", {_SCOPE_WORDS[self.generalise]}"
            words += (
                ""
                if math.isnan(new.low)
                else (f"; expect one more reader between {number_text(new.low)} and {number_text(new.high)}")
            )
            said = [Finding("Mean of readers.", "expected", f"{words}.")]
        if len(self.names) < FEWEST and self.generalise != "cases":
            ask = argument_name("generalise", "cases")
            words = f"{len(self.names)} readers say nothing about other readers. Hint: {ask} speaks of these."
            said.append(Finding("Few readers.", Verdict.CANNOT_TELL, words, {"readers": len(self.names)}))
        missing = self.missing
        if missing:
            words = f"{missing:,} readings are missing; every reading that there is counts."
            said.append(Finding("Missing readings.", "incomplete", words, {"missing": missing}))
        return tuple(said)

    @property
    def missing(self) -> int:
        """Number of readings that a full crossing of readers, cases and modalities would have besides."""
        return sum(_missing(reading) for reading in self.readings.values())

    @property
    def sentence(self) -> str:
        """The first finding."""
        return self.findings[0].sentence

    def rows(self) -> list[dict[str, Any]]:
        """One row for each modality, and one for each difference."""
        every = {name: self[name] for name in self} | {
            " - ".join(pair): reader_pair.difference for pair, reader_pair in self.pairs.items()
        }
        p = {" - ".join(pair): reader_pair.p_value for pair, reader_pair in self.pairs.items()}
        keys = ("value", "low", "high", "method")
        return [
            {"modality": name, **{key: getattr(each, key) for key in keys}, "p_value": p.get(name, math.nan)}
            for name, each in every.items()
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric.name,
            "generalise": self.generalise,
            "confidence_level": self.confidence_level,
            "readers": list(self.names),
            "cases": self.cases,
            "modalities": {
                name: {
                    "mean": self[name].as_dict(),
                    "new_reader": self.new_reader(name).as_dict(),
                    "by_reader": self.by_reader(name),
                }
                for name in self
            },
            "pairs": [pair.as_dict() for pair in self.pairs.values()],
            "missing": self.missing,
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        return "\n".join(
            [*(finding.sentence for finding in self.findings), *(f"{name}: {self[name]}" for name in self)]
        )

    def __repr__(self) -> str:
        return f"Readers: {len(self.names)} readers, {self.cases} cases; {self.sentence}"

    def _repr_html_(self) -> str:
        rows = [[_html_repr.text(row["modality"], 40), number_text(row["value"]), _ends(row)] for row in self.rows()]
        title, notes = (
            f"{len(self.names)} readers, {self.cases} cases",
            [finding.sentence for finding in self.findings[1:]],
        )
        return _html_repr.card(
            title, _html_repr.table(["", "", ""], rows, numbers=[1]), verdict=self.sentence, notes=notes
        )


def _ends(row: Mapping[str, Any]) -> str:
    return "" if math.isnan(row["low"]) else f"[{number_text(row['low'])}, {number_text(row['high'])}]"


def _missing(readings: Readings) -> int:
    """Return how many cases readers did not read: of pairs, from those that would be known."""
    sides = (1, 0) if readings.pairs else (1,)
    return sum(int((known.sum(axis=side) == 0).sum()) for known in readings.known for side in sides)
