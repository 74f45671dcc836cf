"""How many cases a test set needs before a metric can tell two classifiers apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._deprecated import parameter_aliases, renamed_parameters
from unconfuse._errors import ArgumentError, argument_name
from unconfuse._parameters.uncertainty import DESIGN
from unconfuse._validate import check_choice, check_number, check_probability, check_seed, public_api
from unconfuse.metrics import Metric, find_metric
from unconfuse.populations import Population
from unconfuse.resolving.difference_plan import DifferencePlan, resolving_plan, resolving_plan_on_same_cases
from unconfuse.resolving.model_sequence import TablePopulation
from unconfuse.resolving.sample_sizes import SampleSize, StudyGoal, sample_size
from unconfuse.resolving.score_sampling import Progress
from unconfuse.resolving.standard_errors import DecisionErrors, RankingErrors
from unconfuse.resolving.study import Study, Wanted, as_model, usual_quality
from unconfuse.table import Counts


@parameter_aliases(at="quality")
@renamed_parameters(paired="score_correlation")
@public_api
def plan(
    model: Any = None,
    *,
    metric: Wanted = "auroc",
    difference: float | None = None,
    width: float | None = None,
    power: float | None = None,
    margin: float | None = None,
    null: float | None = None,
    prevalence: float | None = None,
    quality: float | None = None,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    score_correlation: float | None = None,
    icc: float | None = None,
    group_size: float | None = None,
    method: str | None = None,
    n_samples: int | None = None,
    design: str = "cohort",
    confidence_level: float = 0.95,
    rng: int = 0,
    progress: Progress | None = None,
) -> DifferencePlan | SampleSize:
    """Find the smallest number of cases with which a metric resolves a difference, or reaches another goal.

    With `difference` alone: kappa <= difference, which gives a two-sided test of two models a power of about 79%
    (`power` of the result). With `width`: the interval is no wider. With `power`: a test shows, with this probability,
    that the metric differs from `null`, that two models differ by `difference`, or that a model is worse than another
    by less than `margin`.

    Parameters
    ----------
    model : sampling model, data, score table, Evaluation or Counts, optional
        Where scores or decisions come from; not needed for decisions if `sensitivity` and `specificity` are given.
    metric : name, Metric or function of a score table
        Decisions too: "sensitivity", "accuracy", "f1", "mcc", "net_benefit(0.1)", ...
    difference : float, optional
        Between two models: of decisions, on the metric's own scale; of rankings, on the scale of the AUROC.
    width, power, margin, null : float, optional
        The goal, see above. The margin and the null are on the metric's own scale.
    prevalence : float, optional
        Share of positives; that of the data by default, if the model holds data.
    quality : float, optional
        AUROC of the classifiers; that of the data or distributions given by default, else 0.75.
    threshold : float, optional
        At which scores become decisions; that with the highest Youden J by default.
    sensitivity, specificity : float, optional
        Of the decisions, instead of a model.
    score_correlation : float, optional
        Both models are judged on the same cases, and their scores (or decisions) have this correlation within each
        class. Without it each model has a test set of its own.
    icc, group_size : float, optional
        Correlation within groups and cases of a group, if cases come in groups.
    method : {"auto", "asymptotic", "full"}
        For kappa: "auto" trusts theory where it finds at least 1,000 positives, and simulates otherwise.
    n_samples, rng, progress
        As in `resolving_power`, where something is simulated.
    design : {"cohort", "case-control"}
        Whether the number of positives varies from test set to test set, as it does for `evaluate`, or is fixed.
    confidence_level : float
        Of the interval; tests have the error that it leaves.

    Returns
    -------
    Plan or SampleSize

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.plan(uc.Binormal(), metric="auroc", difference=.01, prevalence=.1)
    >>> found.n, found.positives
    (98646, 9865)
    >>> round(found.power, 2)
    0.79
    >>> uc.plan(metric="sensitivity", sensitivity=.9, width=.1, prevalence=.2).n
    705
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    check_choice(design, "design", DESIGN.choices)
    numbers = _checked({"width": width, "power": power, "margin": margin}, icc, group_size)
    _one_goal(width=width, null=null, margin=margin, difference=difference, score_correlation=score_correlation)
    goal = StudyGoal(null=_number(null, "null"), difference=_number(difference, "difference"), level=level, **numbers)
    wanted = metric if isinstance(metric, Metric) else find_metric(metric) if isinstance(metric, str) else None
    asked = {"n_samples": n_samples, "progress": progress, "method": method}
    words = {"threshold": threshold, "sensitivity": sensitivity, "specificity": specificity}
    if wanted is not None and wanted.of == "counts":
        reject_given(asked | {"quality": quality} if has_rates(model) else asked, "decisions need no simulation")
        sampling = getattr(getattr(model, "sample", None), "sampling", None)
        if icc is None and sampling is not None and sampling.clustered:
            alike = f"{argument_name('icc')} and {argument_name('group_size')}"
            raise ArgumentError(f"these cases come in groups. Hint: say how alike they are, {alike}.")
        rates = rates_of(model, prevalence=prevalence, at=quality, **words)
        decisions = DecisionErrors(wanted, *rates[:3], design, _correlation(score_correlation))
        if model is None and None in (sensitivity, specificity):
            decisions.check_enough("specificity" if specificity is None else "sensitivity")
        return sample_size(decisions, goal, _assumed(goal, score_correlation, rates[3]))
    reject_given(words, "it is for metrics of decisions, such as `metric='sensitivity'`")
    if model is None:
        raise ArgumentError(
            "`model` is missing: say where scores come from, such as uc.Binormal() or uc.Empirical(y, s)."
        )
    model = as_model(model)
    quality = usual_quality(model) if quality is None else quality
    study = Study(model, [metric], n=1e6, prevalence=prevalence, at=quality, design=design)
    if goal.width is None and goal.power is None and score_correlation is None:
        reject_given({"margin": margin, "null": null}, "goes with `power`")
        reject_given({"icc": icc, "group_size": group_size}, "goes with `width` or `power`")
        return resolving_plan(study, goal, method or "auto", n_samples or 10_000, rng, progress)
    reject_given(asked, "is for kappa of models with a test set of their own each")
    place = study.metrics[0], study.model, study.at[0], study.sizes.prevalence, study.sizes.design
    spread = RankingErrors(*place, _correlation(score_correlation), check_seed(rng))
    if goal.width is None and goal.power is None:
        reject_given({"margin": margin, "null": null}, "goes with `power`")
        return resolving_plan_on_same_cases(spread, goal)
    return sample_size(spread, goal, _assumed(goal, score_correlation, f"AUROC {study.at[0]:.3g}"))


def _checked(goals: dict[str, float | None], icc: float | None, group_size: float | None) -> dict[str, Any]:
    """Numbers of a goal, in their ranges."""
    found: dict[str, Any] = {}
    for name, given in goals.items():
        found[name] = None if given is None else check_probability(given, name, open_interval=True)
    if found["width"] is not None and found["power"] is not None:
        raise ArgumentError("`width` and `power` are two goals. Hint: plan for each, and take the larger n.")
    if found["margin"] is not None and found["power"] is None:
        raise ArgumentError("`margin` goes with `power`: the probability with which non-inferiority is to be shown.")
    if (icc is None) != (group_size is None):
        raise ArgumentError("`icc` and `group_size` go together: correlation within groups, and cases of a group.")
    if icc is not None and group_size is not None:
        found["icc"] = check_probability(icc, "icc")
        if (size := check_number(group_size, "group_size")) < 1:
            raise ArgumentError(f"`group_size` must be at least 1; got {size:g}.")
        found["group_size"] = size
    return found


def _one_goal(**given: float | None) -> None:
    """Refuse what belongs to another goal."""
    if given["width"] is not None:
        others = {name: each for name, each in given.items() if name != "width"}
        reject_given(others, "the width is that of one model's interval")
    if given["null"] is not None:
        others = {name: given[name] for name in ("margin", "difference", "score_correlation")}
        reject_given(others, "one model is compared with the number that `null` says")


def _number(value: float | None, name: str) -> float | None:
    return None if value is None else check_number(value, name)


def _correlation(paired: float | None) -> float | None:
    if paired is not None and not -1 < check_number(paired, "score_correlation") < 1:
        raise ArgumentError(f"`score_correlation` is a correlation between -1 and 1; got {paired:g}.")
    return paired


def reject_given(arguments: dict[str, Any], why: str) -> None:
    """No argument is ignored: those that were given and mean nothing here are refused."""
    for name, given in arguments.items():
        if given is not None:
            raise ArgumentError(f"`{name}` does not apply: {why}.")


def _assumed(goal: StudyGoal, paired: float | None, place: str) -> str:
    """Say in words what was taken for granted."""
    if goal.width is not None or goal.null is not None:
        return f"Assumed: {place}."
    same = "each model has a test set of its own" if paired is None else f"the same cases, correlation {paired:g}"
    return f"Assumed: {place}; {same}."


# Sensitivity and specificity come from what describes decisions: numbers, four counts, an evaluation, scores, a model.


Found = tuple[float, float, float, str]  # sensitivity, specificity, prevalence, and where they are from


def has_rates(model: Any) -> bool:
    """Whether decisions are given, so that no quality of scores can be asked for."""
    return model is None or isinstance(_counts_of(model), Counts)


def _counts_of(model: Any) -> Any:
    """Four counts, or those of an evaluation."""
    return model if isinstance(model, Counts) else getattr(model, "counts", None)


def rates_of(
    model: Any,
    *,
    prevalence: float | None,
    at: float | None,
    threshold: float | None,
    sensitivity: float | None,
    specificity: float | None,
) -> Found:
    """Return the rates that a plan is made for."""
    if model is None:
        if threshold is not None:
            raise ArgumentError("`threshold` cuts scores, and no `model` of scores is given.")
        return _given(prevalence, sensitivity, specificity)
    if sensitivity is not None or specificity is not None:
        raise ArgumentError("give a model, or `sensitivity` and `specificity`, not both.")
    counts = _counts_of(model)
    if isinstance(counts, Counts):
        if threshold is not None:
            raise ArgumentError("`threshold` cuts scores, and these decisions are made already.")
        return _of_counts(counts, prevalence)
    return _of_scores(as_model(model), prevalence, at, threshold)


def _given(prevalence: float | None, sensitivity: float | None, specificity: float | None) -> Found:
    """Return the given rates; one not given is one half, where a metric's variance does not depend on it."""
    if sensitivity is None and specificity is None:
        raise ArgumentError("decisions are missing: give a model, four counts, or `sensitivity=` and `specificity=`.")
    if prevalence is None:
        raise ArgumentError("`prevalence` is missing: the share of positives.")
    share = check_probability(prevalence, "prevalence", open_interval=True)
    given = {"sensitivity": sensitivity, "specificity": specificity}
    rates = {name: check_probability(0.5 if each is None else each, name) for name, each in given.items()}
    words = ", ".join(f"{name} {each:.3g}" for name, each in given.items() if each is not None)
    return _inside(rates["sensitivity"]), _inside(rates["specificity"]), share, words


def _inside(rate: float) -> float:
    """Rates of exactly 0 and 1 have no log-odds."""
    return float(np.clip(rate, 1e-6, 1 - 1e-6))


def _of_counts(counts: Counts, prevalence: float | None) -> Found:
    if not float(counts.positives) > 0 or not float(counts.negatives) > 0:
        raise ArgumentError("these counts have one class only; a plan needs both.")
    share = float(counts.positives / (counts.positives + counts.negatives)) if prevalence is None else prevalence
    rates = float(counts.tp / counts.positives), float(counts.tn / counts.negatives)
    words = f"sensitivity {rates[0]:.3g} and specificity {rates[1]:.3g}, as in these decisions"
    return _inside(rates[0]), _inside(rates[1]), check_probability(share, "prevalence", open_interval=True), words


def _of_scores(model: Any, prevalence: float | None, at: float | None, threshold: float | None) -> Found:
    own = hasattr(model, "prevalence")
    quality = usual_quality(model) if at is None else at
    if prevalence is None and not own:
        raise ArgumentError(f"`prevalence` is missing: {model!r} holds no data.")
    share = check_probability(model.prevalence if prevalence is None else prevalence, "prevalence", open_interval=True)
    population = model.population_at(check_probability(quality, "quality"))
    tpr, fpr, score = _curve(population)
    if threshold is None:
        place, words = int(np.argmax(tpr - fpr)), "the threshold with the highest Youden J"
    else:
        cut = check_number(threshold, "threshold")
        place, words = int(np.sum(score >= cut)), f"threshold {cut:g}"
    rates = float(tpr[place]), float(1 - fpr[place])
    words = f"AUROC {quality:.3g}, {words}: sensitivity {rates[0]:.3g}, specificity {rates[1]:.3g}"
    return _inside(rates[0]), _inside(rates[1]), share, words


def _curve(population: Population | TablePopulation) -> tuple[Any, Any, Any]:
    """Return true and false positive rates from (0, 0) on, and the scores that are labelled one after the other."""
    if isinstance(population, TablePopulation):
        table = population.sized(1.0, 1.0)
        tpr, fpr = (np.append(0.0, np.cumsum(each)) for each in (table.positives, table.negatives))
        return tpr, fpr, table.score
    tpr, fpr = population.points(4000)
    if population.threshold_at is None:
        return tpr, fpr, np.full(len(tpr) - 1, np.nan)
    with np.errstate(all="ignore"):
        return tpr, fpr, population.threshold_at(tpr[1:])
