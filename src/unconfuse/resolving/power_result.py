"""What `resolving_power` returns, and what follows in plain words: which metric to select models by."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from unconfuse import _html_repr
from unconfuse._deprecated import renamed
from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, strict_json, with_numbers
from unconfuse._render_mixins import PlotMixin, ReportMixin
from unconfuse._validate import check_list, check_number, check_probability, check_text, public_api
from unconfuse.metrics import METRICS, Metric, name_among
from unconfuse.metrics.influence_functions import quantile
from unconfuse.resolving.asymptotic import ClassSizes
from unconfuse.resolving.caveats import caution
from unconfuse.resolving.improvements import improved
from unconfuse.resolving.recommending import ContestResult, Recommendation, recommend, verdicts_at
from unconfuse.resolving.redraws import BASE
from unconfuse.resolving.resolution import Resolution, Resolutions
from unconfuse.resolving.win_probability import SAMPLES, contest, pair_of
from unconfuse.table.sample import positives_of
from unconfuse.uncertainty.estimate import Estimate, Finding

Key = tuple[str, float]
_INDEPENDENT = math.sqrt(0.5)  # two independent estimates differ significantly from 0.71 kappa on
_SAME_QUALITY = 1e-3


@public_api
@dataclass(frozen=True, eq=False, repr=False)
class ResolvingPower(PlotMixin, ReportMixin, Resolutions[Key]):
    """The resolution of several metrics at one or more qualities.

    `rp["auroc", .75]` is one `Resolution`; with a single quality `rp["auroc"]` is enough.

    Attributes
    ----------
    at : tuple of float
        The qualities, as AUROC.
    sizes : ClassSizes
        Positives, negatives and design of a sample.
    measured : tuple of Metric
        The metrics themselves.
    improvement, improvement_given
        The kind of improvement that numbers are of, and whether it was named; if not, `recommendation` asks all four.
    method, mapping, reference, confidence_level, n_samples, seed, paired
        How the numbers were made.
    """

    at: tuple[float, ...]
    sizes: ClassSizes
    model: Any
    method: str = "full"
    mapping: str = "interpolate"
    reference: str = "auroc"
    confidence_level: float = 0.95
    n_samples: int = 0
    seed: int = 0
    improvement: str = "shift"
    paired: float | None = None
    improvement_given: bool = False
    measured: tuple[Metric, ...] = ()
    _verdicts: dict[float, ContestResult] = field(default_factory=dict)
    _by_kind: dict[str, ResolvingPower] = field(default_factory=dict)
    picture: ClassVar[str] = "plot_signal_curves"

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be found again: verdicts hold curves, which are functions and cannot be pickled."""
        return {**vars(self), "_verdicts": {}, "_by_kind": {}}

    @property
    def contestants(self) -> tuple[Metric, ...]:
        """The metrics, and the AUROC with which they are compared."""
        metrics = [metric for metric in self.measured if metric.name != BASE]
        return (METRICS[BASE], *metrics)

    def verdicts(self, at: float) -> ContestResult:
        """How often the better of two models close to a quality wins, by each metric."""
        at = check_number(at, "at")
        if at not in self._verdicts:
            self._verdicts[at] = verdicts_at(self, at, seed=self.seed + 1)
        return self._verdicts[at]

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(dict.fromkeys(name for name, _ in self.resolutions))

    @property
    def n(self) -> int:
        """Size of a sample."""
        return self.sizes.n

    @property
    def prevalence(self) -> float:
        """Share of positives in a sample."""
        return self.sizes.prevalence

    def __getitem__(self, key: str | tuple[str, float]) -> Resolution:
        name, at = key if isinstance(key, tuple) and len(key) == 2 else (check_text(key, "metric"), None)
        name = name_among(self.metrics, name)
        if at is None and len(self.at) > 1:
            raise ArgumentError(f"this result holds several qualities; ask for one: rp[{name!r}, {self.at[0]:g}].")
        return self.resolutions[name, self.at[0] if at is None else self._known(check_number(at, "at"))]

    def _known(self, at: float) -> float:
        closest = min(self.at, key=lambda each: abs(each - at))
        if abs(closest - at) > 5e-4:
            held = ", ".join(f"{each:.4g}" for each in self.at)
            raise ArgumentError(f"no quality {at:g} in this result; it holds {held}.")
        return closest

    @cached_property
    def recommendation(self) -> Recommendation:
        """Which metric to select models by, how sure that is, and how it changes with the data."""
        return recommend(self)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Which metric to choose models by, in a sentence, as an evaluation says what it found."""
        return (self.recommendation.finding,)

    def win_probabilities(self, metric: str = BASE, *, better: float, worse: float) -> Estimate:
        """Probability that a metric ranks two models rightly, each judged on a test set of this size.

        Parameters
        ----------
        metric : str
        better, worse : float
            AUROCs of the two models.

        Examples
        --------
        >>> import unconfuse as uc
        >>> rp = uc.resolving_power(uc.Binormal(), ["auroc"], n=500, prevalence=.1, quality=.75, method="asymptotic")
        >>> 0.85 < rp.win_probabilities("auroc", better=.78, worse=.72).value < 0.92
        True
        """
        high, low = (
            check_probability(each, name, open_interval=True) for each, name in ((better, "better"), (worse, "worse"))
        )
        if high <= low:
            raise ArgumentError(f"`better` must be above `worse`; got {high:g} and {low:g}.")
        own = next(
            contestant
            for contestant in self.contestants
            if contestant.name == name_among([*self.metrics, BASE], metric)
        )
        pair = pair_of(getattr(self.model, "smooth", self.model), (low + high) / 2, low, high)
        samples = max(SAMPLES, self.n_samples)
        win_probability = contest(pair, [own], self.sizes, seed=self.seed, n_samples=samples, paired=self.paired)[
            own.name
        ]
        half = quantile(self.confidence_level) * win_probability.error
        same = "the same cases" if self.paired is not None else "a test set of its own for each"
        return Estimate(
            own.name,
            f"P(the better model wins) by {own.label}",
            win_probability.wins,
            max(win_probability.wins - half, 0.0),
            min(win_probability.wins + half, 1.0),
            self.confidence_level,
            "simulation",
            None if math.isfinite(win_probability.wins) else win_probability.undefined,
            baseline=0.5,
            conditions=f"{self.n:,} cases, {same}, {samples:,} samples" + (f"; {pair.note}" if pair.note else ""),
            standard_error=win_probability.error,
        )

    def is_resolved(
        self, first: float, second: float, *, metric: str = BASE, at: float | None = None
    ) -> ResolutionVerdict:
        """Whether two values of a metric, seen on samples of this size, differ by more than its resolution.

        The resolution is that of models as good as these two on average, unless `at` names another quality.
        """
        name = name_among(self.metrics, metric)
        first, second = check_number(first, "first"), check_number(second, "second")
        curve, pair = self.signal_curve(name), [first, second]
        places = pair if name == self.reference else curve.to_reference(pair).tolist()
        resolution = self._resolution_near(name, self._between(places) if at is None else check_number(at, "at"))
        if not math.isfinite(resolution.kappa):
            raise ArgumentError(f"{name} has no resolution here: {resolution.undefined}.")
        distance, needed = abs(float(places[1]) - float(places[0])), resolution.kappa * _INDEPENDENT
        reached = "between the two" if distance > needed else "below both"
        sentence = (
            f"{name} {number_text(first, 4)} and {number_text(second, 4)} lie {number_text(distance, 4)} apart on "
            f"the scale of {self.reference}; the resolution at AUROC {resolution.at:.3f} is "
            f"{number_text(resolution.kappa, 4)}, and two independent samples of {self.n:,} cases must differ by "
            f"{number_text(needed, 4)} to be significant: the difference is "
            f"{'above the resolution' if distance > resolution.kappa else reached}. Models evaluated on "
            "the same cases need a smaller difference: use `compare`."
        )
        return ResolutionVerdict(distance, resolution.kappa, distance > resolution.kappa, sentence)

    def _between(self, places: list[float]) -> float:
        """Return the AUROC half way between two models."""
        middle = (places[0] + places[1]) / 2
        if self.reference == BASE:
            return middle
        return float(self.curves[BASE].to_reference([middle])[0]) if BASE in self.curves else self.at[0]

    def _resolution_near(self, name: str, at: float) -> Resolution:
        """Return the resolution at a quality, found anew if this result does not hold it."""
        from unconfuse.resolving._resolving_power import resolving_power

        held = min(self.at, key=lambda each: abs(each - at))
        if abs(held - at) <= _SAME_QUALITY or not 0.5 < at < 1:
            return self[name, held]
        how = {key: getattr(self, key) for key in ("n", "prevalence", "method", "mapping", "confidence_level")}
        if self.method != "asymptotic":
            how["n_samples"] = self.n_samples
        metric = next(each for each in self.measured if each.name == name)
        return resolving_power(self.model, [metric], quality=at, design=self.sizes.design, rng=self.seed, **how)[name]

    def caveat(self, metric: str, at: float | None = None) -> str:
        """Why the mapped kappa of a metric is not to be compared with others', or nothing."""
        resolution = self[metric, self.at[0] if at is None else at]
        return caution(self, resolution)

    def by_improvement(
        self, ways: Iterable[str] = ("shift", "scale", "top", "tilt")
    ) -> dict[str, Recommendation | str]:
        """Return the recommendation for each way in which a classifier may get better, or why there is none."""
        found: dict[str, Recommendation | str] = {}
        for how in [check_text(each, "a way") for each in check_list(ways, "ways")]:
            try:
                found[how] = self.improved_by(how).recommendation
            except ArgumentError as error:
                found[how] = str(error)
        return found

    def improved_by(self, how: str) -> ResolvingPower:
        """Ask the same question for models that get better in one way, which decides alone."""
        if how not in self._by_kind:
            self._by_kind[how] = self._asked_of(how)
        return self._by_kind[how]

    def _asked_of(self, how: str) -> ResolvingPower:
        own: dict[str, Any] = {"improvement_given": True, "_by_kind": {}}
        if how == self.improvement:  # what was found once is kept
            return replace(self, **own)
        model = getattr(self.model, "model", self.model)  # as it was before it was improved in another way
        model = improved(model, how, self.at[0])
        return replace(self, model=model, improvement=how, at=self.at[:1], _verdicts={}, **own)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric and quality, with the probability that the better model wins."""
        return [with_numbers(resolution) | self._wins_of(resolution) for resolution in self.values()]

    def _wins_of(self, own: Resolution) -> dict[str, Any]:
        contest_result = self.verdicts(own.at)
        place = next(
            (ranked_metric for ranked_metric in contest_result.ranked if ranked_metric.metric == own.metric), None
        )
        reason = contest_result.reasons.get(own.metric) or contest_result.doubts.get(own.metric, "")
        names = ("wins", "wins_error", "kappa_w", "efficiency", "efficiency_error", "efficiency_low", "efficiency_high")
        numbers = (math.nan,) * len(names) if place is None else tuple(vars(place).values())[1:]
        return dict(zip(names, numbers, strict=True)) | {"not_ranked": reason, "caution": caution(self, own)}

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole result as plain values."""
        how = ["method", "mapping", "reference", "confidence_level", "n_samples", "seed", "improvement", "paired"]
        return {
            "resolutions": self.rows(),
            "at": list(self.at),
            "n": self.n,
            "positives": self.sizes.positives,
            "design": self.sizes.design,
            **{name: getattr(self, name) for name in how},
            "recommendation": self.recommendation.as_dict(),
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __repr__(self) -> str:
        return (
            f"ResolvingPower: {len(self.metrics)} metrics at AUROC {', '.join(f'{each:.3g}' for each in self.at)}, "
            f"{positives_of(self.sizes.positives, self.n)}, {self.method} method"
        )

    def _repr_html_(self) -> str:
        ends = [
            end
            for resolution in self.values()
            for end in (resolution.mapped_low, resolution.mapped_high)
            if math.isfinite(end)
        ]
        span = (min(ends), max(ends)) if ends else None
        heads = ["metric", "AUROC", "kappa", "on the AUROC scale", "1/kappa", "delta", ""]
        return _html_repr.card(
            repr(self),
            _html_repr.table(heads, [_line(resolution, span) for resolution in self.values()], numbers=[1, 2, 4, 5]),
            verdict=str(self.recommendation),
        )

    tells_apart = renamed("is_resolved")
    wins = renamed("win_probabilities", permanent=True)
    caution = renamed("caveat")


def _line(each: Resolution, span: tuple[float, float] | None) -> list[str]:
    remark = each.undefined or (f"{each.clipped} limit clipped" if each.clipped else "")
    drawn = "" if each.undefined else _html_repr.bar(each.at, each.mapped_low, each.mapped_high, span)
    name, kappa, power = _html_repr.text(each.metric, 40), number_text(each.kappa, 4), f"{each.resolving_power:.3g}"
    return [name, f"{each.at:.3f}", kappa, drawn, power, number_text(each.delta), _html_repr.text(remark, 60)]


@dataclass(frozen=True)
class ResolutionVerdict:
    """Whether two values of a metric differ by more than its resolution."""

    distance: float
    kappa: float
    resolved: bool
    sentence: str

    def __bool__(self) -> bool:
        return self.resolved

    def __str__(self) -> str:
        return self.sentence
