"""`shift_prevalence`: the same classifier among other cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import nan

from unconfuse.bayesian import prevalence_of, shift_counts_estimates
from unconfuse.findings import counts_are_open, findings_at_prevalence
from unconfuse.metrics import Metric
from unconfuse.results.evaluation import Evaluation
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.binned import bounded_all
from unconfuse.uncertainty.estimates import Resampling, estimate_scores

NO_GROUPS = "no interval: the cases come in groups. Hint: evaluate with weights for this prevalence instead"


def shift_prevalence(
    evaluation: Evaluation, *, prevalence: float | tuple[int, int] | Estimate, confidence_level: float | None = None
) -> Evaluation:
    """The same classifier where positives are rarer or more common.

    Sensitivity and specificity stay as they are; what depends on prevalence is computed anew, with an interval that
    carries the uncertainty of sensitivity and specificity and, if the prevalence is an estimate, of the prevalence.

    Parameters
    ----------
    evaluation : Evaluation
    prevalence : float, (positives, cases) or Estimate
        A known prevalence, or the counts or the estimate it comes from.
    confidence_level : float, optional
        That of the evaluation by default.

    Examples
    --------
    >>> import unconfuse as uc
    >>> test = uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)
    >>> print(uc.shift_prevalence(test, prevalence=.02)["precision"].value)  # doctest: +ELLIPSIS
    0.268...
    """
    level = evaluation.confidence_level if confidence_level is None else confidence_level
    share = prevalence_of(prevalence)
    decisions = shift_counts_estimates(evaluation.counts, evaluation.metrics, share, confidence_level=level)
    found = _bounded(evaluation, share.value, decisions | _shifted_scores(evaluation, share.value, level))
    findings = () if counts_are_open(evaluation) else findings_at_prevalence(evaluation.counts, share.value)
    if evaluation.design == "clustered":
        found, findings = _without_groups(evaluation, found), findings[:1]
    return evaluation.replaced(
        estimates={name: found[name] for name in evaluation},
        counts=evaluation.counts.at_prevalence(share.value).times(evaluation.n),
        table=None if evaluation.table is None else evaluation.table.at_prevalence(share.value),
        confidence_level=level,
        findings=findings,
    )


def _bounded(evaluation: Evaluation, prevalence: float, found: dict[str, Estimate]) -> dict[str, Estimate]:
    """With a bound on everything, if the table is binned."""
    if evaluation.table is None or evaluation.table.is_exact:
        return found
    new = [each for each in evaluation.metrics if found[each.name].bound is None]
    return found | bounded_all(found, new, evaluation.table.at_prevalence(prevalence), evaluation.threshold)


def _without_groups(evaluation: Evaluation, found: Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Cases in groups: what depends on prevalence has a value but no interval, since a result keeps no rows."""
    moved = {each.name for each in evaluation.metrics if each.depends_on_prevalence}
    return {
        name: replace(found[name], low=nan, high=nan, method=NO_GROUPS, ask=None) if name in moved else evaluation[name]
        for name in evaluation
    }


def _shifted_scores(evaluation: Evaluation, prevalence: float, level: float) -> dict[str, Estimate]:
    """Metrics of scores: both class distributions stay, their weights change; resamples keep the class sizes."""
    if evaluation.table is None:
        return {}
    moved = [
        replace(each, function=partial(_at, each, prevalence), interval="bootstrap")
        for each in evaluation.metrics
        if each.of != "counts" and each.depends_on_prevalence
    ]
    how = Resampling(evaluation.n_resamples or 2000, evaluation.seed or 0, "case-control")
    found = estimate_scores(
        moved, evaluation.table.at_middles(), confidence_level=level, how=how, context=f"prevalence {prevalence:.4g}"
    )
    kept = {each.name: evaluation[each.name] for each in evaluation.metrics if each.of != "counts"}
    if level != evaluation.confidence_level:
        kept = {name: each.interval(confidence_level=level) for name, each in kept.items()}
    return kept | found


def _at(metric: Metric, prevalence: float, table: ScoreTable) -> Array:
    return metric(table.at_prevalence(prevalence))
