"""Which metric to select models by: the one by which the better model wins most often, if that is known.

A metric is recommended over the AUROC only if it saves at least 5% of the cases and its interval, over redraws of the
user's cases and the error of the simulation, excludes that it saves none. That none is better is said only if every
interval excludes a saving of 5%; anything else is left open.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._plain import number_text, strict_json
from unconfuse.metrics import METRICS
from unconfuse.resolving.improvements import IMPROVEMENTS, INSTEAD
from unconfuse.resolving.path import Path
from unconfuse.resolving.redraws import BASE, WORTH, Gain, gains
from unconfuse.resolving.winning import SAMPLES, Chance, Pair, contest, pair_at
from unconfuse.uncertainty.estimate import Finding

if TYPE_CHECKING:
    from unconfuse.resolving.answers import ResolvingPower

_RESOLVES = "A metric resolves well if it moves much with quality and scatters little."
BETTER, NONE, CANNOT_TELL = "better", "no metric is known to be better", "cannot tell"
_ENOUGH = 1000  # samples for qualities besides the one asked about
_INDEPENDENT = math.sqrt(0.5)  # two independent estimates differ significantly from 0.71 kappa on


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
        How many cases the AUROC needs for one of this metric, to tell models apart equally well; and the error of
        the simulation.
    efficiency_low, efficiency_high : float
        The 95% interval of that; on the user's data it holds what other cases might have said.
    """

    metric: str
    wins: float
    wins_error: float
    kappa: float
    efficiency: float
    efficiency_error: float
    efficiency_low: float = math.nan
    efficiency_high: float = math.nan


@dataclass(frozen=True)
class Recommendation:
    """Which metric to select models by, and why.

    Attributes
    ----------
    metric : str
        The metric by which the better model wins most often (at the first quality), if it is known to be better than
        the AUROC; else the AUROC.
    outcome : {"better", "no metric is known to be better", "cannot tell"}
        Whether a metric is known to be better than the AUROC; whether all are known not to save 5% of the cases; or
        neither.
    condition : str
        For which models and cases it holds.
    ranking : mapping of AUROC to tuple of Ranked
        Best first.
    not_ranked : mapping of AUROC to mapping of metric to reason
    at_other_qualities : mapping of AUROC to metric
        Which metric to take for worse and better classifiers.
    paragraph : str
    """

    metric: str
    outcome: str
    condition: str
    ranking: dict[float, tuple[Ranked, ...]]
    not_ranked: dict[float, dict[str, str]]
    at_other_qualities: dict[float, str]
    paragraph: str

    @property
    def better_than_auroc(self) -> bool:
        """Whether the metric is known to be better than the AUROC."""
        return self.outcome == BETTER

    @property
    def finding(self) -> Finding:
        """The choice in one sentence, with its numbers."""
        name = METRICS[self.metric].label.split(" (")[0] if self.metric in METRICS else self.metric
        why = {
            BETTER: "it finds the better one more often than the AUROC does",
            NONE: "no other metric is known to find the better one more often",
            CANNOT_TELL: "it cannot be told yet whether another metric finds the better one more often",
        }[self.outcome]
        sentence = f"{self.condition}, compare models by {name}: {why}."
        wins = {each.metric: each.wins for each in next(iter(self.ranking.values()))}
        numbers = {each: wins[each] for each in dict.fromkeys([self.metric, BASE]) if each in wins}
        return Finding(_RESOLVES, "for choosing models", sentence, numbers)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric,
            "better_than_auroc": self.better_than_auroc,
            "outcome": self.outcome,
            "condition": self.condition,
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
    gains: dict[str, Gain] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[Ranked, ...]:
        """Metrics by which the better model wins most often first."""
        usable = [each for each in self.chances.values() if not each.undefined]
        return tuple(self._ranked(each) for each in sorted(usable, key=lambda each: -each.wins))

    def _ranked(self, own: Chance) -> Ranked:
        base, gain = self.chances[BASE], self.gains.get(own.metric)
        numbers = own.metric, own.wins, own.error, own.kappa(self.pair.apart)
        if own.metric == BASE:
            return Ranked(*numbers, 1.0, 0.0, 1.0, 1.0)
        if base.undefined:
            return Ranked(*numbers, math.nan, math.nan)
        ends = (math.nan, math.nan) if gain is None else gain.efficiencies[1:]
        return Ranked(*numbers, *own.efficiency(base), *ends)

    @property
    def reasons(self) -> dict[str, str]:
        """Why metrics are not ranked."""
        return {name: each.undefined for name, each in self.chances.items() if each.undefined}

    @property
    def doubts(self) -> dict[str, str]:
        """Metrics that seem to be better, where other cases might say otherwise."""
        words = "it seems to find the better model more often, but these cases are too few to tell"
        doubted = [name for name, each in self.gains.items() if each.log_efficiency > WORTH and not each.is_better]
        return dict.fromkeys(doubted, words)

    @property
    def better(self) -> tuple[Ranked, ...]:
        """Metrics that are known to beat the AUROC, best first."""
        return tuple(each for each in self.ranked if each.metric in self.gains and self.gains[each.metric].is_better)

    @property
    def outcome(self) -> str:
        """Whether a metric is better than the AUROC, none is known to be, or that cannot be told."""
        if self.better:
            return BETTER
        rivals = [name for name, each in self.chances.items() if name != BASE and not each.undefined]
        known = all(name in self.gains and self.gains[name].is_ruled_out for name in rivals)
        return NONE if known and not self.chances[BASE].undefined else CANNOT_TELL

    @property
    def choice(self) -> str:
        """The metric to take."""
        return self.better[0].metric if self.better else BASE


def verdicts_at(result: ResolvingPower, at: float, *, seed: int) -> Verdicts:
    """Let the metrics of a result compete at a quality, and say how sure their gains are."""
    pair = pair_at(getattr(result.model, "smooth", result.model), at, result.sizes)
    samples = SAMPLES if at in result.at else _ENOUGH
    chances = contest(pair, result.contestants, result.sizes, seed=seed, n_samples=samples, paired=result.paired)
    return Verdicts(at, pair, chances, gains(result, at, pair, chances, seed))


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
    outcome = first.choice, first.outcome, _condition(result, first)
    return Recommendation(*outcome, ranking, reasons, elsewhere, " ".join(paragraph.split()))


def _condition(result: ResolvingPower, found: Verdicts) -> str:
    """For which kind of improvement, how many cases, and models on the same cases or on others."""
    how = "tilt" if found.pair.note == INSTEAD else result.improvement
    on_path = isinstance(result.model, Path)
    better = "later models of this path are better" if on_path else f"a better model {IMPROVEMENTS[how]}"
    near, positives = f"models near AUROC {found.at:.3f}", f"{result.sizes.positives:,} positive"
    if result.paired is None:
        return f"If {better}, and each of two {near} is evaluated on {result.n:,} cases of its own ({positives})"
    correlated = f"{positives}, scores correlated {result.paired:g}"
    return f"If {better}, and two {near} are evaluated on the same {result.n:,} cases ({correlated})"


def _sentence(result: ResolvingPower, found: Verdicts) -> str:
    start, base = _condition(result, found), found.chances[BASE]
    two = f"the better one {{:.1%}} of the time where they are {number_text(found.pair.apart, 3)} apart in AUROC"
    if found.better:
        best = found.better[0]
        needs = "" if base.undefined else f"; {_needs(found, best.metric)}"
        found_by = f"{best.metric} finds {two.format(best.wins)}, the AUROC {base.wins:.1%} of the time"
        return f"{start}, {found_by}{needs}{_rest(found)}."
    if base.undefined:
        return f"{start}, no metric can be recommended: {base.undefined}."
    auroc = f"the AUROC, which finds {two.format(base.wins)}"
    if found.outcome == NONE:
        return f"{start}, no metric is known to be better than {auroc}{_closest(found)}{_rest(found)}."
    told = "these data cannot tell" if hasattr(result.model, "n") else "this simulation cannot tell"
    return f"{start}, {told} whether another metric is better than {auroc}{_closest(found)}{_rest(found)}."


def _needs(found: Verdicts, name: str) -> str:
    """How many cases the AUROC needs beside another metric, with the interval."""
    value, low, high = found.gains[name].efficiencies
    ends = f"95% interval {number_text(low, 2)} to {number_text(high, 2)}" if math.isfinite(high) else "no upper limit"
    return f"the AUROC needs {number_text(value, 2)} times as many cases as {name} ({ends})"


def _closest(found: Verdicts) -> str:
    """The metric that may gain most: what is said of the AUROC rests on its interval."""
    if not found.gains:
        return ""
    return f"; {_needs(found, max(found.gains, key=lambda name: found.gains[name].high))}"


def _rest(found: Verdicts) -> str:
    worst = found.ranked[-1] if found.ranked else None
    parts = []
    if worst is not None and worst.metric not in (BASE, found.choice) and worst.efficiency < math.exp(-WORTH):
        parts.append(f"{worst.metric} finds it least often, {worst.wins:.1%}")
    if found.doubts:
        parts.append(f"{_listed(list(found.doubts))} may be better, which these data cannot tell")
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
    if found.chances[BASE].undefined:
        return ""
    kappa = taken.kappa(found.pair.apart)
    width = f"So many wins mean a 95% interval {number_text(kappa, 4)} wide on the scale of the AUROC (kappa)"
    if result.paired is not None:
        return f"{width}; four times as many cases would halve it."
    least = number_text(_INDEPENDENT * kappa, 4)
    return (
        f"{width}, and two models on different cases differ significantly from {least} on; four times as many cases "
        "would halve both."
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
    for each in () if isinstance(result.model, Path) else at:  # a path ends with its last model
        try:
            found[each] = result.verdicts(each).choice
        except ArgumentError:  # that quality is out of reach, which is no answer to this question
            continue
    return found
