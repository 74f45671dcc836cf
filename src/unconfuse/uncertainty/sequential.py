"""Intervals that hold at every look at data that grow.

Any number of looks: the critical value is that of a normal mixture (Robbins, 1970, Ann. Math. Stat. 41:1397; asymptotic
for what is asymptotically normal: Waudby-Smith et al., 2024, Ann. Stat. 52:2613), tightest near a number of cases that
is stated beforehand. It is handed to the interval that the metric has anyway. Measured: docs/coverage-time.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse._scipy_special import betaln, ndtr, ndtri, xlog1py, xlogy
from unconfuse.metrics import Metric
from unconfuse.table import IndependentSamples, Sample, Settings
from unconfuse.table.looks import Critical, Looks
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.uncertainty.method import NoInterval
from unconfuse.uncertainty.proportion_intervals import beta_quantile
from unconfuse.uncertainty.spending import chance_of_crossing, constant_critical_value, critical_values

RAREST = 10  # cases of the rarer class; with fewer AUROC and Brier score covered .90 to .925 over 30 looks, not .95
WEAK = 20  # positives, below which average precision covered .92 to .93
_HALVINGS = 200
_MOST = 700.0  # of which the exponential is a number
Engine = Callable[..., Mapping[str, Estimate]]


def mixture_variance(n: float, tightest: float, error: float) -> float:
    """Return the mixing variance over that of the mean: it makes intervals tightest near `tightest` cases."""
    return (-2 * math.log(error) + math.log(1 - 2 * math.log(error))) * n / tightest


def widened(n: float, tightest: float, error: float, *, one_sided: bool = False) -> float:
    """Return the critical value at n cases with which intervals hold at all n together.

    >>> round(widened(1000, 1000, .05), 3), round(widened(500, 2000, .05, one_sided=True), 3)
    (3.035, 2.956)
    """
    v = mixture_variance(n, tightest, error)
    root = math.sqrt(v + 1)
    return math.sqrt(2 * (v + 1) / v * math.log(1 + root / (2 * error) if one_sided else root / error))


def proportion_limits(successes: float, trials: float, tightest: float, error: float) -> tuple[float, float]:
    """Return limits of a proportion, each of which fails at any of all looks with a chance of at most `error`.

    Clopper and Pearson's at the tail of the widened critical value: a level would round to 1 for few cases.

    >>> low, high = proportion_limits(140, 200, 100, .05)
    >>> print(f"{low:.4f} {high:.4f}")
    0.6014 0.7871
    """
    if trials <= 0:
        return 0.0, 1.0
    tail = float(ndtr(-widened(trials, tightest, error, one_sided=True)))
    x, n = np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    return float(beta_quantile(x, n - x + 1, tail)), 1 - float(beta_quantile(n - x, x + 1, tail))


def exact_limits(successes: float, failures: float, error: float) -> tuple[float, float]:
    """Return the limits of a proportion that hold at every number of cases, from the first on.

    All p that a mixture of binomials with Jeffreys' weights does not make 1/error times less likely than itself
    (Robbins, 1970).

    >>> low, high = exact_limits(140, 60, .05)
    >>> print(f"{low:.4f} {high:.4f}")
    0.5827 0.8019
    """
    if successes + failures == 0:
        return math.nan, math.nan
    goal = float(betaln(successes + 0.5, failures + 0.5) - betaln(0.5, 0.5)) + math.log(error)
    top = successes / (successes + failures)

    def likely(p: float) -> bool:
        return float(xlogy(successes, p) + xlog1py(failures, -p)) > goal

    return _edge(likely, top, 0.0), _edge(likely, top, 1.0)


def _edge(holds: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where a condition that holds inside ceases to hold."""
    if holds(outside):
        return outside
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside


def level_at(looks: Looks, n: float, confidence_level: float, pairs: int = 1) -> Critical:
    """Return the level of one interval at this look; for several pairs of models the error is divided among them."""
    error = (1 - confidence_level) / pairs
    if looks.kind == "any":
        one = widened(n, looks.tightest, error / 2 if looks.one_sided else error, one_sided=True)
        if looks.one_sided:
            return Critical(one, one)
        return Critical(widened(n, looks.tightest, error), one)
    wide, inner = (_planned(looks, each) for each in (error / 2, error))
    return Critical(wide, wide if looks.one_sided else inner)


def _planned(looks: Looks, error: float) -> float:
    """Return the one-sided critical value of a planned look."""
    if not looks.spending:
        return constant_critical_value(looks.planned, error)
    if looks.now is None:
        raise ArgumentError(
            f"`looks` must say which of the {looks.planned} planned looks this is, as the error is spent by "
            f"{looks.spending}. Hint: '1/{looks.planned}:{looks.spending}', or let `gate(state=...)` count them."
        )
    shares = [look / looks.planned for look in range(1, looks.now + 1)]
    return critical_values(shares, error, looks.spending, looks.sizes)[-1]


def p_at(looks: Looks, n: float, confidence_level: float, z: float, pairs: int = 1) -> float:
    """Return the p-value that holds at every look of a difference that lies z standard errors from 0.

    It is at most the error exactly if the interval at this look leaves 0 out.
    """
    error = (1 - confidence_level) / pairs
    if looks.kind == "any":
        v = mixture_variance(n, looks.tightest, error / 2 if looks.one_sided else error)
        wealth = z * z * v / (2 * (v + 1))
        if looks.one_sided:  # twice the one-sided p-value
            return min(1.0, math.sqrt(v + 1) / math.expm1(min(wealth, _MOST))) if wealth > 0 else 1.0
        return min(1.0, math.sqrt(v + 1) * math.exp(-wealth))
    if not looks.spending:
        return min(1.0, 2 * chance_of_crossing(z, looks.planned)) if z > 0 else 1.0
    low, high = math.log(1e-15), 0.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if _planned(looks, math.exp(middle) / 2) > z else (low, middle)
    return math.exp(high)


def times_as_wide(level: Critical, confidence_level: float) -> float:
    """Return how many times as wide as at one look intervals about are: the ratio of the critical values."""
    return level.z / float(-ndtri((1 - confidence_level) / 2))


def reject_looks(sample: Sample | IndependentSamples, looks: Looks, *, comparing: bool = False) -> None:
    """Refuse data whose repeated looks nobody has worked out."""
    for part in sample.case_sets:
        for unfit, what in (
            (part.has_folds, "folds"),
            (part.is_double_sampled, "double sampling"),
            (part.is_sampled, "sampling weights"),
            (part.has_sites, "places (`site`)"),
            (bool(part.by), "subgroups (`by`)"),
        ):
            if unfit:
                raise ArgumentError(f"`looks` does not support {what}. Hint: remove one of them.")
    if comparing and looks.kind == "exact":
        raise ArgumentError("`looks='exact'` does not support differences: it is for proportions. Hint: `looks='any'`.")


def size_of(sample: Sample | IndependentSamples) -> float:
    """Return how many independent cases there are: clusters, where cases come in clusters."""
    return sum(float(case_set.n_groups) if case_set.is_clustered else case_set.n for case_set in sample.case_sets)


def rarest_of(sample: Sample | IndependentSamples) -> float:
    """Return the number of cases of the rarest class that occurs."""
    return min(float(min(case_set.sizes)) for case_set in sample.case_sets)


def too_few(sample: Sample | IndependentSamples) -> str:
    """Return why metrics of both classes have no interval yet; nothing if they have one."""
    found = rarest_of(sample)
    if found >= RAREST:
        return ""
    cases = f"{found:.10g} {'case' if found == 1 else 'cases'}"
    return NoInterval(f"no interval: {cases} of the rarer class, and at repeated looks intervals hold from {RAREST} on")


def estimates_at_every_look(
    metrics: Iterable[Metric], sample: Sample, design: Settings, engine: Engine
) -> dict[str, Estimate]:
    """Return estimates whose intervals hold at all looks together, each by its own method with a wider reach."""
    looks, wanted = design.looks, list(metrics)
    assert looks is not None
    reject_looks(sample, looks)
    once, own = replace(design, looks=None), sample.compact()
    if looks.kind == "exact":
        return {metric.name: _exactly(metric, sample, design, engine) for metric in wanted}
    level = level_at(looks, size_of(sample), design.confidence_level)
    found = engine(wanted, sample, once.with_confidence_level(level))
    return {metric.name: _at_every_look(metric, found[metric.name], own, design, level, engine) for metric in wanted}


def is_share(metric: Metric) -> bool:
    """Whether the interval is one of a proportion, which holds from the first case on."""
    return metric.interval in ("mid_p", "f1_of_jaccard")


def _at_every_look(
    metric: Metric, found: Estimate, sample: Sample, design: Settings, level: Critical, engine: Engine
) -> Estimate:
    looks = design.looks
    assert looks is not None
    ask = partial(_again, metric, sample, design, engine)
    reason = "" if is_share(metric) else too_few(sample)
    told = {"confidence_level": design.confidence_level, "recompute": ask, "ask_chance": None}
    if found.undefined is not None:
        return replace(found, **told)  # type: ignore[arg-type]
    if reason:
        return replace(found, **told, low=math.nan, high=math.nan, method=reason)  # type: ignore[arg-type]
    if math.isnan(found.low):
        return replace(found, **told)  # type: ignore[arg-type]
    more = words_of(looks, level, design.confidence_level)
    if metric.name == "average_precision" and sample.positives < WEAK:
        more += f", weak below {WEAK} positives"
    return replace(found, **told, method=found.method + f", {more}")  # type: ignore[arg-type]


def words_of(looks: Looks, level: Critical, confidence_level: float) -> str:
    """Return what an interval says of its looks, and by how much it is wider for them."""
    wider = f"{times_as_wide(level, confidence_level):.2f} times as wide as one look"
    which = "every look" if looks.kind == "any" else f"each of {looks.planned} looks"
    return f"at {which} ({wider})"


def _again(
    metric: Metric, sample: Sample, design: Settings, engine: Engine, *, confidence_level: float, method: str | None
) -> Estimate:
    """Ask again at another level; by another method at the level of this look."""
    settings = design.with_confidence_level(confidence_level)
    estimate = estimates_at_every_look([metric], sample, settings, engine)[metric.name]
    if method is None:
        return estimate
    looks = design.looks
    assert looks is not None
    if looks.kind == "exact":
        raise ArgumentError("`looks='exact'` does not support other methods. Hint: `looks='any'`.")
    level = level_at(looks, size_of(sample), confidence_level)
    plain = engine([metric], sample, replace(settings, looks=None))[metric.name].interval(
        confidence_level=level, method=method
    )
    return replace(
        plain, confidence_level=confidence_level, method=plain.method + f", {words_of(looks, level, confidence_level)}"
    )


def _exactly(metric: Metric, sample: Sample, design: Settings, engine: Engine) -> Estimate:
    """Return a proportion with its exact sequence; other metrics have none.

    It is not made of two sides: where an error is allowed on each of them, it takes that error for both together.
    """
    looks = design.looks
    assert looks is not None
    estimate = engine([metric], sample, replace(design, looks=None))[metric.name]
    if estimate.undefined is not None:
        return estimate
    fraction = metric.inference.fraction
    plain = {"recompute": partial(_again, metric, sample, design, engine), "ask_chance": None}
    if metric.of != "counts" or fraction is None or not is_share(metric):
        why = NoInterval("no interval: the exact sequence is for proportions")
        return replace(estimate, **plain, low=math.nan, high=math.nan, method=why)  # type: ignore[arg-type]
    if sample.is_clustered:
        raise ArgumentError("`looks='exact'` does not support clusters. Hint: `looks='any'`.")
    if sample.sampling.fixed_classes and metric.depends_on_prevalence:
        return replace(estimate, **plain)  # type: ignore[arg-type]
    successes, trials = (float(each) for each in fraction(sample.counts()))
    error = 1 - design.confidence_level
    low, high = exact_limits(successes, trials - successes, error / 2 if looks.one_sided else error)
    method = "exact sequence (beta mixture), at every look"
    return replace(estimate, **plain, low=low, high=high, method=method)  # type: ignore[arg-type]
