"""`gate`: may a new model take the place of the old one?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Unpack

from unconfuse._errors import ArgumentError, argument
from unconfuse._validate import check_number, check_probability
from unconfuse.api.comparison import compare
from unconfuse.api.evaluation import evaluate
from unconfuse.ingest import DataWords
from unconfuse.ingest.door import takes_data
from unconfuse.metrics import Metric, find_metric
from unconfuse.results.gate import Gate, not_worse, required, worst_first
from unconfuse.thresholds.promises import requirement

NEW, OLD = "new", "old"


@takes_data
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
    **data: Unpack[DataWords],
) -> Gate:
    """Whether a new model may take the place of the old one: pass, worse, or cannot tell.

    Parameters
    ----------
    y : array_like
        Labels.
    new, baseline : array_like
        Scores of both models of the same cases; without `baseline` only the requirements are checked.
    metrics : names or Metric objects
        In which the new model must not be worse.
    margin : float
        By how much it may be worse; 0 asks that it is better.
    require : texts, optional
        What the new model must show by itself, such as "sensitivity>=.9".
    threshold : float or mapping of "new" and "old" to float, optional
        Where decisions are cut, if a metric is one of decisions.
    error_rate : float
        How often, at most, a model that is worse by the margin passes, and one that is not worse is called worse.
    n_resamples, rng : int
        Of the bootstrap, where one is needed.
    **data
        The words of `Data`, such as `positive`, `weights` and `groups`.

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
    """
    allowed = check_probability(error_rate, "error_rate", open_interval=True)
    room = check_number(margin, "margin")
    if room < 0 or allowed >= 0.5:
        raise ArgumentError("`margin` must be 0 or more, and `error_rate` below 0.5.")
    wanted = [metrics] if isinstance(metrics, str | Metric) else list(metrics)
    asked = [requirement(each) for each in ([require] if isinstance(require, str) else require)]
    if baseline is None and not asked:
        raise ArgumentError(f"there is nothing to check. Hint: give the old model's scores, or {argument('require')}.")
    how: dict[str, Any] = {"confidence_level": 1 - 2 * allowed, "n_resamples": n_resamples, "rng": rng}
    checks, n = [], 0.0
    if baseline is not None:
        found = compare(y, {NEW: new, OLD: baseline}, metrics=wanted, threshold=threshold, **how, **data)
        n = found.n
        for name in found.metrics:
            metric, pair = find_metric(name), found[name, NEW, OLD]
            lower = metric.better == "lower"
            checks.append(not_worse(name, metric.label, pair.difference, room, n, lower_better=lower))
    if asked:
        own = threshold.get(NEW) if isinstance(threshold, Mapping) else threshold
        judged = evaluate(y, new, metrics=[name for name, _, _ in asked], threshold=own, **how, **data)
        n = judged.n
        checks += [required(judged[name], relation, bound, n) for name, relation, bound in asked]
    return Gate(worst_first(checks), n, allowed)
