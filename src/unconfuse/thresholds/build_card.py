"""The verb: check what was given, choose by every rule, measure honestly, wrap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from unconfuse._deprecated import parameter_aliases, renamed_parameters
from unconfuse._errors import ArgumentError
from unconfuse._parameters.decisions import VALIDATION
from unconfuse._validate import (
    check_both_classes,
    check_choice,
    check_list,
    check_not_empty,
    check_number,
    check_probability,
    check_resamples,
    check_seed,
    check_text,
    check_whole,
)
from unconfuse.curves._curve import single_table
from unconfuse.ingest._read import only_table, public_data_api
from unconfuse.ingest.data import CaseOptions
from unconfuse.metrics import Metric, find_metrics
from unconfuse.table import INTERVAL, Feature, Question, Sample, ScoreTable, parse_design
from unconfuse.thresholds.card import ThresholdCard
from unconfuse.thresholds.case_units import ClusteredCases, IndependentCases
from unconfuse.thresholds.fixed_sequence import GuaranteeSpec
from unconfuse.thresholds.rules import RuleOptions, ThresholdRule, rule_named, rules_of_card
from unconfuse.thresholds.validation import CardSettings, operating_points

_RATES = ("sensitivity", "specificity", "precision", "npv", "accuracy", "balanced_accuracy", "f1")
METRICS_SHOWN = (*_RATES, "youden_j", "mcc", "queue_rate")
Costs = tuple[float, float] | Mapping[str, tuple[float, float]]


@parameter_aliases(
    honest="validation", promises="guarantees", queue_rate="predicted_positive_rate", maximize="maximise"
)
@renamed_parameters(fixed="threshold", levels="b_levels")
@public_data_api
def threshold_card(
    y: Any,
    s: Any = None,
    *,
    costs: Costs | None = None,
    prevalence: float | None = None,
    validation: str | None = "bootstrap",
    rules: Iterable[str | ThresholdRule] | None = None,
    metrics: Iterable[str | Metric] | None = None,
    min_precision: float | None = 0.9,
    min_recall: float | None = 0.9,
    min_specificity: float | None = 0.9,
    predicted_positive_rate: float | None = 0.1,
    capacity: float | None = None,
    betas: Iterable[float] = (1.0,),
    b_levels: Iterable[float] = (0.5, 0.4, 0.6),
    maximise: Iterable[str | Metric] = (),
    guarantees: Iterable[str] = (),
    threshold: float | None = 0.5,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    folds: int = 20,
    repeats: int = 5,
    rng: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[CaseOptions],
) -> ThresholdCard:
    """Every way to choose a threshold side by side, with the performance to expect on new cases.

    Choosing a threshold and measuring it on the same data flatters it. Here the performance of every rule's threshold
    is corrected for the choice; how much the same-data value flatters is shown too.

    Parameters
    ----------
    y, s : array_like, data frame, file or ScoreTable
        Labels, and scores that are higher for "more likely positive"; or, as `y` alone, what holds both: a frame or
        file with the columns `label` and `score`, or a table made by `score_table`.
    costs : (fp, fn) or mapping of name to (fp, fn), optional
        Costs of a false positive and of a false negative, for one or for several stakeholders.
    prevalence : float, optional
        Share of positives where the threshold will be used. Thresholds are chosen for it, and `.at_prevalence` gives
        the metrics there.
    validation : {"bootstrap", "crossfit", "optimism", None}
        The same-data value less what left-out cases of a bootstrap show to be flattery; chosen on some folds and
        measured on the others; the same-data value less its bootstrap optimism; or the same-data value.
    rules : names or Rule objects, optional
        Only these.
    metrics : names or Metric objects, optional
        Which decision metrics to show.
    min_precision, min_recall, min_specificity : float, optional
        Limits for "the largest recall at this precision", "the largest precision at this recall" and "the largest
        sensitivity at this specificity"; None leaves a rule out.
    predicted_positive_rate : float, optional
        Share of the cases that can be labelled.
    capacity : float, optional
        The same as a number of cases, out of as many as there are here.
    betas : iterable of float
        F_beta to make as large as possible.
    b_levels : iterable of float
        Levels of B(r); 1/2 is the indistinguishability threshold.
    maximise : iterable of names or Metric objects
        Other decision metrics to make as large as possible, or as small where less is better, such as
        "balanced_accuracy" or "f_beta(2)"; the rule of jaccard is called "max_jaccard".
    guarantees : iterable of str
        What a threshold should promise of new cases with a probability of `confidence_level`, such as
        "precision>=0.9" (see `guarantee`).
    threshold : float, optional
        A threshold given beforehand. The default 0.5 is left out when scores are no probabilities.
    design : {"cohort", "case-control"}
    confidence_level : float
    n_resamples : int
        Bootstrap replicates, for the intervals of the thresholds, flat regions and optimism.
    folds, repeats : int
        Of the cross-fitting: parts, and how often they are dealt anew. No more folds than
        cases of the smaller class.
    rng : int
        Seed.
    progress : callable, optional
        Called with (done, total) resamples and folds.
    **data
        What the columns mean, which rows to read, which cases belong together: the words of `Data`. Groups are dealt
        and resampled whole.

    Returns
    -------
    ThresholdCard
        `card["youden"].threshold`, `.metrics` (honest), `.apparent`, `.optimism`, `.flat_region`; `card.to_frame()`;
        `card.to_json("card.json")`.

    Notes
    -----
    Intervals of bootstrap-corrected metrics are Wilson's with the spread of the resamples, each at its own threshold,
    about the data there. Those of cross-fitted metrics treat the pooled held-out labels as one 2x2 table; those of
    optimism-corrected metrics are the same-data intervals moved by the optimism. Intervals of thresholds are equal
    tails of bootstrap choices: for rules that maximise a curve they are rough, because such a threshold settles slowly.

    Examples
    --------
    >>> import unconfuse as uc
    >>> y, s = [0, 0, 1, 0, 1, 1, 0, 1, 1, 0], [.1, .2, .3, .35, .5, .6, .65, .7, .8, .4]
    >>> card = uc.threshold_card(y, s, costs={"clinic": (1, 10), "payer": (5, 1)}, n_resamples=100)
    >>> card["youden"].threshold.value, card["cost:clinic"].threshold.value, card["cost:payer"].threshold.value
    (0.5, 0.3, 0.7)
    >>> print(round(card["youden"].apparent["youden_j"].value, 2), round(card["youden"].optimism["youden_j"], 2) > 0)
    0.6 True
    """
    check_choice("none" if validation is None else validation, "validation", VALIDATION.choices)
    fixed_classes = parse_design(design)
    if prevalence is not None:
        prevalence = check_probability(prevalence, "prevalence", open_interval=True)
    question = Question.of("`threshold_card`", Feature.CLUSTERS)
    sample = only_table(y, s, data, question, named=True).with_design(fixed_classes)
    sample.sampling.require(INTERVAL)
    cases = cases_of(sample)
    settings = CardSettings(
        honest=None if validation == "none" else validation,
        prevalence=prevalence,
        design=design,
        confidence_level=check_probability(confidence_level, "confidence_level", open_interval=True),
        n_resamples=check_resamples(n_resamples, at_least=1),
        folds=check_whole(folds, "folds", at_least=2),
        repeats=check_whole(repeats, "repeats", at_least=1),
        rng=check_seed(rng),
    )

    wishes = RuleOptions(
        n=cases.table.n,
        probable=not cases.table.probability_problem,
        costs=_pairs_of(costs),
        betas=check_list(betas, "betas"),
        maximise=find_metrics(maximise),
        min_precision=min_precision,
        min_recall=min_recall,
        min_specificity=min_specificity,
        queue_rate=predicted_positive_rate,
        capacity=capacity,
        levels=check_list(b_levels, "b_levels"),
        promises=_promises(guarantees, sample, settings),
        fixed=threshold,
    )
    chosen = _wanted(wishes, rules)
    shown = _decision_metrics(metrics)
    points = operating_points(cases, chosen, shown, settings, progress)
    label, skipped = sample.positive_label, sample.skipped
    summary = _summary(cases.table, 1 if label is None else label) | ({"skipped": skipped.as_dict()} if skipped else {})
    how = settings.as_dict() | ({"groups": sample.n_groups} if sample.sampling.clustered else {})
    how |= {"costs": {who: list(pair) for who, pair in _pairs_of(costs).items()}} if costs is not None else {}
    return ThresholdCard(points, summary, settings.honest, prevalence, how, cases.table, _pairs_of(costs), sample)


def cases_of(sample: Sample) -> IndependentCases:
    """Return the cases to choose on, each for itself or in groups."""
    check_not_empty(int(sample.n > 0))
    check_both_classes(sample.positives, sample.negatives, sample.positive_label)
    if not sample.sampling.clustered:
        return IndependentCases(single_table(sample.table().exact("a threshold card")), sample.sampling.fixed_classes)
    return ClusteredCases(sample.rows_for("a threshold card of cases in groups"))


def _promises(promises: Iterable[str], sample: Sample, settings: CardSettings) -> list[GuaranteeSpec]:
    """Binomial tests count whole cases, each for itself, at the prevalence of the data."""
    wanted = [promises] if isinstance(promises, str) else list(promises)
    if wanted and (sample.sampling.clustered or sample.has_fractions or settings.prevalence is not None):
        raise ArgumentError(
            "a promise counts whole cases, each for itself, at the prevalence of the data. Hint: leave `guarantees` "
            "out, or use `guarantee`, which knows other prevalences."
        )
    return [GuaranteeSpec.parse(each, probability=settings.confidence_level) for each in wanted]


def _in_order(pair: Any) -> Any:
    """Return what a false positive and a false negative cost, also if they come by name."""
    return (pair["fp"], pair["fn"]) if isinstance(pair, Mapping) and set(pair) == {"fp", "fn"} else pair


def _pairs_of(costs: Costs | None) -> dict[str, tuple[float, float]]:
    """Each stakeholder's costs, checked."""
    if costs is None:
        return {}
    named = dict(costs) if isinstance(costs, Mapping) and set(costs) != {"fp", "fn"} else {"": costs}
    try:
        pairs = {
            str(who): (check_number(fp, "costs"), check_number(fn, "costs"))
            for who, (fp, fn) in ((who, _in_order(pair)) for who, pair in named.items())
        }
    except (TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(
            f"`costs` must be (fp, fn) or a mapping of names to (fp, fn); got {costs!r}. Hint: costs=(1, 10)."
        ) from None
    for who, pair in pairs.items():
        if min(pair) < 0 or max(pair) == 0:
            whose = f" for {who}" if who else ""
            raise ArgumentError(f"`costs` must be at least 0 and not both 0; got {pair}{whose}.")
    return pairs


def _wanted(wishes: RuleOptions, rules: Iterable[str | ThresholdRule] | None) -> list[ThresholdRule]:
    known = rules_of_card(wishes)
    if rules is None:
        return list(known.values())
    threshold_rules = []
    for each in [rules] if isinstance(rules, str | ThresholdRule) else check_list(rules, "rules"):
        if isinstance(each, ThresholdRule):
            threshold_rules.append(each)
            continue
        check_text(each, "the name of a rule")
        matching = [name for name in known if name == each or name.partition("(")[0] == each]
        threshold_rules += [known[name] for name in matching] or [rule_named(each, wishes.n, known)]
    return threshold_rules


def _decision_metrics(metrics: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    wanted = find_metrics(METRICS_SHOWN if metrics is None else metrics)
    others = [metric.name for metric in wanted if metric.of != "counts"]
    if others:
        raise ArgumentError(f"a threshold card shows metrics of decisions; {', '.join(others)} evaluate the ranking.")
    needed = find_metrics(("sensitivity", "specificity", "precision", "youden_j", "queue_rate"))
    return tuple({metric.name: metric for metric in (*wanted, *needed)}.values())


def _summary(table: ScoreTable, positive_label: object) -> dict[str, Any]:
    label = positive_label.item() if isinstance(positive_label, np.generic) else positive_label
    return {
        "n": table.n,
        "positives": table.n_positives,
        "prevalence": table.prevalence,
        "lowest_score": float(table.score[-1]),
        "highest_score": float(table.score[0]),
        "positive_label": label,
    }
