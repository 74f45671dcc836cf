"""`gate`: may a new model take the place of the old one?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Unpack

import numpy as np

from unconfuse._errors import ArgumentError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._validate import check_number, check_probability
from unconfuse.api._compare import families, models_of
from unconfuse.api._evaluate import evaluate
from unconfuse.ingest import Data, DataOptions
from unconfuse.ingest._read import public_data_api, reject_unknown
from unconfuse.ingest.data import has_many_labels, has_queries
from unconfuse.metrics import Metric
from unconfuse.results.contrast import Contrast
from unconfuse.results.gate import GateCheck, GateResult, in_subgroup, not_worse, required, worst_first
from unconfuse.results.gate_state import GateState, state_of
from unconfuse.table import Sample, Settings
from unconfuse.table.looks import Looks, check_looks
from unconfuse.thresholds.fixed_sequence import requirement
from unconfuse.uncertainty import Estimate, available
from unconfuse.uncertainty.difference_tests import bonferroni
from unconfuse.uncertainty.simultaneous import ContrastFamily, Draft, simultaneous

NEW, OLD = "new", "old"


@public_data_api
def gate(
    y: Any,
    new: Any,
    baseline: Any = None,
    *,
    metrics: Iterable[str | Metric] | str = ("auroc",),
    margin: float = 0.0,
    require: Iterable[str] | str = (),
    threshold: float | Mapping[str, float] | None = None,
    error_rate: float = 0.05,
    n_resamples: int = 2000,
    rng: int = 0,
    looks: str | int | None = None,
    state: Any = None,
    **data: Unpack[DataOptions],
) -> GateResult:
    """Whether a new model may take the place of the old one: pass, worse, or cannot tell.

    Parameters
    ----------
    y : array_like
        Labels.
    new, baseline : array_like
        Scores of both models of the same cases; without `baseline` only the requirements are checked. Or `new` is a
        mapping of both models' names to their scores, as in `compare`, and `baseline` the name of the old one.
    metrics : names or Metric objects
        In which the new model must not be worse.
    margin : float
        Largest acceptable loss; 0 requires that it is better.
    require : texts, optional
        What the new model must show by itself, such as "sensitivity>=.9".
    threshold : float or mapping of "new" and "old" to float, optional
        Where decisions are cut, if a metric is one of decisions; of models by name, a mapping of these names to float;
        of many labels, a mapping of label to float.
    error_rate : float
        How often, at most, a model that is worse by the margin in a metric passes, and one that is worse in none is
        called worse, however many metrics, requirements and subgroups are checked. Half of it is for "worse" among all
        cases (by Holm over the checks), half for "worse" in a subgroup (simultaneous limits); each check must pass at
        the whole.
    n_resamples, rng : int
        Of the bootstrap, where one is needed.
    looks : "any" or int, optional
        Cases come in over time and the gate is asked again and again: its error rates then hold over all looks
        together. "any" number of looks, or so many planned ones, as in `evaluate`. Each look takes all cases so far.
        Here the checks divide the error of "worse" equally (Bonferroni) instead of by Holm, whose steps would change
        from look to look; each check must pass at the whole, as at one look.
    state : path, optional
        A JSON file that remembers earlier looks, so that each narrows what they left, and planned looks are counted. It
        is made if there is none, and refuses another question, another model or missing cases. With it `looks` is "any"
        unless stated.
    **data
        The words of `Data`, such as `positive`, `weights`, `groups` and `by`. With `by`, a new model that is surely
        worse by the margin in a subgroup is worse; subgroups of which the data cannot tell are listed. `looks` does not
        support `by`, folds, double sampling and sampling weights.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(2000) < .3
    >>> old = y + rng.normal(size=2000)
    >>> uc.gate(y, old + .1 * rng.normal(size=2000), old, margin=.02).verdict
    'pass'
    >>> uc.gate(y, rng.normal(size=2000), old, margin=.02).verdict
    'worse'
    >>> uc.gate(y, {"first": old, "second": rng.normal(size=2000)}, baseline="first", margin=.02).verdict
    'worse'
    """
    allowed = check_probability(error_rate, "error_rate", open_interval=True)
    room = check_number(margin, "margin")
    if room < 0 or allowed >= 0.5:
        raise ArgumentError("`margin` must be 0 or more, and `error_rate` below 0.5.")
    wanted = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    asked = [requirement(each) for each in ([require] if isinstance(require, str) else require)]
    reject_unknown(data)
    new, baseline, threshold = _two_models(new, baseline, threshold)
    if baseline is None and not asked:
        raise ArgumentError(
            f"there is nothing to check. Hint: give the old model's scores, or {argument_name('require')}."
        )
    if data.get("site") is not None:
        raise ArgumentError(
            "`gate` does not support `site`. Hint: leave it out, or see `compare(..., site=...).sites`."
        )
    level, given = 1 - 2 * allowed, check_looks("any" if looks is None and state is not None else looks)
    is_whole = _is_whole(y, new, data)
    memory, scores = None, {NEW: new} | ({} if baseline is None else {OLD: baseline})
    if state is not None and given is not None and not is_whole:  # looks at whole cases are refused below
        compared = [each if isinstance(each, str) else each.name for each in wanted] if OLD in scores else []
        question = {"metrics": sorted(compared), "margin": room, "error_rate": allowed, "threshold": threshold}
        question |= {"require": sorted(f"{a}{b}{c:g}" for a, b, c in asked), "looks": given.text}
        question |= {name: _said(data, name) for name in ("weights", "groups", "positive")}
        memory = state_of(state, question, y, scores)
        given = memory.looks
    watched = None if given is None else replace(given, one_sided=True)
    settings = Settings.validated(level, n_resamples, rng, None, watched)
    conditions: list[_Condition] = []
    n, of_subgroups = 0.0, []
    if baseline is not None:
        sample, declared, found = _both(y, scores, data, wanted, threshold, settings, is_whole)
        n, drawn, reach = sample.n, sample.n_drawn, _reach(watched, sample, allowed)
        drafts = {metric: found[metric.name].draft(metric, (NEW, OLD)) for metric in declared}
        conditions += [_Compared(metric, draft, room, drawn, reach) for metric, draft in drafts.items()]
        if sample.by:
            of_subgroups = _in_subgroups(declared, sample, room, settings, allowed / 2)
    elif _by(y, data) is not None:
        raise ArgumentError("`by` compares two models in each subgroup. Hint: give the old model's scores too.")
    if asked:
        own = threshold.get(NEW) if isinstance(threshold, Mapping) and not is_whole else threshold
        how: dict[str, Any] = {"confidence_level": level, "n_resamples": n_resamples, "rng": rng, "looks": watched}
        judged = evaluate(y, new, metrics=[name for name, _, _ in asked], threshold=own, **how, **data)
        n, drawn, reach = judged.n, judged.sample.n_drawn, _reach(watched, judged.sample, allowed)
        conditions += [_Required(judged[name], relation, bound, drawn, reach) for name, relation, bound in asked]
    if watched is not None:
        return _at_this_look(conditions, level, n, allowed, watched, memory)
    failed = _surely_failed(conditions, allowed / 2)
    checks = [condition.check(condition.found(level), place in failed) for place, condition in enumerate(conditions)]
    return GateResult(worst_first(checks + of_subgroups), n, allowed)


def _two_models(new: Any, baseline: Any, threshold: Any) -> tuple[Any, Any, Any]:
    """Return the scores of the new model and of the old one, and the thresholds, where models are given by name."""
    if isinstance(new, Mapping) and isinstance(baseline, str) and baseline in new and len(new) == 2:
        new, baseline = {name: new[name] for name in new if name != baseline}, {baseline: new[baseline]}
    (new_name, new), (old_name, baseline) = _one_model(new, NEW), _one_model(baseline, OLD)
    if isinstance(threshold, Mapping):
        names = {old_name: OLD, new_name: NEW}
        threshold = {names.get(name, name): value for name, value in threshold.items()}
    return new, baseline, threshold


def _one_model(scores: Any, name: str) -> tuple[str, Any]:
    if not isinstance(scores, Mapping):
        return name, scores
    if len(scores) != 1:
        raise ArgumentError(
            f"a gate checks one new model against one old one; got {', '.join(map(short_repr, scores)) or 'none'}. "
            "Hint: give the scores of two models by name, and the name of the old one as `baseline`."
        )
    ((name, only),) = scores.items()
    return name, only


def _at_this_look(
    conditions: Sequence[_Condition], level: float, n: float, error: float, looks: Looks, memory: GateState | None
) -> GateResult:
    """Return what one of several looks says, with what a state remembers of the earlier ones.

    Every condition has the same share of the error at each look, and limits that hold at all looks together, so that
    "worse" is false at any look with at most half of the error, whatever the looks before showed.
    """
    share = error / 2 / len(conditions)
    if memory is None:
        checks = [condition.check(condition.found(level), condition.fails(share)) for condition in conditions]
        return GateResult(worst_first(checks), n, error, looks.text)
    checks = [
        condition.check(memory.narrowed(condition.kept_as, condition.found(level)), condition.fails(share))
        for condition in conditions
    ]
    result = GateResult(worst_first(memory.doubted(checks)), n, error, memory.looks.text, memory.look, *memory.decided)
    memory.save(result.verdict)
    return result


def _reach(looks: Looks | None, sample: Sample, error: float) -> float | None:
    """How many standard errors intervals reach at this look; None at the only one."""
    if looks is None or looks.kind == "exact":
        return None
    from unconfuse.uncertainty.sequential import level_at, size_of  # most data are looked at once

    return level_at(looks, size_of(sample), 1 - 2 * error).z


def _said(data: Mapping[str, Any], name: str) -> str | None:
    """Return what a state keeps of an argument of `Data`: "given" for values, or the name given; None without it."""
    found = next((data[each] for each in (name, name.removesuffix("s")) if data.get(each) is not None), None)
    return None if found is None else str(found) if np.ndim(found) == 0 else "given"


def _by(y: Any, data: Mapping[str, Any]) -> Any:
    return y.by if isinstance(y, Data) else data.get("by")


def _is_whole(y: Any, new: Any, data: Mapping[str, Any]) -> bool:
    """Whether cases have many labels, or documents are ranked for queries."""
    return has_many_labels(y, new, data.get("labels"), data.get("predicted")) or has_queries(y, data.get("query"))


def _both(
    y: Any,
    models: Mapping[str, Any],
    data: DataOptions,
    metrics: Sequence[str | Metric],
    threshold: Any,
    settings: Settings,
    is_whole: bool,
) -> tuple[Any, Sequence[Metric], Mapping[str, ContrastFamily]]:
    """Return both models on the same cases, the metrics, and their differences by metric."""
    if not is_whole:
        sample = models_of(y, models, data, settings, threshold=threshold)
        declared = available(metrics, sample)
        return sample, declared, families(declared, sample, [(NEW, OLD)], settings)
    from unconfuse.api import _multi_output  # most data are of one question

    request = _multi_output.MultiOutputRequest(settings, metrics, threshold)
    whole, declared = _multi_output.models_of(_multi_output.described(y, models, data), request)
    return whole, declared, _multi_output.families(declared, whole, [(NEW, OLD)], settings)


class _Condition(Protocol):
    """One condition of a gate: whether it surely fails at a one-sided error, what is found, and what is said of it.

    `kept_as` is the name under which a state keeps its limits.
    """

    @property
    def kept_as(self) -> str: ...
    def fails(self, error: float) -> bool: ...
    def found(self, level: float) -> Estimate: ...
    def check(self, found: Estimate, failed: bool) -> GateCheck: ...


@dataclass(frozen=True)
class _Compared:
    """The new model must not be worse than the old one in a metric."""

    metric: Metric
    draft: Draft
    margin: float
    n: float
    reach: float | None = None

    @property
    def kept_as(self) -> str:
        return f"{self.metric.name}: {NEW} - {OLD}"

    def fails(self, error: float) -> bool:
        low, high = self.draft.limits(1 - 2 * error)
        upper = -low if self.metric.better == "lower" else high
        return self.draft.p_value <= 2 * error and upper < 0

    def found(self, level: float) -> Estimate:
        (simultaneous_result,) = simultaneous([self.draft], bonferroni, level)
        return Contrast.held(self.metric, (NEW, OLD), (math.nan, math.nan), simultaneous_result, level).difference

    def check(self, found: Estimate, failed: bool) -> GateCheck:
        metric, how = self.metric, {"lower_better": self.metric.better == "lower", "worse": failed}
        return not_worse(metric.name, metric.label, found, self.margin, self.n, **how, reach=self.reach)


@dataclass(frozen=True)
class _Required:
    """The new model must meet a bound by itself."""

    estimate: Estimate
    relation: str
    bound: float
    n: float
    reach: float | None = None

    @property
    def kept_as(self) -> str:
        return self.estimate.name

    def fails(self, error: float) -> bool:
        if self.estimate.undefined:
            return False
        estimate = self.estimate.interval(confidence_level=1 - 2 * error)
        return estimate.low > self.bound if self.relation == "<=" else estimate.high < self.bound

    def found(self, level: float) -> Estimate:
        return self.estimate

    def check(self, found: Estimate, failed: bool) -> GateCheck:
        return required(found, self.relation, self.bound, self.n, missed=failed, reach=self.reach)


def _surely_failed(conditions: Sequence[_Condition], error: float) -> set[int]:
    """Holm's step-down over all conditions: any of them may fail a release, so all share one error."""
    failed: set[int] = set()
    while len(failed) < len(conditions):
        left = [place for place in range(len(conditions)) if place not in failed]
        found = {place for place in left if conditions[place].fails(error / len(left))}
        if not found:
            break
        failed |= found
    return failed


def _in_subgroups(
    metrics: Sequence[Metric], sample: Sample, margin: float, settings: Settings, error: float
) -> list[GateCheck]:
    """Whether the new model is surely worse by the margin in a subgroup: one-sided limits that hold for all at once."""
    from unconfuse.results.compared_subgroups import check_divided, contrasts_in
    from unconfuse.uncertainty.subgroup_contrasts import divided, upper_limits

    pair = NEW, OLD
    parts = divided(metrics, check_divided(sample), [pair], settings)
    checks = []
    for metric in metrics:
        moments, sign = parts.found[metric.name, pair], -1 if metric.better == "lower" else 1
        among = len(metrics)  # metrics share the error
        upper = upper_limits(moments, error / among, sign=sign, independent=parts.independent)
        for name, contrast in contrasts_in(metric, pair, parts, settings.confidence_level, alone=True).items():
            worse = upper[name] < -margin
            checks.append(in_subgroup(contrast, name, margin, lower_better=sign < 0, worse=worse))
    return checks
