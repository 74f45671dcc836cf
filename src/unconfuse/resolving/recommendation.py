"""Which metric to select models by, in plain words; and whether a difference that was seen is above the resolution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtr

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text
from unconfuse.resolving.answers import Resolution, ResolvingPower

_INDEPENDENT = math.sqrt(0.5)  # two independent estimates differ significantly from 0.71 kappa on
_CLOSE = 0.05  # metrics whose kappas differ by less are as good as each other


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
    metric : str
        The metric that resolves best (at the first quality).
    confidence : float
        How sure that is, given the Monte-Carlo errors.
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
    ranking = {at: _ranked([result[name, at] for name in result.metrics]) for at in result.at}
    if not any(ranking.values()):
        raise ArgumentError("none of these metrics has a resolution here: their signal curves cannot be inverted.")
    first = next(ranked for ranked in ranking.values() if ranked)
    elsewhere = _elsewhere(result) if len(result.at) == 1 else _firsts(ranking)
    choices = [_choice(result, at, ranked) for at, ranked in ranking.items() if ranked]
    more = _with_n(result, first[0]), _with_quality(first[0], elsewhere)
    paragraph = " ".join([*choices, *more]).strip()
    return Recommendation(first[0].metric, first[0].chance_best, ranking, elsewhere, paragraph)


def _firsts(ranking: dict[float, tuple[Ranked, ...]]) -> dict[float, str]:
    """The best metric at each quality."""
    return {at: ranked[0].metric for at, ranked in ranking.items() if ranked}


def _ranked(resolutions: list[Resolution]) -> tuple[Ranked, ...]:
    usable = sorted((each for each in resolutions if math.isfinite(each.kappa)), key=lambda each: each.kappa)
    return tuple(Ranked(each.metric, each.kappa, each.mc_error, _chance_best(each, usable)) for each in usable)


def _chance_best(own: Resolution, all_of_them: list[Resolution]) -> float:
    chance = 1.0
    for other in all_of_them:
        if other.metric != own.metric:
            error = math.hypot(own.mc_error, other.mc_error)
            chance *= float(ndtr((other.kappa - own.kappa) / error)) if error else float(other.kappa >= own.kappa)
    return chance


def _choice(result: ResolvingPower, at: float, ranked: tuple[Ranked, ...]) -> str:
    best = ranked[0]
    where = f"For classifiers of AUROC {at:.3f} judged on {result.n:,} cases ({result.sizes.positives:,} positive)"
    text = (
        f"{where}, {best.metric} tells models apart best: it resolves differences of {number_text(best.kappa, 4)} "
        f"on the scale of {result.reference}"
    )
    close = [each.metric for each in ranked[1:] if each.kappa < best.kappa * (1 + _CLOSE)]
    rest = ranked[1 + len(close) :]
    if close:
        listed = f"{', '.join(close[:-1])} and {close[-1]} are" if close[1:] else f"{close[0]} is"
        text += f"; {listed} as good to within 5%"
    if rest:
        worst, times = rest[-1], rest[-1].kappa / best.kappa
        text += f"; {worst.metric} does worst, with {number_text(worst.kappa, 4)} ({times:.2g} times as coarse)"
    if best.chance_best < 0.99 and not close:
        text += f" (certain to {best.chance_best:.0%}, given the simulation)"
    return text + "."


def _with_n(result: ResolvingPower, best: Ranked) -> str:
    return (
        f"Four times the data would halve that to about {number_text(best.kappa / 2, 4)}, with the metrics "
        f"mostly in this order{' but for the fewest positives' if result.sizes.positives < 200 else ''}."
    )


def _with_quality(best: Ranked, elsewhere: dict[float, str]) -> str:
    if not elsewhere:
        return ""
    if set(elsewhere.values()) == {best.metric}:
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
    return _firsts({each: _ranked([other[name, each] for name in result.metrics]) for each in at})


def tells_apart(result: ResolvingPower, first: float, second: float, metric: str, at: float) -> Verdict:
    """Map both values to the reference scale and compare their distance with kappa."""
    own = result[metric, at]
    if not math.isfinite(own.kappa):
        raise ArgumentError(f"{metric} has no resolution here: {own.undefined}.")
    curve, pair = result.signal_curve(metric), [first, second]
    places = pair if metric == result.reference else curve.to_reference(pair)
    distance = abs(float(places[1]) - float(places[0]))
    needed = own.kappa * _INDEPENDENT
    says = "above the resolution" if distance > own.kappa else "between the two" if distance > needed else "below both"
    sentence = (
        f"{metric} {number_text(first, 4)} and {number_text(second, 4)} lie {number_text(distance, 4)} apart on the "
        f"scale of {result.reference}; the resolution is {number_text(own.kappa, 4)}, and two independent samples of "
        f"{result.n:,} cases must differ by {number_text(needed, 4)} to be significant: the difference is "
        f"{says}. Models judged on the same cases can be told apart "
        "more finely: use `compare`."
    )
    return Verdict(distance, own.kappa, distance > own.kappa, sentence)
