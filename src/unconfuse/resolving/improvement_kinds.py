"""Which metric to take for each way in which the next model may be better, and what can be said without knowing it.

Metrics of the top see improvements at the top, the AUROC sees those everywhere: one data set can favour different
metrics. So unless the user says how models get better, all four ways are asked, and where their answers differ, that
is the answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import number_text
from unconfuse.policy import Verdict
from unconfuse.resolving.improvements import IMPROVEMENTS
from unconfuse.resolving.redraws import BASE, FLAT

if TYPE_CHECKING:
    from unconfuse.resolving.power_result import ResolvingPower
    from unconfuse.resolving.recommending import ContestResult

BETTER, NONE, CANNOT_TELL = "better", "none is known to be better", Verdict.CANNOT_TELL
DEPENDS = "depends on how the next model is better"


@dataclass(frozen=True)
class KindAnswer:
    """What one kind of improvement says.

    Attributes
    ----------
    improvement : {"shift", "scale", "top", "tilt"}
    words : str
        What the better model does.
    outcome : {"better", "none is known to be better", "cannot tell"}
    metric : str
        The metric to take: the AUROC, unless another is known to be better.
    compared : str
        The metric that the gain is of: the one that is better, or the one that may gain most.
    efficiency, efficiency_low, efficiency_high : float
        How many cases the AUROC needs for one of that metric, with the 95% interval.
    efficiencies : mapping of metric to float
        The same of every metric that responds, best first, without intervals.
    better : tuple of str
        All metrics that are known to be better than the AUROC.
    not_estimable : str
        Why there is no answer, or nothing.
    """

    improvement: str
    words: str
    outcome: str = CANNOT_TELL
    metric: str = BASE
    compared: str = ""
    efficiency: float = math.nan
    efficiency_low: float = math.nan
    efficiency_high: float = math.nan
    efficiencies: dict[str, float] = field(default_factory=dict)
    better: tuple[str, ...] = ()
    not_estimable: str = ""

    @property
    def sentence(self) -> str:
        """The answer of this kind, with the gain and its interval."""
        if self.not_estimable:
            return f"not estimable ({self.not_estimable.rstrip('.')})"
        said = {
            BETTER: f"{self.metric} is better than the AUROC",
            NONE: "none is known to be better than the AUROC",
            CANNOT_TELL: "it cannot be told whether another metric is better than the AUROC",
        }
        gain = f" ({needs(self.compared, *self._gain)})" if self.compared else ""
        return f"{said[self.outcome]}{gain}"

    @property
    def brief(self) -> str:
        """The answer without numbers."""
        if self.not_estimable:
            return "not estimable"
        return {BETTER: self.metric, NONE: "the AUROC (none is known to be better)", CANNOT_TELL: CANNOT_TELL}[
            self.outcome
        ]

    @property
    def _gain(self) -> tuple[float, float, float]:
        return self.efficiency, self.efficiency_low, self.efficiency_high

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {**vars(self), "better": list(self.better), "sentence": self.sentence}


def needs(name: str, value: float, low: float, high: float) -> str:
    """Return how many cases the AUROC needs beside another metric, with the interval."""
    ends = f"95% interval {number_text(low, 2)} to {number_text(high, 2)}" if math.isfinite(high) else "no upper limit"
    return f"the AUROC needs {number_text(value, 2)} times as many cases as {name}, {ends}"


def answer_of(improvement: str, found: ContestResult) -> KindAnswer:
    """Return what a contest says, as the answer of one kind of improvement."""
    words = IMPROVEMENTS[improvement].words
    reason = found.chances[BASE].undefined
    if found.pair.is_tilted and improvement != "tilt":
        reason = "scores are tied, so quality jumps"
    if reason:
        return KindAnswer(improvement, words, not_estimable=reason)
    rivals = {name: found.gains[name] for name in found.gains if math.isfinite(found.gains[name].log_efficiency)}
    compared = found.choice if found.better else max(rivals, key=lambda name: rivals[name].high, default="")
    gain = rivals[compared].efficiencies if compared in rivals else (math.nan,) * 3
    efficiencies = {ranked_metric.metric: ranked_metric.efficiency for ranked_metric in found.ranked}
    better = tuple(ranked_metric.metric for ranked_metric in found.better)
    return KindAnswer(improvement, words, found.outcome, found.choice, compared, *gain, efficiencies, better)


def answers_by_kind(result: ResolvingPower, at: float) -> tuple[KindAnswer, ...]:
    """Return the answer of each of the four kinds; a path of models has its own kind, and no others."""
    model = getattr(result.model, "model", result.model)
    if not hasattr(model, "shift_for"):
        return ()
    kind_answers = []
    for how, improvement in IMPROVEMENTS.items():
        try:
            kind_answers.append(answer_of(how, result.improved_by(how).verdicts(at)))
        except ArgumentError as error:
            kind_answers.append(KindAnswer(how, improvement.words, not_estimable=str(error)))
    return tuple(kind_answers)


@dataclass(frozen=True)
class Together:
    """What the four kinds say together.

    Attributes
    ----------
    outcome : str
        "better" if one metric is known to be better whatever the kind; "none is known to be better" if no kind has a
        better one; "depends on how the next model is better" if only some kinds have; else "cannot tell".
    metric : str or None
        The metric that is better whatever the kind.
    safest : str
        The metric whose worst kind is best: in it, it needs fewest times the cases of that kind's best metric.
    safest_loss : float
        That many times, about.
    """

    outcome: str
    metric: str | None
    safest: str
    safest_loss: float


def together(answers: Sequence[KindAnswer]) -> Together | None:
    """Return what several kinds of improvement say together, or nothing if fewer than two have an answer."""
    kind_answers = [answer for answer in answers if not answer.not_estimable]
    if len(kind_answers) < 2:
        return None
    safest, loss = _safest(kind_answers)
    common = [
        name for name in kind_answers[0].better if all(name in kind_answer.better for kind_answer in kind_answers)
    ]
    if common:
        best = max(common, key=lambda name: min(kind_answer.efficiencies[name] for kind_answer in kind_answers))
        return Together(BETTER, best, safest, loss)
    outcomes = {kind_answer.outcome for kind_answer in kind_answers}
    outcome = DEPENDS if BETTER in outcomes else NONE if outcomes == {NONE} else CANNOT_TELL
    return Together(outcome, None, safest, loss)


def _safest(answers: Sequence[KindAnswer]) -> tuple[str, float]:
    """Return the metric that loses least in its worst kind; what does not respond counts as hardly responding."""
    names = list(dict.fromkeys(name for answer in answers for name in answer.efficiencies))
    losses = {
        name: max(max(answer.efficiencies.values()) / answer.efficiencies.get(name, FLAT**2) for answer in answers)
        for name in names
    }
    best = min(losses, key=lambda name: losses[name])
    return best, losses[best]


def listed_by_kind(answers: Sequence[KindAnswer]) -> str:
    """Return all answers in one clause each."""
    return "; ".join(f"if it {answer.words}, {answer.sentence}" for answer in answers)


def agreement(answers: Sequence[KindAnswer], found: Together) -> str:
    """Return a sentence about the kinds besides the one that numbers were shown of."""
    if len({(answer.outcome, answer.metric, bool(answer.not_estimable)) for answer in answers}) == 1:
        return "The answer is the same for all four kinds of improvement."
    if found.outcome == BETTER:
        start = f"{found.metric} is better than the AUROC for every kind of improvement that was tried"
        return f"{start}: {listed_by_kind(answers)}."
    return f"By kind of improvement: {listed_by_kind(answers)}."
