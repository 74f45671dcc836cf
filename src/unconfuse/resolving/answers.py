"""What `resolving_power` returns, and what follows in plain words: which metric to select models by."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from scipy.special import ndtr

from unconfuse import _cards
from unconfuse._doors import Drawable, Pictured
from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text
from unconfuse.metrics import name_among
from unconfuse.resolving.asymptotic import Sizes
from unconfuse.resolving.resolution import Resolution, Resolutions

Key = tuple[str, float]
_INDEPENDENT = math.sqrt(0.5)  # two independent estimates differ significantly from 0.71 kappa on
_CLOSE = 0.05  # metrics whose kappas differ by less are as good as each other


@dataclass(frozen=True, eq=False, repr=False)
class ResolvingPower(Pictured, Drawable, Resolutions[Key]):
    """The resolution of several metrics at one or more qualities.

    `rp["auroc", .75]` is one `Resolution`; with a single quality `rp["auroc"]` is enough.

    Attributes
    ----------
    at : tuple of float
        The qualities, as AUROC.
    sizes : Sizes
        Positives, negatives and design of a sample.
    method, mapping, reference, confidence_level, n_samples, seed
        How the numbers were made.
    """

    at: tuple[float, ...]
    sizes: Sizes
    model: Any
    method: str = "full"
    mapping: str = "interpolate"
    reference: str = "auroc"
    confidence_level: float = 0.95
    n_samples: int = 0
    seed: int = 0
    picture: ClassVar[str] = "plot_signal_curves"

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
        name, at = (key, None) if isinstance(key, str) else key
        name = name_among(self.metrics, name)
        if at is None and len(self.at) > 1:
            raise ArgumentError(f"this result holds several qualities; ask for one: rp[{name!r}, {self.at[0]:g}].")
        return self.resolutions[name, self.at[0] if at is None else self._known(float(at))]

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

    def tells_apart(self, first: float, second: float, *, metric: str = "auroc", at: float | None = None) -> Verdict:
        """Whether two values of a metric, seen on samples of this size, differ by more than its resolution."""
        own = self[metric, self.at[0] if at is None else at]
        if not math.isfinite(own.kappa):
            raise ArgumentError(f"{metric} has no resolution here: {own.undefined}.")
        curve, pair = self.signal_curve(metric), [first, second]
        places = pair if metric == self.reference else curve.to_reference(pair)
        distance, needed = abs(float(places[1]) - float(places[0])), own.kappa * _INDEPENDENT
        reached = "between the two" if distance > needed else "below both"
        sentence = (
            f"{metric} {number_text(first, 4)} and {number_text(second, 4)} lie {number_text(distance, 4)} apart on "
            f"the scale of {self.reference}; the resolution is {number_text(own.kappa, 4)}, and two independent "
            f"samples of {self.n:,} cases must differ by {number_text(needed, 4)} to be significant: the difference is "
            f"{'above the resolution' if distance > own.kappa else reached}. Models judged on the same cases can be "
            "told apart more finely: use `compare`."
        )
        return Verdict(distance, own.kappa, distance > own.kappa, sentence)

    def as_dict(self) -> dict[str, Any]:
        """The whole result as plain values."""
        how = ("method", "mapping", "reference", "confidence_level", "n_samples", "seed")
        return {
            "resolutions": self.rows(),
            "at": list(self.at),
            "n": self.n,
            "positives": self.sizes.positives,
            "design": self.sizes.design,
            **{name: getattr(self, name) for name in how},
            "recommendation": self.recommendation.as_dict(),
        }

    def __repr__(self) -> str:
        return (
            f"ResolvingPower: {len(self.metrics)} metrics at AUROC {', '.join(f'{each:.3g}' for each in self.at)}, "
            f"{self.sizes.positives} positives of {self.n}, {self.method} method"
        )

    def _repr_html_(self) -> str:
        ends = [end for each in self.values() for end in (each.mapped_low, each.mapped_high) if math.isfinite(end)]
        span = (min(ends), max(ends)) if ends else None
        heads = ["metric", "AUROC", "kappa", "on the AUROC scale", "power", "delta", ""]
        return _cards.card(
            repr(self),
            _cards.table(heads, [_line(each, span) for each in self.values()], numbers=[1, 2, 4, 5]),
            verdict=str(self.recommendation),
        )


def _line(each: Resolution, span: tuple[float, float] | None) -> list[str]:
    remark = each.undefined or (f"{each.clipped} limit clipped" if each.clipped else "")
    drawn = "" if each.undefined else _cards.bar(each.at, each.mapped_low, each.mapped_high, span)
    name, kappa, power = _cards.text(each.metric, 40), number_text(each.kappa, 4), f"{each.resolving_power:.3g}"
    return [name, f"{each.at:.3f}", kappa, drawn, power, number_text(each.delta), _cards.text(remark, 60)]


@dataclass(frozen=True)
class Ranked:
    """One metric's place: its resolution, and how sure it is that no other metric here resolves better."""

    metric: str
    kappa: float
    mc_error: float
    chance_best: float


@dataclass(frozen=True)
class Recommendation:
    """A ranking of metrics by resolution, and one paragraph that says what follows.

    Attributes
    ----------
    metric, confidence
        The metric that resolves best (at the first quality), and how sure that is, given the Monte-Carlo errors.
    ranking : mapping of AUROC to tuple of Ranked
        Best first.
    at_other_qualities : mapping of AUROC to metric
        Which metric would resolve best for worse and better classifiers.
    paragraph : str
    """

    metric: str
    confidence: float
    ranking: dict[float, tuple[Ranked, ...]]
    at_other_qualities: dict[float, str]
    paragraph: str

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric,
            "confidence": self.confidence,
            "paragraph": self.paragraph,
            "ranking": {f"{at:.4g}": [vars(each) for each in ranked] for at, ranked in self.ranking.items()},
            "at_other_qualities": {f"{at:.4g}": name for at, name in self.at_other_qualities.items()},
        }

    def __repr__(self) -> str:
        return self.paragraph


@dataclass(frozen=True)
class Verdict:
    """Whether two values of a metric differ by more than its resolution."""

    distance: float
    kappa: float
    resolved: bool
    sentence: str

    def __bool__(self) -> bool:
        return self.resolved

    def __str__(self) -> str:
        return self.sentence


def recommend(result: ResolvingPower) -> Recommendation:
    """Rank the metrics of a result at each of its qualities."""
    ranking = {at: _ranked(result, at) for at in result.at}
    choices = [_choice(result, at, ranked) for at, ranked in ranking.items() if ranked]
    if not choices:
        raise ArgumentError("none of these metrics has a resolution here: their signal curves cannot be inverted.")
    best = next(ranked for ranked in ranking.values() if ranked)[0]
    elsewhere = _elsewhere(result) if len(result.at) == 1 else _firsts(ranking)
    few = " but for the fewest positives" if result.sizes.positives < 200 else ""
    more = (
        f"Four times the data would halve that to about {number_text(best.kappa / 2, 4)}, with the metrics "
        f"mostly in this order{few}."
    )
    paragraph = " ".join([*choices, more, _with_quality(best.metric, elsewhere)]).strip()
    return Recommendation(best.metric, best.chance_best, ranking, elsewhere, paragraph)


def _ranked(result: ResolvingPower, at: float) -> tuple[Ranked, ...]:
    found = [result[name, at] for name in result.metrics]
    usable = sorted((each for each in found if math.isfinite(each.kappa)), key=lambda each: each.kappa)
    return tuple(Ranked(each.metric, each.kappa, each.mc_error, _chance_best(each, usable)) for each in usable)


def _firsts(ranking: dict[float, tuple[Ranked, ...]]) -> dict[float, str]:
    """The best metric at each quality."""
    return {at: ranked[0].metric for at, ranked in ranking.items() if ranked}


def _chance_best(own: Resolution, all_of_them: list[Resolution]) -> float:
    chance = 1.0
    for other in all_of_them:
        if other.metric != own.metric:
            error = math.hypot(own.mc_error, other.mc_error)
            chance *= float(ndtr((other.kappa - own.kappa) / error)) if error else float(other.kappa >= own.kappa)
    return chance


def _choice(result: ResolvingPower, at: float, ranked: tuple[Ranked, ...]) -> str:
    best = ranked[0]
    text = (
        f"For classifiers of AUROC {at:.3f} judged on {result.n:,} cases ({result.sizes.positives:,} positive), "
        f"{best.metric} tells models apart best: it resolves differences of {number_text(best.kappa, 4)} "
        f"on the scale of {result.reference}"
    )
    close = [each.metric for each in ranked[1:] if each.kappa < best.kappa * (1 + _CLOSE)]
    if close:
        listed = f"{', '.join(close[:-1])} and {close[-1]} are" if close[1:] else f"{close[0]} is"
        text += f"; {listed} as good to within 5%"
    if ranked[1 + len(close) :]:
        worst, times = ranked[-1], ranked[-1].kappa / best.kappa
        text += f"; {worst.metric} does worst, with {number_text(worst.kappa, 4)} ({times:.2g} times as coarse)"
    if best.chance_best < 0.99 and not close:
        text += f" (certain to {best.chance_best:.0%}, given the simulation)"
    return text + "."


def _with_quality(best: str, elsewhere: dict[float, str]) -> str:
    if not elsewhere:
        return ""
    if set(elsewhere.values()) == {best}:
        return f"The choice stays the same for AUROCs from {min(elsewhere):.2f} to {max(elsewhere):.2f}."
    places = ", ".join(f"{name} at AUROC {at:.2f}" for at, name in sorted(elsewhere.items()))
    return f"It changes with quality: {places}."


def _elsewhere(result: ResolvingPower) -> dict[float, str]:
    """The best metric for worse and better classifiers, from theory."""
    from unconfuse.resolving.power import resolving_power

    at = [each for each in (result.at[0] - 0.1, result.at[0] + 0.1) if 0.52 < each < 0.98]
    if not at or not hasattr(result.model, "shift_for"):
        return {}
    sizes: dict[str, Any] = {"n": result.n, "prevalence": result.prevalence, "design": result.sizes.design}
    other = resolving_power(result.model, result.metrics, at=at, method="asymptotic", **sizes)
    return _firsts({each: _ranked(other, each) for each in at})
