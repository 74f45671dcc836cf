"""What a threshold card says in sentences: too few cases, optimism, costs, limits that no threshold reaches."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from unconfuse._errors import argument_name
from unconfuse._formatting import interval_words, number_text, percent, share_words
from unconfuse._phrases import only
from unconfuse.policy import FEW, TOO_FEW, Verdict
from unconfuse.uncertainty.estimate import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.thresholds.card import OperatingPoint, ThresholdCard

OPTIMISM = 0.02  # a Youden J that looks this much better than it is deserves a remark


def card_findings(card: ThresholdCard) -> tuple[Finding, ...]:
    """Return all that is said of a card, the gravest first."""
    points = card.points.values()
    payers = [_costs(card, who) for who in card.costs]
    found = [_few_cases(card), _optimism(card), *payers, *map(_unreachable, points), *map(_label_none, points)]
    return tuple(finding for finding in found if finding is not None)


def _sizes(card: ThresholdCard) -> dict[str, float]:
    positives = float(card.data["positives"])
    return {"positive": positives, "negative": float(card.data["n"]) - positives}


def _few_cases(card: ThresholdCard) -> Finding | None:
    small = {name: size for name, size in _sizes(card).items() if size < FEW}
    if not small:
        return None
    sentence = f"{only(small)}: too few cases to choose a threshold by any rule and to measure it."
    rule = f"Fewer than {FEW} cases of a class cannot both choose a threshold and measure it."
    return Finding(rule, Verdict.TOO_FEW, sentence, {f"{name}s": size for name, size in small.items()})


def _costs(card: ThresholdCard, who: str) -> Finding | None:
    """Say what a stakeholder saves over labelling none or all, with a threshold chosen for these costs."""
    point = card.points.get(f"cost:{who}" if who else "cost")
    if point is None or point.infeasible_reason or math.isinf(point.threshold.value):
        return None
    held = point.at_prevalence or point.metrics
    cost = next((estimate for name, estimate in held.items() if name.startswith("expected_cost")), None)
    if cost is None or cost.undefined:
        return None
    share = float(card.data["prevalence"]) if card.prevalence is None else card.prevalence
    none, every = card.costs[who][1] * share, card.costs[who][0] * (1 - share)
    saving = _saving(cost.value, point.metrics["sensitivity"], point.metrics["specificity"], (none, every))
    verdict = Verdict.CANNOT_TELL if min(_sizes(card).values()) < TOO_FEW else _verdict_on_costs(saving)
    numbers = {"cost": cost.value, "none": none, "all": every, "prevalence": share}
    numbers |= dict(zip(("saving", "low", "high"), saving, strict=True))
    rule = "Scores save costs if acting on them costs less than labelling none and less than labelling all."
    return Finding(rule, verdict, _costs_sentence(who, verdict, numbers, cost.confidence_level), numbers)


def _saving(
    cost: float, sensitivity: Estimate, specificity: Estimate, others: tuple[float, float]
) -> tuple[float, float, float]:
    """Return what labels save over the cheaper of labelling none or all, at this prevalence; limits by MOVER."""
    value, rates = min(others) - cost, (sensitivity, specificity)
    below = math.hypot(*(weight * (rate.value - rate.low) for weight, rate in zip(others, rates, strict=True)))
    above = math.hypot(*(weight * (rate.high - rate.value) for weight, rate in zip(others, rates, strict=True)))
    return value, value - below, value + above


def _verdict_on_costs(saving: tuple[float, float, float]) -> Verdict:
    if saving[1] > 0:
        return Verdict.CHEAPER
    return Verdict.DEARER if saving[2] < 0 else Verdict.CANNOT_TELL


def _costs_sentence(who: str, verdict: Verdict, numbers: Mapping[str, float], level: float) -> str:
    cost, none, every, share, saving, low, high = numbers.values()
    cheaper = "none" if none <= every else "all"
    sign, ends = ("less", (low, high)) if saving >= 0 else ("more", (-high, -low))
    first, last = interval_words(*ends)
    interval = "no interval: too few cases" if math.isnan(low) else f"{percent(level)} interval {first} to {last}"
    said = {
        Verdict.CHEAPER: "At these costs, acting on the scores costs less than labelling none or all",
        Verdict.DEARER: f"At these costs, labelling {cheaper} costs less than acting on the scores",
    }.get(verdict, f"Inconclusive whether acting on the scores costs less than labelling {cheaper}")
    return (
        f"{f'For {who}, at' if who else 'At'} {share_words(share)} prevalence, a case costs {number_text(cost)} on "
        f"average at the cheapest threshold, {number_text(none)} if none are labelled and {number_text(every)} if all "
        f"are: {number_text(abs(saving))} {sign} than labelling {cheaper} ({interval}). {said}."
    )


def _optimism(card: ThresholdCard) -> Finding | None:
    if card.validation is None:
        sentence = (
            "The thresholds were chosen and measured on the same data, so their performance is optimistic: ask for "
            f"{argument_name('validation', 'crossfit')} or {argument_name('validation', 'optimism')}."
        )
        rule = "Performance on the data that chose a threshold is optimistic."
        return Finding(rule, "not validated", sentence)
    gains = {name: point.optimism.get("youden_j", math.nan) for name, point in card.points.items()}
    gains = {name: gain for name, gain in gains.items() if not math.isnan(gain)}
    worst = max(gains, key=lambda name: gains[name], default=None)
    if worst is None or gains[worst] < OPTIMISM:
        return None
    point = card.points[worst]
    sentence = (
        f"Performance on the data that chose the threshold is optimistic: by the rule {point.label!r}, Youden's J is "
        f"{number_text(point.apparent['youden_j'].value)} there, but expect "
        f"{number_text(point.metrics['youden_j'].value)} on new cases."
    )
    rule = f"Youden's J is higher by at least {OPTIMISM:g} on the data that chose the threshold."
    return Finding(rule, "optimism", sentence, {worst: gains[worst]})


def _unreachable(point: OperatingPoint) -> Finding | None:
    if point.infeasible_reason is None:
        return None
    return Finding(
        "Some limits are reached by no threshold.", "cannot be met", f"{point.label}: {point.infeasible_reason}."
    )


def _label_none(point: OperatingPoint) -> Finding | None:
    if not math.isinf(point.threshold.value) or point.infeasible_reason:
        return None
    reason = (
        f"at these costs every threshold costs more than labelling none: {point.rationale}"
        if point.rule.startswith("cost")
        else "more cases share the highest score than may be labelled"
    )
    return Finding("Labelling none is a choice too.", "label none", f"{point.label}: label none; {reason}.")
