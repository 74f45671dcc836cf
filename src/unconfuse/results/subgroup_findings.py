"""What differences between subgroups mean, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unconfuse._plain import number_text, short_label
from unconfuse.results.subgroup_difference import SubgroupDifference
from unconfuse.table.sample import MISSING
from unconfuse.uncertainty import Finding
from unconfuse.uncertainty.gaps import GroupGap

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

OF_RANKING = ("auroc", "average_precision")
HEADLINES = ("sensitivity", "specificity", "precision", "auroc", "queue_rate")
FEW = 10  # with fewer cases of a class than this, its rates are little more than a guess
_SHOWN = 8
RULE = "interval without 0 and Holm-adjusted p within the error of the level"


def findings_of_subgroups(
    subgroups: Mapping[str, Evaluation],
    differences: Mapping[str, Sequence[SubgroupDifference]],
    widest: Sequence[GroupGap],
    by: Sequence[str],
) -> tuple[Finding, ...]:
    """One finding for each metric, those that the data can show first; then the subgroups that are too small."""
    gaps = [found for each in differences.values() if (found := _widest(each)) is not None]
    shown = [each for each in gaps if each.verdict != "cannot tell"]
    others = [_beyond_chance(widest), _alone(subgroups), _too_small(subgroups), _missing(subgroups, by)]
    return (*shown, *(each for each in gaps if each not in shown), *(each for each in others if each is not None))


def sentence_of_subgroups(differences: Mapping[str, Sequence[SubgroupDifference]], by: Sequence[str]) -> str:
    """One sentence for all metrics: in which ones subgroups surely differ, or that they do in none."""
    known = [each for found in differences.values() for each in found if not math.isnan(each.difference.low)]
    if not known:
        return ""
    sure = [each for each in known if each.verdict != "cannot tell"]
    widest = max(sure or known, key=lambda each: (-each.p_value, _size(each)))
    values = f"{number_text(widest.first_value)} against {number_text(widest.second_value)}"
    gap = f"{short_label(widest.label)} of {' against '.join(widest.names)}, {values}"
    if sure:
        labels = dict.fromkeys(short_label(each.label) for each in sure)
        return f"Subgroups by {' and '.join(by)} differ in {', '.join(labels)}; most surely in {gap}."
    listed = dict.fromkeys(short_label(each.label) for each in known)
    return (
        f"No gap by {' and '.join(by)} is more than chance would give, in {', '.join(listed)}: these data cannot tell. "
        f"The most striking is {gap}."
    )


def _widest(found: Sequence[SubgroupDifference]) -> Finding | None:
    """The widest gap that the data can show, or the widest of those that they cannot."""
    usable = [each for each in found if not math.isnan(each.difference.low)]
    sure = [each for each in usable if each.verdict != "cannot tell"]
    if not usable:
        return None
    widest = max(sure or usable, key=_size)
    gap = widest.difference
    numbers = {"difference": gap.value, "low": gap.low, "high": gap.high}
    numbers["p_value"] = widest.p_value
    return Finding(RULE, widest.verdict, widest.sentence if sure or len(usable) == 1 else _no_gap(widest), numbers)


def _size(each: SubgroupDifference) -> float:
    value = each.difference.value
    return abs(value) if each.scale == "difference" else max(value, 1 / value if value > 0 else float("inf"))


def _no_gap(widest: SubgroupDifference) -> str:
    gap = f"{widest.scale} {number_text(widest.difference.value)} {widest.difference.interval_text}".strip()
    values = f"{number_text(widest.first_value)} against {number_text(widest.second_value)}"
    return (
        f"No gap in {short_label(widest.label)} is more than chance would give; the widest is "
        f"{' against '.join(widest.names)}, {values} ({gap}): these data cannot tell at this size."
    )


def _beyond_chance(widest: Sequence[GroupGap]) -> Finding | None:
    """Of several subgroups some are the best and the worst by chance: how wide a gap is worth a look."""
    known = [each for each in widest if not math.isnan(each.p_equal)]
    if not known:
        return None
    least = min(known, key=lambda each: each.p_equal)
    adjusted = min(1.0, least.p_equal * len(known))  # the most striking of several gaps
    sure = adjusted <= 1 - least.confidence_level
    verdict = "a gap beyond chance" if sure else "no gap beyond chance"
    numbers = {"gap": least.value, "low": least.low, "high": least.high, "by_chance": least.by_chance, "p": adjusted}
    return Finding("widest gap against subgroups that are all alike", verdict, least.sentence, numbers)


def _alone(subgroups: Mapping[str, Evaluation]) -> Finding | None:
    if len(subgroups) > 1:
        return None
    name = next(iter(subgroups))
    return Finding("at least two subgroups", "one subgroup", f"There is one subgroup only, {name}: nothing to compare.")


def _too_small(subgroups: Mapping[str, Evaluation]) -> Finding | None:
    """Subgroups of which the data say hardly anything."""
    small = {name: each for name, each in subgroups.items() if each.sample.sizes.min() < FEW}
    if not small:
        return None
    listed = [f"{name} ({_sizes(each)})" for name, each in small.items()]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    what = f"fewer than {FEW} positives or negatives: {'; '.join(listed[:_SHOWN])}{more}"
    sizes = {name: each.n for name, each in small.items()}
    sentence = f"Too small to say much, with {what}."
    return Finding(f"fewer than {FEW} cases of a class", "too few cases", sentence, sizes)


def _sizes(each: Evaluation) -> str:
    if each.sample.several:
        return f"{each.sample.sizes.min():g} cases of the rarest class"
    return f"{each.positives:g} positives, {each.negatives:g} negatives"


def _missing(subgroups: Mapping[str, Evaluation], by: Sequence[str]) -> Finding | None:
    """Cases whose subgroup is not known are not left out."""
    size = sum(each.n for name, each in subgroups.items() if MISSING in name.split(", "))
    if not size:
        return None
    sentence = f"{size:,.7g} cases have no value in {' or '.join(by)}: they are judged as a subgroup {MISSING}."
    return Finding("missing values are a subgroup", "missing values", sentence, {"n": size})
