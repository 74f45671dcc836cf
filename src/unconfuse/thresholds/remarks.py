"""What a threshold card says in plain words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from unconfuse._plain import number_text
from unconfuse.uncertainty.estimate import Finding

if TYPE_CHECKING:
    from unconfuse.thresholds.card import OperatingPoint, ThresholdCard

FLATTERY = 0.02  # Youden J that looks this much better than it is deserves a remark


def remarks_of(card: ThresholdCard) -> tuple[Finding, ...]:
    """Optimism, rules that cannot be met, and rules that advise to label nobody."""
    found = [
        _optimism(card),
        *(_unreachable(point) for point in card.points.values()),
        *(_nobody(point) for point in card.points.values()),
    ]
    return tuple(each for each in found if each is not None)


def _optimism(card: ThresholdCard) -> Finding | None:
    if card.honest is None:
        return Finding(
            "choosing and measuring on the same data flatters",
            "not honest",
            "The thresholds were chosen and measured on the same data, which flatters them: ask for "
            "honest='crossfit' or 'optimism'.",
        )
    gains = {name: point.optimism.get("youden_j", math.nan) for name, point in card.points.items()}
    gains = {name: gain for name, gain in gains.items() if not math.isnan(gain)}
    worst = max(gains, key=lambda name: gains[name], default=None)
    if worst is None or gains[worst] < FLATTERY:
        return None
    point = card.points[worst]
    sentence = (
        f"Choosing a threshold and measuring it on the same data flatters: by {point.label}, Youden J looks like "
        f"{number_text(point.apparent['youden_j'].value)}, but expect {number_text(point.metrics['youden_j'].value)} "
        "on new cases."
    )
    rule = f"apparent minus honest Youden J of at least {FLATTERY:g}"
    return Finding(rule, "optimism", sentence, {worst: gains[worst]})


def _unreachable(point: OperatingPoint) -> Finding | None:
    if point.unreachable is None:
        return None
    return Finding("a limit that no threshold reaches", "cannot be met", f"{point.label}: {point.unreachable}.")


def _nobody(point: OperatingPoint) -> Finding | None:
    if not math.isinf(point.threshold.value) or point.unreachable:
        return None
    reason = (
        f"at these costs every threshold is dearer than its misses: {point.why}"
        if point.rule.startswith("cost")
        else "more cases share the highest score than there is room for"
    )
    return Finding("labelling nobody is a choice too", "label nobody", f"{point.label}: label nobody; {reason}.")
