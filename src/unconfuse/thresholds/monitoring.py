"""A card in use, watched: one report for each batch of new cases, and what all batches show together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import number_text, strict_json
from unconfuse._saved import SavedKind
from unconfuse._validate import check_number, check_probability, check_whole, public_api
from unconfuse.policy import Verdict
from unconfuse.table import Counts
from unconfuse.thresholds.card import OperatingPoint, ThresholdCard
from unconfuse.thresholds.deployment import AppliedCard, bins_of, labelled_new
from unconfuse.uncertainty.change_detection import RISES, gains_of_losses, log_statistic, log_wealth
from unconfuse.uncertainty.estimate import Finding
from unconfuse.uncertainty.sequential import proportion_limits

SAVED = SavedKind("unconfuse card watch", 1, "state of a watched card", "`unconfuse apply --state`", "begin a new one")
FINE, WORSE, CANNOT_TELL = "fine", Verdict.WORSE, Verdict.CANNOT_TELL
_FEWEST = 10  # cases of a class, before which limits at every look do not hold (time.md, A1)
_TIGHTEST = (
    100  # cases of a class at which limits are narrowest: too small a guess costs 6-12% of width, too large more
)
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class BatchReport:
    """What earlier batches showed: batches, rows, the counts of labelled cases, and the wealth of bets on a change."""

    rule: str
    threshold: float
    batches: int = 0
    rows: int = 0
    counts: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    wealth: tuple[float, ...] | None = None
    alarm_at: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        held = {"batches": self.batches, "rows": self.rows, "counts": dict(zip(_CELLS, self.counts, strict=True))}
        own = {"rule": self.rule, "threshold": self.threshold, **held}
        return own | {"log_wealth": None if self.wealth is None else list(self.wealth), "alarm_at": self.alarm_at}

    @classmethod
    def read(cls, content: Mapping[str, Any]) -> BatchReport:
        """From a saved state, checked."""
        counts = tuple(float(content["counts"][name]) for name in _CELLS)
        saved, alarm = content["log_wealth"], content["alarm_at"]
        wealth = None if saved is None else tuple(float(each) for each in saved)
        batches, rows = int(content["batches"]), int(content["rows"])
        known = wealth is None or (len(wealth) == len(RISES) and not any(math.isnan(each) for each in wealth))
        if min(*counts, batches, rows) < 0 or not all(map(math.isfinite, counts)) or not known:
            raise ValueError("counts or wealth")
        own = str(content["rule"]), float(content["threshold"])
        return cls(*own, batches, rows, counts, wealth, None if alarm is None else int(alarm))  # type: ignore[arg-type]


@dataclass(frozen=True)
class Performance:
    """One rate since the card is in use, beside what the card expects."""

    name: str
    value: float
    low: float
    high: float
    cases: float
    expected: float
    expected_low: float
    verdict: str


@dataclass(frozen=True, repr=False)
class Watch:
    """The report of one batch.

    Attributes
    ----------
    verdict : {"fine", "worse", "cannot tell"}
        "worse": a rate lies below what the card's interval allows, or an alarm of change was given; with this
        probability at most that is false, over all batches together: `error_rate`.
    applied : AppliedCard
        The labels of this batch, and drift of shares and ranges.
    expected_rate : float
        Share of the card's data that the threshold labels positive.
    score_p : float
        That the scores of the batch are distributed as the card's; NaN of a card that was saved without its bins.
    prevalence : float
        Of this batch, NaN without labels.
    performance : tuple of Performance
        Sensitivity and specificity of all labelled cases so far; empty without labels.
    seen : BatchReport
        What all batches showed: the state for the next one.
    findings : tuple of Finding
    """

    verdict: str
    applied: AppliedCard
    expected_rate: float
    score_p: float
    prevalence: float
    expected_prevalence: float
    performance: tuple[Performance, ...]
    seen: BatchReport
    margin: float
    error_rate: float
    horizon: int
    findings: tuple[Finding, ...]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """One JSON for a scheduler."""
        return {
            "verdict": self.verdict,
            "rule": self.applied.rule,
            "threshold": self.applied.threshold,
            "rows": len(self.applied.labels),
            "labelled_positive": {"rate": self.applied.predicted_positive_rate, "expected": self.expected_rate},
            "score_drift": {"p_value": self.score_p},
            "prevalence": {"rate": self.prevalence, "expected": self.expected_prevalence},
            "performance": {performance.name: vars(performance) for performance in self.performance},
            "change": {"alarm_at": self.seen.alarm_at, "within": self.horizon, "false_alarms": self.error_rate / 2},
            "margin": self.margin,
            "error_rate": self.error_rate,
            "findings": [finding.sentence for finding in self.findings],
            "so_far": self.seen.as_dict(),
        }

    @property
    def sentence(self) -> str:
        """The result in plain words."""
        return f"{self.verdict.upper()}. " + " ".join(finding.sentence for finding in self.findings)

    def save(self, path: Any) -> None:
        """Write the state that the next batch goes on from."""
        SAVED.text_of(self.seen.as_dict(), path)

    def __repr__(self) -> str:
        return self.sentence


@public_api
def watch_card(
    card: ThresholdCard | Mapping[str, Any] | Any,
    scores: Any,
    *,
    rule: str,
    y: Any = None,
    positive: object = None,
    negative: object = None,
    state: Any = None,
    margin: float = 0.05,
    error_rate: float = 0.05,
    horizon: int = 10_000,
) -> Watch:
    """Label a batch of new scores, and report whether the card still does what it promised.

    Parameters
    ----------
    card, scores, rule, y, positive, negative
        As in `apply_card`. With labels, `y`, performance is measured; rows count in the order given.
    state : path, JSON text, mapping or Watch, optional
        What earlier batches showed: `Watch.save` writes it.
    margin : float
        By how much sensitivity and specificity may fall short of the card and still be fine.
    error_rate : float
        How often a card that still fits is called worse, over all batches together: half of it for the two rates at
        every look, half for alarms of change within `horizon` labelled cases.
    horizon : int
        Labelled cases within which the rate of false alarms of change holds.

    Returns
    -------
    Watch
        `.verdict`, `.applied.labels`, `.findings`, `.as_dict()`; `.save("state.json")` for the next batch.

    Notes
    -----
    Limits of the rates hold at all looks together. They need ten labelled cases of a class. A change is measured
    by the error rate, against the upper end of the card's interval: "worse than the reference could have been". Without
    labels performance is not known: drift then makes the verdict "cannot tell".

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> from unconfuse.thresholds import watch_card
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(400) < .4
    >>> card = uc.threshold_card(y, rng.normal(size=400) + 2 * y, rules=["youden"])
    >>> new = rng.random(300) < .4
    >>> watch_card(card, rng.normal(size=300) - new, rule="youden", y=new).verdict
    'worse'
    """
    read, new, labels, truth, drift = labelled_new(card, scores, rule, y, positive, negative, level=0.99)
    point, margin = read[rule], check_number(margin, "margin")
    if not 0 <= margin < 1:
        raise ArgumentError(f"`margin` must lie between 0 and 1; got {margin:g}.")
    error = check_probability(error_rate, "error_rate", open_interval=True)
    within = check_whole(horizon, "horizon", at_least=1)
    before = _state(state, point)
    seen = replace(before, batches=before.batches + 1, rows=before.rows + len(new))
    performance: tuple[Performance, ...] = ()
    if truth is not None:
        seen = _added(seen, point, labels, truth, within, error / 2)
        performance = tuple(
            _performance(name, seen, point, margin, error / 4) for name in ("sensitivity", "specificity")
        )
    bins = bins_of(read)
    p = math.nan if bins is None else bins.p_of_none(bins.counted(new), float(read.data["n"]))
    findings = [*_of_change(seen, within, error / 2), *map(_of_rate, performance), *drift, *_of_scores(p, len(new))]
    applied = AppliedCard(labels, point.rule, point.threshold.value, float(labels.mean()), tuple(drift))
    return Watch(
        _verdict(performance, seen, drift, p),
        applied,
        point.apparent["queue_rate"].value,
        p,
        math.nan if truth is None else float(truth.mean()),
        float(read.data["prevalence"]) if read.prevalence is None else read.prevalence,
        performance,
        seen,
        margin,
        error,
        within,
        tuple(findings) or (_NOTHING,),
    )


_NOTHING = Finding(
    "no labels, no drift", FINE, "The scores look like those of the card; without labels performance is not known."
)


def _state(state: Any, point: OperatingPoint) -> BatchReport:
    if state is None:
        return BatchReport(point.rule, point.threshold.value)
    batch_report = state.seen if isinstance(state, Watch) else SAVED.read(state, BatchReport.read)
    if (batch_report.rule, batch_report.threshold) != (point.rule, point.threshold.value):
        raise InputError(
            f"the state is of the rule {batch_report.rule!r} at {number_text(batch_report.threshold)}, and the card "
            f"cuts by {point.rule!r} at {number_text(point.threshold.value)}. Hint: begin a new state for another card."
        )
    return batch_report


def _added(
    seen: BatchReport,
    point: OperatingPoint,
    labels: npt.NDArray[np.bool_],
    truth: npt.NDArray[np.bool_],
    within: int,
    error: float,
) -> BatchReport:
    """Return what was seen with a labelled batch added: its counts, and the bets on a change."""
    sides = truth & labels, ~truth & labels, truth & ~labels, ~truth & ~labels
    counts = tuple(old + float(side.sum()) for old, side in zip(seen.counts, sides, strict=True))
    accuracy = point.metrics.get("accuracy")
    if accuracy is None or not 0 < accuracy.low < 1:  # nothing to bet against
        return replace(seen, counts=counts)  # type: ignore[arg-type]
    wealth = log_wealth(gains_of_losses(labels != truth, 1 - accuracy.low), seen.wealth)
    reached = np.flatnonzero(log_statistic(wealth) >= math.log(within / error))
    alarm = int(sum(seen.counts)) + int(reached[0]) + 1 if len(reached) else None
    last = tuple(wealth[:, -1].tolist())
    return replace(seen, counts=counts, wealth=last, alarm_at=seen.alarm_at or alarm)  # type: ignore[arg-type]


def _performance(name: str, seen: BatchReport, point: OperatingPoint, margin: float, error: float) -> Performance:
    c, estimate = Counts(**dict(zip(_CELLS, seen.counts, strict=True))), point.metrics[name]
    right, cases = (c.tp, c.positives) if name == "sensitivity" else (c.tn, c.negatives)
    successes, trials = float(right), float(cases)
    low, high = proportion_limits(successes, trials, _TIGHTEST, error) if trials >= _FEWEST else (0.0, 1.0)
    worse, fine = high < estimate.low, low > estimate.value - margin
    verdict = WORSE if worse else FINE if fine else CANNOT_TELL
    value = successes / trials if trials else math.nan
    return Performance(name, value, low, high, trials, estimate.value, estimate.low, verdict)


def _verdict(performance: tuple[Performance, ...], seen: BatchReport, drift: tuple[Finding, ...], p: float) -> str:
    if seen.alarm_at is not None or any(each.verdict == WORSE for each in performance):
        return WORSE
    if performance:
        return FINE if all(each.verdict == FINE for each in performance) else CANNOT_TELL
    return CANNOT_TELL if drift or p < _RARE else FINE


_RARE = 0.01  # p-value below which scores are said to have drifted, in one batch


def _of_rate(each: Performance) -> Finding:
    kind = "positives" if each.name == "sensitivity" else "negatives"
    if each.cases < _FEWEST:
        sentence = f"Only {each.cases:g} labelled {kind} so far: {each.name} is evaluated from {_FEWEST} on."
        return Finding("few labelled cases", CANNOT_TELL, sentence, {"cases": each.cases})
    ends = f"[{each.low:.3f}, {each.high:.3f}]"
    against = f"the card expects {each.expected:.3f}, at least {each.expected_low:.3f}"
    tail = {WORSE: "worse than the card", FINE: "as the card says, within the margin", CANNOT_TELL: "inconclusive"}
    sentence = (
        f"{each.name.capitalize()} is {each.value:.3f} {ends} at all looks together, {each.cases:g} {kind}; {against}: "
        f"{tail[each.verdict]}."
    )
    return Finding("limits that hold at every look", each.verdict, sentence, {"value": each.value})


def _of_change(seen: BatchReport, within: int, error: float) -> list[Finding]:
    if seen.alarm_at is None:
        return []
    sentence = (
        f"The error rate has become worse than the card's could have been: detected at labelled case {seen.alarm_at:,} "
        f"(false within {within:,} cases with a probability of at most {error:.3g})."
    )
    return [Finding("bets against the card's error rate", WORSE, sentence, {"alarm_at": float(seen.alarm_at)})]


def _of_scores(p: float, rows: int) -> list[Finding]:
    if not p < _RARE:
        return []
    said = "p < 0.001" if p < 0.001 else f"p = {p:.3f}"
    sentence = f"The scores of these {rows:,} rows are distributed otherwise than those of the card ({said})."
    return [Finding("chi-square test of the scores in ten bins", "drift", sentence, {"p_value": p})]
