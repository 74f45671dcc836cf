"""What differences between subgroups mean, in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unconfuse._formatting import number_text, short_label
from unconfuse._phrases import counted, listed, told_apart
from unconfuse.policy import FEW, Verdict
from unconfuse.table.sample import MISSING
from unconfuse.uncertainty import Finding
from unconfuse.uncertainty.subgroup_range import SubgroupRange

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast
    from unconfuse.results.evaluation import Evaluation

OF_RANKING = ("auroc", "average_precision")
_SHOWN = 8
RULE = "Subgroups differ if the interval excludes 0 and the Holm-adjusted p is within the error of the level."


def findings_of_subgroups(
    subgroups: Mapping[str, Evaluation],
    differences: Mapping[str, Sequence[Contrast]],
    widest: Sequence[SubgroupRange],
    by: Sequence[str],
) -> tuple[Finding, ...]:
    """Return one finding for each metric, the conclusive ones first; then the subgroups that are too small."""
    gaps = [finding for difference in differences.values() if (finding := _widest(difference)) is not None]
    shown = [gap for gap in gaps if gap.verdict != Verdict.CANNOT_TELL]
    others = [_beyond_chance(widest), _alone(subgroups), _too_small(subgroups), _missing(subgroups, by)]
    return (*shown, *(gap for gap in gaps if gap not in shown), *(finding for finding in others if finding is not None))


def sentence_of_subgroups(differences: Mapping[str, Sequence[Contrast]], by: Sequence[str]) -> str:
    """Return one sentence for all metrics: in which ones subgroups differ beyond chance, or that it is inconclusive."""
    contrasts = [
        contrast
        for difference in differences.values()
        for contrast in difference
        if not math.isnan(contrast.difference.low)
    ]
    if not contrasts:
        return ""
    sure = [contrast for contrast in contrasts if contrast.verdict != Verdict.CANNOT_TELL]
    widest = max(sure or contrasts, key=lambda each: (-each.p_value, _size(each)))
    gap = f"{short_label(widest.label)}, {' vs '.join(widest.names)}: {_values(widest)}"
    labels = [*dict.fromkeys(short_label(contrast.label) for contrast in sure or contrasts)]
    if sure:
        return f"Subgroups by {' and '.join(by)} differ in {listed(labels)}; the smallest p is for {gap}."
    return (
        f"Inconclusive: no difference from {widest.names[1]} (by {' and '.join(by)}) exceeds chance, in "
        f"{listed(labels)}. The smallest p is for {gap}."
    )


def _values(pair: Contrast) -> str:
    one, other = told_apart(pair.first_value, pair.second_value)
    gap = f"{pair.scale} {number_text(pair.value)} {pair.interval_text}".strip()
    return f"{one} vs {other}, {gap}"


def _widest(found: Sequence[Contrast]) -> Finding | None:
    """Return the largest conclusive difference, or the largest of those that are not."""
    usable = [contrast for contrast in found if not math.isnan(contrast.difference.low)]
    sure = [contrast for contrast in usable if contrast.verdict != Verdict.CANNOT_TELL]
    if not usable:
        return None
    widest = max(sure or usable, key=_size)
    gap = widest.difference
    numbers = {"difference": gap.value, "low": gap.low, "high": gap.high}
    numbers["p_value"] = widest.p_value
    return Finding(RULE, widest.verdict, widest.sentence if sure or len(usable) == 1 else _no_gap(widest), numbers)


def _size(each: Contrast) -> float:
    value = each.difference.value
    return abs(value) if each.scale == "difference" else max(value, 1 / value if value > 0 else float("inf"))


def _no_gap(widest: Contrast) -> str:
    name, reference = widest.names
    return (
        f"Inconclusive: no difference from {reference} in {short_label(widest.label)} exceeds chance; the largest is "
        f"that of {name}, {_values(widest)}."
    )


def _beyond_chance(widest: Sequence[SubgroupRange]) -> Finding | None:
    """Of several subgroups some are the best and the worst by chance: compare the largest difference with that."""
    subgroup_ranges = [subgroup_range for subgroup_range in widest if not math.isnan(subgroup_range.p_equal)]
    if not subgroup_ranges:
        return None
    least = min(subgroup_ranges, key=lambda each: each.p_equal)
    adjusted = min(1.0, least.p_equal * len(subgroup_ranges))  # the most striking of several gaps
    sure = adjusted <= 1 - least.confidence_level
    verdict = Verdict.DIFFERENT if sure else Verdict.CANNOT_TELL
    numbers = {"gap": least.value, "low": least.low, "high": least.high, "by_chance": least.by_chance, "p": adjusted}
    rule = "The largest difference, compared with that among identical subgroups."
    return Finding(
        rule,
        verdict,
        least.sentence if len(subgroup_ranges) == 1 else _of_several(least, len(subgroup_ranges), adjusted),
        numbers,
    )


def _of_several(least: SubgroupRange, metrics: int, p: float) -> str:
    """Say what the probability is worth as the smallest of several."""
    limit = "0.001" if p < 0.001 else f"{p:.2g}"
    return (
        f"{least.sentence.removesuffix('.')}; one of {metrics} metrics would show so improbable a difference with "
        f"probability up to {limit}."
    )


def _alone(subgroups: Mapping[str, Evaluation]) -> Finding | None:
    if len(subgroups) > 1:
        return None
    name = next(iter(subgroups))
    sentence = f"Only one subgroup ({name}): nothing to compare it with."
    return Finding("At least two subgroups are needed.", "one subgroup", sentence)


def _too_small(subgroups: Mapping[str, Evaluation]) -> Finding | None:
    """Subgroups with too few cases."""
    small = {name: subgroup for name, subgroup in subgroups.items() if subgroup.sample.sizes.min() < FEW}
    if not small:
        return None
    listed = [f"{name} ({evaluation.class_sizes_text})" for name, evaluation in small.items()]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    what = next(iter(small.values())).cases_of_a_class
    sizes = {name: evaluation.n for name, evaluation in small.items()}
    sentence = f"Subgroups with fewer than {FEW} {what} have wide intervals: {'; '.join(listed[:_SHOWN])}{more}."
    return Finding(f"At least {FEW} cases of each class are needed.", Verdict.TOO_FEW, sentence, sizes)


def _missing(subgroups: Mapping[str, Evaluation], by: Sequence[str]) -> Finding | None:
    """Cases whose subgroup is not known are not left out."""
    size = sum(subgroup.n for name, subgroup in subgroups.items() if MISSING in name.split(", "))
    if not size:
        return None
    have = "has" if size == 1 else "have"
    sentence = f"{counted(size, 'case')} {have} no value in {' or '.join(by)}; they form the subgroup {MISSING}."
    return Finding("missing values are a subgroup", "missing values", sentence, {"n": size})
