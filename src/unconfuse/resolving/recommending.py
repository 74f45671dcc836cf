"""Which metric to select models by: the one by which the better model wins most often, if that is known.

A metric is recommended over the AUROC only if it saves at least 5% of the cases and its interval, over redraws of the
user's cases and the error of the simulation, excludes that it saves none. That none is better is said only if every
interval excludes a saving of 5%; anything else is left open. Unless the user says how models get better, four ways are
asked, and where one metric does not serve them all, the answer is that it depends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text, share_words, strict_json
from unconfuse._phrases import listed
from unconfuse.metrics import METRICS
from unconfuse.resolving.improvement_kinds import (
    BETTER,
    CANNOT_TELL,
    DEPENDS,
    NONE,
    KindAnswer,
    Together,
    agreement,
    answers_by_kind,
    listed_by_kind,
    needs,
    together,
)
from unconfuse.resolving.improvements import IMPROVEMENTS
from unconfuse.resolving.model_sequence import ModelSequence
from unconfuse.resolving.redraws import BASE, WORTH, Gain, gains
from unconfuse.resolving.win_probability import SAMPLES, PopulationPair, WinProbability, contest, pair_at
from unconfuse.uncertainty.estimate import Finding

if TYPE_CHECKING:
    from unconfuse.resolving.power_result import ResolvingPower

_RESOLVES = "A metric resolves well if it moves much with quality and scatters little."
_ENOUGH = 1000  # samples for qualities besides the one asked about
_INDEPENDENT = math.sqrt(0.5)  # two independent estimates differ significantly from 0.71 kappa on


@dataclass(frozen=True)
class RankedMetric:
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
        the AUROC under `condition`; else the AUROC.
    outcome : {"better", "none is known to be better", "depends on how the next model is better", "cannot tell"}
        Whether a metric is known to be better than the AUROC; whether all are known not to save 5% of the cases;
        whether that differs between the four kinds of improvement (if none was named); or none of these.
    condition : str
        For which improvement, models and cases `metric`, `ranking` and `at_other_qualities` hold.
    ranking : mapping of AUROC to tuple of Ranked
        Best first.
    not_ranked : mapping of AUROC to mapping of metric to reason
    at_other_qualities : mapping of AUROC to metric
        Which metric to take for worse and better classifiers.
    paragraph : str
    kinds : tuple of KindAnswer
        The answer for each kind of improvement; empty if one was named, or for a path of models.
    safest : str or None
        The metric that loses least in its worst kind of improvement, for those who cannot say which it will be.
    question : str
        Which models and cases all kinds are about.
    """

    metric: str
    outcome: str
    condition: str
    ranking: dict[float, tuple[RankedMetric, ...]]
    not_ranked: dict[float, dict[str, str]]
    at_other_qualities: dict[float, str]
    paragraph: str
    kinds: tuple[KindAnswer, ...] = ()
    safest: str | None = None
    question: str = ""

    @property
    def better_than_auroc(self) -> bool:
        """Whether the metric is known to be better than the AUROC, under the condition."""
        return self.metric != BASE

    @property
    def finding(self) -> Finding:
        """The choice in one sentence, with its numbers."""
        wins = {ranked_metric.metric: ranked_metric.wins for ranked_metric in next(iter(self.ranking.values()))}
        numbers = {each: wins[each] for each in dict.fromkeys([self.metric, BASE]) if each in wins}
        if self.outcome == DEPENDS:
            each_kind = "; ".join(f"if it {kind.words}, {kind.brief}" for kind in self.kinds)
            sentence = f"{self.question} {DEPENDS}: {each_kind}."
            return Finding(_RESOLVES, "for choosing models", sentence, numbers)
        name = METRICS[self.metric].label.split(" (")[0] if self.metric in METRICS else self.metric
        why = {
            BETTER: "it finds the better one more often than the AUROC does",
            NONE: "none is known to find the better one more often",
            CANNOT_TELL: "it cannot be told yet whether another metric finds the better one more often",
        }[self.outcome]
        sentence = f"{self.condition}, compare models by {name}: {why}."
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
            "ranking": {
                f"{at:.4g}": [vars(ranked_metric) for ranked_metric in ranked] for at, ranked in self.ranking.items()
            },
            "not_ranked": {f"{at:.4g}": reasons for at, reasons in self.not_ranked.items()},
            "at_other_qualities": {f"{at:.4g}": name for at, name in self.at_other_qualities.items()},
            "kinds": [kind.as_dict() for kind in self.kinds],
            "safest": self.safest,
        }

    def __repr__(self) -> str:
        return self.paragraph


@dataclass(frozen=True, eq=False)
class ContestResult:
    """What a contest at one quality says of every metric."""

    at: float
    pair: PopulationPair
    chances: dict[str, WinProbability]
    gains: dict[str, Gain] = field(default_factory=dict)

    @property
    def ranked(self) -> tuple[RankedMetric, ...]:
        """Metrics by which the better model wins most often first."""
        usable = [chance for chance in self.chances.values() if not chance.undefined]
        return tuple(self._ranked(win_probability) for win_probability in sorted(usable, key=lambda each: -each.wins))

    def _ranked(self, own: WinProbability) -> RankedMetric:
        base, gain = self.chances[BASE], self.gains.get(own.metric)
        numbers = own.metric, own.wins, own.error, own.kappa(self.pair.apart)
        if own.metric == BASE:
            return RankedMetric(*numbers, 1.0, 0.0, 1.0, 1.0)
        if base.undefined:
            return RankedMetric(*numbers, math.nan, math.nan)
        ends = (math.nan, math.nan) if gain is None else gain.efficiencies[1:]
        return RankedMetric(*numbers, *own.efficiency(base), *ends)

    @property
    def reasons(self) -> dict[str, str]:
        """Why metrics are not ranked."""
        return {name: chance.undefined for name, chance in self.chances.items() if chance.undefined}

    @property
    def doubts(self) -> dict[str, str]:
        """Metrics that seem to be better, where other cases might say otherwise."""
        words = "it seems to find the better model more often, but these cases are too few to tell"
        doubted = [name for name, gain in self.gains.items() if gain.log_efficiency > WORTH and not gain.is_better]
        return dict.fromkeys(doubted, words)

    @property
    def better(self) -> tuple[RankedMetric, ...]:
        """Metrics that are known to beat the AUROC, best first."""
        return tuple(
            ranked_metric
            for ranked_metric in self.ranked
            if ranked_metric.metric in self.gains and self.gains[ranked_metric.metric].is_better
        )

    @property
    def outcome(self) -> str:
        """Whether a metric is better than the AUROC, none is known to be, or that cannot be told."""
        if self.better:
            return BETTER
        rivals = [name for name, chance in self.chances.items() if name != BASE and not chance.undefined]
        known = all(name in self.gains and self.gains[name].is_ruled_out for name in rivals)
        return NONE if known and not self.chances[BASE].undefined else CANNOT_TELL

    @property
    def choice(self) -> str:
        """The metric to take."""
        return self.better[0].metric if self.better else BASE


def verdicts_at(result: ResolvingPower, at: float, *, seed: int) -> ContestResult:
    """Let the metrics of a result compete at a quality, and say how sure their gains are."""
    pair = pair_at(getattr(result.model, "smooth", result.model), at, result.sizes)
    samples = SAMPLES if at in result.at else _ENOUGH
    chances = contest(pair, result.contestants, result.sizes, seed=seed, n_samples=samples, paired=result.paired)
    return ContestResult(at, pair, chances, gains(result, at, pair, chances, seed))


def recommend(result: ResolvingPower) -> Recommendation:
    """Rank the metrics of a result at each of its qualities."""
    verdicts = [result.verdicts(at) for at in result.at]
    first = verdicts[0]
    elsewhere = _elsewhere(result) if len(result.at) == 1 else {verdict.at: verdict.choice for verdict in verdicts}
    kinds = () if result.improvement_given else answers_by_kind(result, result.at[0])
    every = together(kinds)
    words = _led_by_kinds(result, first, kinds, every, [_sentence(result, verdict) for verdict in verdicts])
    paragraph = " ".join(
        [*words, *_notes(result, verdicts), _more(result, first), _with_quality(first.choice, elsewhere)]
    )
    ranking = {verdict.at: verdict.ranked for verdict in verdicts}
    reasons = {verdict.at: verdict.reasons | verdict.doubts for verdict in verdicts}
    outcome = first.outcome if every is None else every.outcome
    safest = None if every is None else every.safest
    told = first.choice, outcome, _condition(result, first)
    return Recommendation(
        *told, ranking, reasons, elsewhere, " ".join(paragraph.split()), kinds, safest, _question(result, first)
    )


def _led_by_kinds(
    result: ResolvingPower, first: ContestResult, kinds: Sequence[KindAnswer], every: Together | None, words: list[str]
) -> list[str]:
    """Return the sentences, led by all kinds of improvement where the answer depends on the kind."""
    if every is None:
        return words
    if every.outcome != DEPENDS:
        return [*words, agreement(kinds, every)]
    loss = f"at most about {number_text(every.safest_loss, 1)} times as many cases as the best metric for the kind"
    safest = f"If you cannot say how, {every.safest} loses least of these metrics: it needs {loss} that occurs."
    return [f"{_question(result, first)} {DEPENDS}: {listed_by_kind(kinds)}.", safest, *words]


def _question(result: ResolvingPower, found: ContestResult) -> str:
    each = "each evaluated on " if result.paired is None else ""
    return f"Which metric tells {_models(found)} apart best, {each}{_cases(result)},"


def _condition(result: ResolvingPower, found: ContestResult) -> str:
    """For which kind of improvement, how many cases, and models on the same cases or on others."""
    how = "tilt" if found.pair.is_tilted else result.improvement
    on_path = isinstance(result.model, ModelSequence)
    better = "later models of this path are better" if on_path else f"a better model {IMPROVEMENTS[how].words}"
    if result.paired is not None:
        return f"If {better}, and {_models(found)} are {_cases(result)}"
    return f"If {better}, and each of {_models(found)} is evaluated on {_cases(result)}"


def _models(found: ContestResult) -> str:
    return f"two models near AUROC {found.at:.3f}"


def _cases(result: ResolvingPower) -> str:
    """How many cases, and whether both models have the same ones."""
    positives = f"{result.sizes.positives:,} positive"
    if result.paired is None:
        return f"{result.n:,} cases of its own ({positives})"
    return f"evaluated on the same {result.n:,} cases ({positives}, scores correlated {result.paired:g})"


def _sentence(result: ResolvingPower, found: ContestResult) -> str:
    start, base = _condition(result, found), found.chances[BASE]
    two = f"the better one {{:.1%}} of the time where they are {number_text(found.pair.apart, 3)} apart in AUROC"
    if found.better:
        best = found.better[0]
        needs = "" if base.undefined else f"; {_needs(found, best.metric)}"
        found_by = f"{best.metric} finds {two.format(best.wins)}, the AUROC {share_words(base.wins)} of the time"
        return f"{start}, {found_by}{needs}{_rest(found)}."
    if base.undefined:
        return f"{start}, no metric can be recommended: {base.undefined}."
    auroc = f"the AUROC, which finds {two.format(base.wins)}"
    if found.outcome == NONE:
        return f"{start}, none is known to be better than {auroc}{_closest(found)}{_rest(found)}."
    told = "these data cannot tell" if hasattr(result.model, "n") else "this simulation cannot tell"
    return f"{start}, {told} whether another metric is better than {auroc}{_closest(found)}{_rest(found)}."


def _needs(found: ContestResult, name: str) -> str:
    """How many cases the AUROC needs beside another metric, with the interval."""
    return needs(name, *found.gains[name].efficiencies)


def _closest(found: ContestResult) -> str:
    """Name the metric that may gain most: what is said of the AUROC rests on its interval."""
    if not found.gains:
        return ""
    return f"; {_needs(found, max(found.gains, key=lambda name: found.gains[name].high))}"


def _rest(found: ContestResult) -> str:
    worst = found.ranked[-1] if found.ranked else None
    parts = []
    if worst is not None and worst.metric not in (BASE, found.choice) and worst.efficiency < math.exp(-WORTH):
        parts.append(f"{worst.metric} finds it least often, {share_words(worst.wins)}")
    if found.doubts:
        parts.append(f"{listed(list(found.doubts))} may be better, which these data cannot tell")
    return "".join(f"; {part}" for part in parts)


def _notes(result: ResolvingPower, verdicts: Sequence[ContestResult]) -> list[str]:
    """List what must be said besides: how the pair was found, and which metrics are not ranked."""
    said = [getattr(result.model, "note", ""), *(verdict.pair.note for verdict in verdicts)]
    notes = dict.fromkeys(filter(None, said))
    reasons = dict.fromkeys(reason for verdict in verdicts for reason in verdict.reasons.values())
    unranked = [f"Not ranked: {'; '.join(reasons)}."] if reasons else []
    return [f"Note that {note}." for note in notes] + unranked


def _more(result: ResolvingPower, found: ContestResult) -> str:
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
        one, several = f"an AUROC of {min(elsewhere):.2f}", f"AUROCs from {min(elsewhere):.2f} to {max(elsewhere):.2f}"
        return f"Under this condition the choice stays the same for {several if len(elsewhere) > 1 else one}."
    places = ", ".join(f"{name} at AUROC {at:.2f}" for at, name in sorted(elsewhere.items()))
    return f"Under this condition the choice changes with quality: {places}."


def _elsewhere(result: ResolvingPower) -> dict[float, str]:
    """Return the metric to take for worse and better classifiers of the same kind."""
    at = [each for each in (result.at[0] - 0.1, result.at[0] + 0.1) if 0.52 < each < 0.98]
    found = {}
    for each in () if isinstance(result.model, ModelSequence) else at:  # a path ends with its last model
        try:
            found[each] = result.verdicts(each).choice
        except ArgumentError:  # that quality is out of reach, which is no answer to this question
            continue
    return found
