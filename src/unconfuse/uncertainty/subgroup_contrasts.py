"""Two models in each of several subgroups: differences that hold for all subgroups at once, and whether they differ.

Subgroups share no case, so their errors are independent: the critical value solves prod(2 T_g(c) - 1) = level with
each subgroup's own degrees of freedom, exactly. Where clusters have cases in several subgroups their errors may go
together, and tails are added instead (Bonferroni). A difference without any spread gets two pseudo cases, +1 and -1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unconfuse._scipy_special import betainc, stdtr, stdtrit
from unconfuse.metrics import Metric
from unconfuse.metrics.requirements import by_cut
from unconfuse.table import Array, InMemorySample, Settings
from unconfuse.uncertainty.contrasts import PairedContrasts
from unconfuse.uncertainty.difference_tests import SMALLEST
from unconfuse.uncertainty.joint_replicates import value_of
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.simultaneous import Draft, Pair, SimultaneousResult, SubgroupMoments

_FARTHEST = 1e6  # standard errors; one degree of freedom and a hundred subgroups need some 10,000
_NEAR = 1e-12


def critical_value(freedoms: Sequence[float], error: float, *, sides: int = 2, independent: bool = True) -> float:
    """Return how many standard errors hold all contrasts at once, each with its own degrees of freedom.

    >>> print(f"{critical_value([19, 24, 29], 0.05):.6f} {critical_value([19, 24, 29], 0.05, sides=1):.6f}")
    2.572350 2.254050
    """
    low, high = 0.0, _FARTHEST
    while high - low > _NEAR * high:
        middle = (low + high) / 2
        beyond = any_beyond(middle, np.asarray(freedoms), sides=sides, independent=independent)
        low, high = (middle, high) if beyond > error else (low, middle)
    return high


def any_beyond(reach: float, freedoms: Array, *, sides: int = 2, independent: bool = True) -> float:
    """Return how probable it is that any of several t values lies so far out."""
    tails = np.minimum(sides * stdtr(freedoms, -reach), 1.0)
    if not independent:
        return float(min(tails.sum(), 1.0))
    with np.errstate(divide="ignore"):
        return float(-np.expm1(np.log1p(-tails).sum()))


def in_all_subgroups(
    found: Mapping[str, SubgroupMoments], error: float, method: str, *, among: int = 1, independent: bool = True
) -> dict[str, SimultaneousResult]:
    """Return every subgroup's difference with a single-step interval and a step-down p-value.

    `among` is how many families of subgroups there are, such as pairs of models: each has its share of the error.
    """
    known = {name: subgroup_moments for name, subgroup_moments in found.items() if subgroup_moments.known}
    freedoms = {name: subgroup_moments.freedom for name, subgroup_moments in known.items()}
    own = error / among
    reach = critical_value(list(freedoms.values()), own, independent=independent) if known else math.nan
    far = {name: abs(subgroup_moments.value) / subgroup_moments.error for name, subgroup_moments in known.items()}
    adjusted, reached = {}, 0.0
    for name in sorted(far, key=lambda each: (-far[each], each)):
        left = np.array([freedoms[other] for other in known if other not in adjusted])
        reached = max(reached, min(1.0, among * any_beyond(far[name], left, independent=independent)))
        adjusted[name] = max(reached, SMALLEST)
    return {
        name: _held(subgroup_moments, method, adjusted.get(name, math.nan), reach if name in known else math.nan, own)
        for name, subgroup_moments in found.items()
    }


def _held(each: SubgroupMoments, method: str, adjusted: float, reach: float, error: float) -> SimultaneousResult:
    p = max(float(2 * stdtr(each.freedom, -abs(each.value) / each.error)), SMALLEST) if each.known else math.nan

    def ends(level: float) -> tuple[float, float]:
        far = float(stdtrit(each.freedom, (1 + level) / 2)) * each.error
        return each.value - far, each.value + far

    how = method if each.known else NoInterval("no interval: too few cases")
    draft = Draft(each.value, each.error, how, p, "t", ends)
    low, high = each.value - reach * each.error, each.value + reach * each.error
    level = 1 - 2 * float(stdtr(each.freedom, -reach)) if each.known else math.nan
    return SimultaneousResult(draft, low, high, adjusted, level)


def upper_limits(
    found: Mapping[str, SubgroupMoments], error: float, *, sign: int = 1, independent: bool = True
) -> dict[str, float]:
    """Return one-sided upper limits of all differences (times `sign`) that hold at once; NaN where there is none."""
    freedoms = [subgroup_moments.freedom for subgroup_moments in found.values() if subgroup_moments.known]
    reach = critical_value(freedoms, error, sides=1, independent=independent) if freedoms else math.nan
    return {
        name: sign * subgroup_moments.value + reach * subgroup_moments.error if subgroup_moments.known else math.nan
        for name, subgroup_moments in found.items()
    }


def welch(found: Sequence[SubgroupMoments]) -> tuple[float, float, float]:
    """Return Welch's F of equal differences, its second degrees of freedom, and the p-value; NaN for fewer than two.

    Welch (1951), Biometrika 38:330.

    >>> one, other = SubgroupMoments(1 / 12, 0.192996048528136, 11, 12), SubgroupMoments(1 / 15, 0.0746618238946069, 59,
    ...     60)
    >>> print("{:.6f} {:.4f} {:.6f}".format(*welch([one, other])))
    0.006487 14.4784 0.936910
    """
    known = [subgroup_moments for subgroup_moments in found if subgroup_moments.known]
    k = len(known)
    if k < 2:
        return math.nan, math.nan, math.nan
    weight = np.array([subgroup_moments.error**-2.0 for subgroup_moments in known])
    value, freedom = (
        np.array([subgroup_moments.value for subgroup_moments in known]),
        np.array([subgroup_moments.freedom for subgroup_moments in known]),
    )
    mean = float(weight @ value / weight.sum())
    spread = float(((1 - weight / weight.sum()) ** 2 / freedom).sum())
    f = float(weight @ (value - mean) ** 2) / (k - 1) / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    second = (k**2 - 1) / (3 * spread)
    return f, second, max(float(betainc(second / 2, (k - 1) / 2, second / (second + (k - 1) * f))), SMALLEST)


@dataclass(frozen=True)
class DividedContrasts:
    """All subgroups' differences of each metric and pair, and whether subgroups err independently of each other."""

    found: Mapping[tuple[str, Pair], Mapping[str, SubgroupMoments]]
    values: Mapping[tuple[str, str], Mapping[str, float]]  # by metric and subgroup, of each model
    independent: bool


def divided(
    metrics: Sequence[Metric], sample: InMemorySample, pairs: Sequence[Pair], design: Settings
) -> DividedContrasts:
    """Return what the cases of every subgroup say of every pair of models."""
    found: dict[tuple[str, Pair], dict[str, SubgroupMoments]] = {
        (each.name, pair): {} for each in metrics for pair in pairs
    }
    values: dict[tuple[str, str], Mapping[str, float]] = {}
    for name, part in sample.by_subgroup().items():
        for own, some in by_cut(metrics, part):
            paired = (
                None if own.is_clustered and own.n_groups < 2 else PairedContrasts(some, own, pairs, design, "max-t")
            )
            for metric in some:
                values[metric.name, name] = (
                    {model: value_of(metric, own, model) for model in own.models}
                    if paired is None
                    else paired.values[metric.name]
                )
                for pair in pairs:
                    one, other = (values[metric.name, name][model] for model in pair)
                    unknown = SubgroupMoments(one - other, math.nan, math.nan, own.n)
                    subgroup_moments = unknown if paired is None else paired.moments(metric, pair)
                    span = metric.range[1] - metric.range[0]
                    subgroup_moments = (
                        subgroup_moments.padded(span)
                        if subgroup_moments.error == 0 and math.isfinite(span)
                        else subgroup_moments
                    )
                    found[metric.name, pair][name] = subgroup_moments
    return DividedContrasts(found, values, not _straddling(sample))


def _straddling(sample: InMemorySample) -> bool:
    """Whether a cluster has cases in several subgroups."""
    if sample.groups is None or sample.division is None:
        return False
    both = np.unique(np.stack([sample.groups, sample.division.code]), axis=1)
    return bool(len(np.unique(both[0])) < both.shape[1])
