"""Which metric to select models by: the one by which the better model wins most often, if that is sure.

A metric is recommended over the AUROC only if the better model wins more often by it beyond the error of the simulation
(divided among the metrics that were tried) and if it saves at least 5% of the cases. Of 46 metrics that merely had the
highest share in 24 settings, 9 were worse than the AUROC; of those that passed both tests, none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text, strict_json
from unconfuse.metrics import METRICS
from unconfuse.metrics._definition import ratio
from unconfuse.resolving.path import TablePopulation, quantiles
from unconfuse.resolving.winning import SAMPLES, Chance, Pair, contest, margins, pair_at
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Finding

if TYPE_CHECKING:
    from unconfuse.resolving.answers import ResolvingPower

BASE = "auroc"
_RESOLVES = "A metric resolves well if it moves much with quality and scatters little."
_WORTH = 1.05  # ratio of sample sizes from which another metric is worth while
_REDRAWS = 15  # of the user's scores, smoothed
_SURE = 2.4  # standard deviations over such redraws, beyond which a gain is not the data's accident
_QUANTILES = 20_000  # of a class that are redrawn
_ENOUGH = 1000  # samples for each of them, and for qualities besides the one asked about


@dataclass(frozen=True)
class Ranked:
    """One metric's place.

    Attributes
    ----------
    metric : str
    wins, wins_error : float
        Probability that the better of two models wins by it, and the Monte-Carlo error.
    kappa : float
        The resolution that follows from it, on the scale of the AUROC.
    efficiency, efficiency_error : float
        How many cases the AUROC needs for one of this metric, to tell models apart equally well.
    """

    metric: str
    wins: float
    wins_error: float
    kappa: float
    efficiency: float
    efficiency_error: float


@dataclass(frozen=True)
class Recommendation:
    """Which metric to select models by, and why.

    Attributes
    ----------
    metric : str
        The metric by which the better model wins most often (at the first quality); the AUROC if none is better.
    better_than_auroc : bool
        Whether it is better than the AUROC for sure.
    ranking : mapping of AUROC to tuple of Ranked
        Best first.
    not_ranked : mapping of AUROC to mapping of metric to reason
    at_other_qualities : mapping of AUROC to metric
        Which metric to take for worse and better classifiers.
    paragraph : str
    """

    metric: str
    better_than_auroc: bool
    ranking: dict[float, tuple[Ranked, ...]]
    not_ranked: dict[float, dict[str, str]]
    at_other_qualities: dict[float, str]
    paragraph: str

    @property
    def finding(self) -> Finding:
        """The choice in one sentence, with its numbers."""
        name = METRICS[self.metric].label.split(" (")[0] if self.metric in METRICS else self.metric
        why = "no other metric is known to find the better one more often"
        if self.better_than_auroc:
            why = "it finds the better one more often than the AUROC does"
        sentence = f"To choose between models like this one, judge them by {name}: {why}."
        wins = {each.metric: each.wins for each in next(iter(self.ranking.values()))}
        numbers = {each: wins[each] for each in dict.fromkeys([self.metric, BASE]) if each in wins}
        return Finding(_RESOLVES, "for choosing models", sentence, numbers)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric,
            "better_than_auroc": self.better_than_auroc,
            "paragraph": self.paragraph,
            "ranking": {f"{at:.4g}": [vars(each) for each in ranked] for at, ranked in self.ranking.items()},
            "not_ranked": {f"{at:.4g}": reasons for at, reasons in self.not_ranked.items()},
            "at_other_qualities": {f"{at:.4g}": name for at, name in self.at_other_qualities.items()},
        }

    def __repr__(self) -> str:
        return self.paragraph


@dataclass(frozen=True, eq=False)
class Verdicts:
    """What a contest at one quality says of every metric."""

    at: float
    pair: Pair
    chances: dict[str, Chance]
    doubts: dict[str, str] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[Ranked, ...]:
        """Metrics by which the better model wins most often first."""
        usable = [each for each in self.chances.values() if not each.undefined]
        return tuple(self._ranked(each) for each in sorted(usable, key=lambda each: -each.wins))

    def _ranked(self, own: Chance) -> Ranked:
        base = self.chances[BASE]
        ratio = own.efficiency(base) if not base.undefined else (math.nan, math.nan)
        ratio = (1.0, 0.0) if own.metric == BASE else ratio
        return Ranked(own.metric, own.wins, own.error, own.kappa(self.pair.apart), *ratio)

    @property
    def reasons(self) -> dict[str, str]:
        """Why metrics are not ranked."""
        return {name: each.undefined for name, each in self.chances.items() if each.undefined}

    @property
    def better(self) -> tuple[Ranked, ...]:
        """Metrics that beat the AUROC for sure, best first."""
        gains = margins(self.chances, BASE, len(self.chances) - 1)
        return tuple(
            each
            for each in self.ranked
            if each.metric != BASE
            and gains[each.metric][0] > gains[each.metric][1]
            and each.efficiency > _WORTH
            and each.metric not in self.doubts
        )

    @property
    def choice(self) -> str:
        """The metric to take."""
        return self.better[0].metric if self.better else BASE


def verdicts_at(result: ResolvingPower, at: float, *, seed: int) -> Verdicts:
    """Let the metrics of a result compete at a quality; gains that may be an accident of the data are doubted."""
    pair = pair_at(getattr(result.model, "smooth", result.model), at, result.sizes)
    samples = SAMPLES if at in result.at else _ENOUGH
    chances = contest(pair, result.contestants, result.sizes, seed=seed, n_samples=samples, paired=result.paired)
    found = Verdicts(at, pair, chances)
    if not found.better or not hasattr(result.model, "n"):  # a distribution is known, and not a sample
        return found
    return Verdicts(at, pair, chances, _doubts(result, found, seed))


def _doubts(result: ResolvingPower, found: Verdicts, seed: int) -> dict[str, str]:
    """Which gains vary so much from one redraw of the user's scores to the next that they may be none."""
    names = [each.metric for each in found.better]
    wanted = [each for each in result.contestants if each.name in {BASE, *names}]
    random, gains = np.random.default_rng([seed, 1]), []
    again_on = partial(contest, metrics=wanted, sizes=result.sizes, n_samples=_ENOUGH, paired=result.paired)
    for number in range(_REDRAWS):
        again = again_on(redrawn(found.pair, random), seed=seed + number)
        gains.append([again[name].wins - again[BASE].wins for name in names])
    gain = np.array([found.chances[name].wins - found.chances[BASE].wins for name in names])
    doubted = ~(gain > _SURE * np.std(np.array(gains), axis=0, ddof=1))
    words = "it seems to win more often, but so few cases cannot tell: redrawn, they say otherwise"
    return {name: words for name, doubt in zip(names, doubted, strict=True) if doubt}


def redrawn(pair: Pair, random: np.random.Generator) -> Pair:
    """Both models on cases drawn anew: the same quantiles of both, smoothed by Silverman's rule unless tied."""
    tables = [each.table for each in (pair.worse, pair.better) if isinstance(each, TablePopulation)]
    smooth = len(tables[0]) > 0.5 * min(tables[0].n, 4000)
    if not smooth and np.array_equal(tables[0].score, tables[1].score):
        return _redrawn_levels(tables[0], tables[1], random)
    sides: list[list[Array]] = [[], []]
    for of_class in zip(*(quantiles(each, _QUANTILES) for each in tables), strict=True):
        count = min(map(len, of_class))
        drawn, noise = random.integers(0, count, count), random.standard_normal(count)
        for side, scores in zip(sides, of_class, strict=True):
            side.append(scores[drawn] + (_bandwidth(scores) * noise if smooth else 0.0))
    worse, better = (_population(*side) for side in sides)
    return Pair(worse, better)


def _redrawn_levels(worse: ScoreTable, better: ScoreTable, random: np.random.Generator) -> Pair:
    """The same of tied scores: how often each occurs is drawn anew, and the better model differs as it did."""
    drawn = ScoreTable(worse.score, *(_redrawn_weights(each, random) for each in (worse.positives, worse.negatives)))
    ratios = (ratio(better.positives, worse.positives), ratio(better.negatives, worse.negatives))
    changed = (each * np.nan_to_num(by) for each, by in zip((drawn.positives, drawn.negatives), ratios, strict=True))
    return Pair(TablePopulation(drawn), TablePopulation(ScoreTable(worse.score, *changed)))


def _redrawn_weights(weights: Array, random: np.random.Generator) -> Array:
    total = max(round(float(weights.sum())), 1)
    return random.multinomial(total, weights / weights.sum()).astype(np.float64)


def _bandwidth(scores: Array) -> float:
    middle = float(np.subtract(*np.quantile(scores, [0.75, 0.25])))
    return float(0.9 * min(float(scores.std()), middle / 1.34) * len(scores) ** -0.2)


def _population(positives: Array, negatives: Array) -> TablePopulation:
    score = np.concatenate([positives, negatives])
    return TablePopulation(ScoreTable.of_rows(np.arange(len(score)) < len(positives), score))


def recommend(result: ResolvingPower) -> Recommendation:
    """Rank the metrics of a result at each of its qualities."""
    verdicts = [result.verdicts(at) for at in result.at]
    first = verdicts[0]
    elsewhere = _elsewhere(result) if len(result.at) == 1 else {each.at: each.choice for each in verdicts}
    words = [_sentence(result, each) for each in verdicts]
    paragraph = " ".join(
        [*words, *_notes(result, verdicts), _more(result, first), _with_quality(first.choice, elsewhere)]
    )
    ranking = {each.at: each.ranked for each in verdicts}
    reasons = {each.at: each.reasons | each.doubts for each in verdicts}
    return Recommendation(first.choice, bool(first.better), ranking, reasons, elsewhere, " ".join(paragraph.split()))


def _sentence(result: ResolvingPower, found: Verdicts) -> str:
    start = (
        f"For classifiers of AUROC {found.at:.3f} judged on {result.n:,} cases ({result.sizes.positives:,} positive)"
        f"{_same_cases(result)}, "
    )
    if found.chances[BASE].undefined:
        return f"{start}no metric can be recommended: {found.chances[BASE].undefined}."
    base = found.chances[BASE]
    apart = f"models {number_text(found.pair.apart, 3)} apart"
    if not found.better:
        rest = _rest(found)
        return (
            f"{start}no metric is better than the AUROC here: of two {apart} it finds the better one "
            f"{base.wins:.1%} of the time{rest}."
        )
    best = found.better[0]
    return (
        f"{start}{best.metric} tells models apart best: of two {apart} it finds the better one {best.wins:.1%} of the "
        f"time, the AUROC {base.wins:.1%}; the AUROC would need {best.efficiency:.2f} times the cases{_rest(found)}."
    )


def _same_cases(result: ResolvingPower) -> str:
    return "" if result.paired is None else f", both models on the same cases (correlation {result.paired:g})"


def _rest(found: Verdicts) -> str:
    worst = found.ranked[-1] if found.ranked else None
    parts = []
    if worst is not None and worst.metric not in (BASE, found.choice) and worst.efficiency < 1 / _WORTH:
        parts.append(f"{worst.metric} does worst, with {worst.wins:.1%} ({1 / worst.efficiency:.2f} times the cases)")
    if found.doubts:
        parts.append(f"of {_listed(list(found.doubts))} these data cannot tell")
    return "".join(f"; {each}" for each in parts)


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _notes(result: ResolvingPower, verdicts: Sequence[Verdicts]) -> list[str]:
    """What must be said besides: how the pair was found, and which metrics are not ranked."""
    said = [getattr(result.model, "note", ""), *(each.pair.note for each in verdicts)]
    notes = dict.fromkeys(filter(None, said))
    reasons = dict.fromkeys(reason for each in verdicts for reason in each.reasons.values())
    unranked = [f"Not ranked: {'; '.join(reasons)}."] if reasons else []
    return [f"Note that {each}." for each in notes] + unranked


def _more(result: ResolvingPower, found: Verdicts) -> str:
    taken = found.chances[found.choice]
    if taken.undefined:
        return ""
    kappa = taken.kappa(found.pair.apart)
    return (
        f"By its wins it resolves differences of {number_text(kappa, 4)} in AUROC; four times the data would halve "
        f"that to about {number_text(kappa / 2, 4)}."
    )


def _with_quality(best: str, elsewhere: dict[float, str]) -> str:
    if not elsewhere:
        return ""
    if set(elsewhere.values()) == {best}:
        ends = f"AUROCs from {min(elsewhere):.2f} to {max(elsewhere):.2f}"
        return f"The choice stays the same for {ends if len(elsewhere) > 1 else f'an AUROC of {min(elsewhere):.2f}'}."
    places = ", ".join(f"{name} at AUROC {at:.2f}" for at, name in sorted(elsewhere.items()))
    return f"The choice changes with quality: {places}."


def _elsewhere(result: ResolvingPower) -> dict[float, str]:
    """The metric to take for worse and better classifiers of the same kind."""
    at = [each for each in (result.at[0] - 0.1, result.at[0] + 0.1) if 0.52 < each < 0.98]
    found = {}
    for each in () if hasattr(result.model, "names") else at:  # a path ends with its last model
        try:
            found[each] = result.verdicts(each).choice
        except ArgumentError:  # that quality is out of reach, which is no answer to this question
            continue
    return found
