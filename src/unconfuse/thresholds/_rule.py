"""What a rule is (a curve over thresholds, and what to do with it), and how a kind of rules is declared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from unconfuse._formatting import number_text
from unconfuse.metrics import METRICS, Metric
from unconfuse.table import Array, ScoreTable
from unconfuse.thresholds.candidates import NOBODY, Candidates, Index, RunningMax, labelled_blocks
from unconfuse.thresholds.fixed_sequence import GuaranteeSpec

CurveOf = Callable[[Candidates], Array]


@dataclass(frozen=True)
class Constraint:
    """A metric that must reach a limit, such as precision >= 0.9."""

    metric: str
    at_least: float

    def curve(self, candidates: Candidates) -> Array:
        """Return the metric at every threshold; -inf where it is undefined."""
        if self.metric not in candidates.limited:
            values = METRICS[self.metric](candidates.counts)
            candidates.limited[self.metric] = np.where(np.isnan(values), -np.inf, values)
        return candidates.limited[self.metric]

    def holds(self, candidates: Candidates) -> npt.NDArray[np.bool_]:
        """Where the limit is reached."""
        return self.reached(self.curve(candidates))

    def reached(self, values: Array) -> npt.NDArray[np.bool_]:
        """Whether values of the metric reach the limit, rounding forgiven."""
        return np.asarray(values >= self.at_least - 1e-12)

    def nearest(self, candidates: Candidates) -> RunningMax:
        """Where the metric comes nearest to the limit, or farthest beyond it."""
        running_max = RunningMax()
        for first, part in candidates.stretches():
            running_max.see(first, self.curve(part))
        return running_max

    def met(self, candidates: Candidates, best: RunningMax) -> Index:
        """Return the best threshold at which the limit is reached; where there is none, the nearest to it."""
        if (best.value > -np.inf).all():  # elsewhere the objective is minus infinity
            return best.place
        nearest = self.nearest(candidates)
        return np.where(self.reached(nearest.value), best.place, nearest.place)

    def __str__(self) -> str:
        return f"{self.metric} >= {self.at_least:g}"


@dataclass(frozen=True)
class ThresholdRule:
    """One way to choose a threshold.

    Attributes
    ----------
    name, label, why : str
        Its key in the card, its name in print, and what it is good for.
    curve : callable, optional
        The quantity at every threshold; None for a fixed threshold.
    level : float, optional
        The rule looks for the threshold where the curve reaches this level; without it, for the largest value.
    constraint : Constraint, optional
        Only thresholds at which it holds count.
    pick : callable, optional
        Chooses the threshold by other means than the nearest or largest value of the curve.
    nobody : callable, optional
        Value of labelling nobody, where that is a choice.
    fixed : float, optional
        A threshold that was not chosen from these data.
    missing : callable, optional
        Says why there is no such threshold, where that has other reasons than a constraint.
    limits : callable, optional
        (score table, whether class totals are fixed, confidence level) to the ends of the threshold's interval and how
        they were made, for a rule that knows better than resampling.
    shown : tuple of Metric
        Metrics that belong to the rule, beside those of every rule.
    """

    name: str
    label: str
    rationale: str
    curve: CurveOf | None = None
    level: float | None = None
    constraint: Constraint | None = None
    choose_index: Callable[[Candidates], Index] | None = None
    value_of_none: CurveOf | None = None
    threshold: float | None = None
    infeasible_text: Callable[[Candidates], str | None] | None = None
    limits: Callable[[ScoreTable, bool, float], tuple[float, float, str]] | None = None
    extra_metrics: tuple[Metric, ...] = field(default=())

    def values(self, candidates: Candidates) -> Array | None:
        """Return the quantity at every threshold; None for a fixed threshold."""
        return None if self.curve is None else self.curve(candidates)

    def objective(self, candidates: Candidates, values: Array) -> Array:
        """Return what the rule makes as large as it can, from its values; -inf where it must not go."""
        if self.level is not None:
            values = -np.abs(values - self.level)
        values = np.where(np.isnan(values), -np.inf, values)
        return values if self.constraint is None else np.where(self.constraint.holds(candidates), values, -np.inf)

    def choose(self, candidates: Candidates, values: Array | None = None) -> Index:
        """Index of the chosen threshold in each table: of the best labelled set, of the smallest if several are.

        The rule's `values` are computed unless they are given.
        """
        if self.threshold is not None:
            return _index_of(candidates, self.threshold)
        if self.choose_index is not None:
            return candidates.settled(self.choose_index(candidates))
        best = RunningMax()
        for first, part in candidates.stretches():
            known = self.values(part) if values is None else values
            assert known is not None
            best.see(first, self.objective(part, known))
        chosen = candidates.settled(best.place if self.constraint is None else self.constraint.met(candidates, best))
        return (
            chosen
            if self.value_of_none is None
            else np.where(self.value_of_none(part) > best.value + 1e-12, NOBODY, chosen)
        )

    def unreachable(self, candidates: Candidates, index: int = NOBODY) -> str | None:
        """Why the rule cannot be met, and the best that can be reached; None if it can, as at the `index` chosen."""
        if self.infeasible_text is not None:
            return self.infeasible_text(candidates)
        if self.constraint is None or self.constraint.holds(candidates.stretch(index, index + 1)).any():
            return None
        nearest, limit = self.constraint.nearest(candidates), str(self.constraint)
        if self.constraint.reached(nearest.value):
            return None
        best, at = number_text(float(nearest.value)), number_text(float(candidates.table.score[int(nearest.place)]))
        return f"no threshold reaches {limit}; the best is {self.constraint.metric} {best} at {at}"


def _index_of(candidates: Candidates, threshold: float) -> Index:
    labelled = labelled_blocks(candidates.table, threshold)
    return np.full(candidates.table.positives.shape[:-1], labelled - 1, dtype=np.intp)


@dataclass(frozen=True)
class RuleOptions:
    """What a card is asked for; the defaults are those of every card.

    Attributes
    ----------
    n : float
        Number of cases.
    probable : bool
        Whether the scores are probabilities.
    costs : mapping of stakeholder to (fp, fn)
    others
        As in `threshold_card`, checked where a rule is made of them.
    """

    n: float
    probable: bool = True
    costs: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    betas: Sequence[float] = (1.0,)
    maximise: Sequence[Metric] = ()
    min_precision: float | None = 0.9
    min_recall: float | None = 0.9
    min_specificity: float | None = 0.9
    queue_rate: float | None = 0.1
    capacity: float | None = None
    levels: Sequence[float] = (0.5, 0.4, 0.6)
    promises: Sequence[GuaranteeSpec] = ()
    fixed: float | None = 0.5


@dataclass(frozen=True)
class DeclaredRule:
    """A way to choose a threshold, and all that is said of it.

    Attributes
    ----------
    shown : str
        Its names, as the documentation shows them.
    chooses, good_for : str
        What it chooses and when to take it, for the documentation.
    in_card : callable
        `RuleOptions` to the rules of this kind that a card has.
    spelled : str
        A regular expression of the names that `at=` and `rules=` accept beside those of a card.
    from_name : callable, optional
        A match of `spelled` and the number of cases to the rule; None for what cannot be had by name alone.
    advice : str
        When to take it, as the page says to those who ask; `{at}` stands for its threshold.
    in_short : bool
        Whether the short card of the page shows it.
    aliases : mapping of str to str
        Names in other libraries, in lower case with underscores, and what they are called here.
    """

    shown: str
    chooses: str
    good_for: str
    in_card: Callable[[RuleOptions], Iterable[ThresholdRule]]
    spelled: str
    from_name: Callable[[re.Match[str], float], ThresholdRule] | None = None
    advice: str = ""
    in_short: bool = False
    aliases: Mapping[str, str] = field(default_factory=dict)

    def owns(self, name: str) -> bool:
        """Whether a rule of this name is of this kind."""
        return re.fullmatch(self.spelled, name) is not None
