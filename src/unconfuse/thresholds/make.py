"""The verb: check what was given, choose by every rule, measure honestly, wrap."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from unconfuse._errors import ArgumentError, UnknownNameError, nearest
from unconfuse._plain import brief
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
from unconfuse.curves._curve import plain
from unconfuse.ingest.data import CaseWords
from unconfuse.ingest.door import only_table, takes_data
from unconfuse.metrics import Metric, find_metrics
from unconfuse.table import NearSample, Sample, ScoreTable
from unconfuse.table.sample import needs_rows
from unconfuse.thresholds import rules as rule
from unconfuse.thresholds.card import ThresholdCard
from unconfuse.thresholds.cases import Cases, Groups
from unconfuse.thresholds.honest import Settings, operating_points
from unconfuse.thresholds.promises import Promise
from unconfuse.thresholds.rules import Rule

_RATES = ("sensitivity", "specificity", "precision", "npv", "accuracy", "balanced_accuracy", "f1")
METRICS_SHOWN = (*_RATES, "youden_j", "mcc", "queue_rate")
Costs = tuple[float, float] | Mapping[str, tuple[float, float]]


@takes_data
def threshold_card(
    y: Any,
    s: Any = None,
    *,
    costs: Costs | None = None,
    prevalence: float | None = None,
    honest: str | None = "crossfit",
    rules: Iterable[str | Rule] | None = None,
    metrics: Iterable[str | Metric] | None = None,
    min_precision: float | None = 0.9,
    min_recall: float | None = 0.9,
    min_specificity: float | None = 0.9,
    queue_rate: float | None = 0.1,
    capacity: float | None = None,
    betas: Iterable[float] = (1.0,),
    levels: Iterable[float] = (0.5, 0.4, 0.6),
    maximise: Iterable[str | Metric] = (),
    promises: Iterable[str] = (),
    fixed: float | None = 0.5,
    design: str = "cohort",
    confidence_level: float = 0.95,
    n_resamples: int = 500,
    folds: int = 20,
    repeats: int = 5,
    rng: int = 0,
    progress: Callable[[int, int], object] | None = None,
    **data: Unpack[CaseWords],
) -> ThresholdCard:
    """Every way to choose a threshold side by side, with the performance to expect on new cases.

    Choosing a threshold and measuring it on the same data flatters it. Here every rule is measured on cases that had no
    part in the choice; how much the same-data value flatters is shown too.

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
    honest : {"crossfit", "optimism", None}
        Chosen on some folds and measured on the others; or the same-data value less its bootstrap optimism; or the
        same-data value.
    rules : names or Rule objects, optional
        Only these.
    metrics : names or Metric objects, optional
        Which decision metrics to show.
    min_precision, min_recall, min_specificity : float, optional
        Limits for "the largest recall at this precision", "the largest precision at this recall" and "the largest
        sensitivity at this specificity"; None leaves a rule out.
    queue_rate : float, optional
        Share of the cases that can be labelled.
    capacity : float, optional
        The same as a number of cases, out of as many as there are here.
    betas : iterable of float
        F_beta to make as large as possible.
    levels : iterable of float
        Levels of B(r); 1/2 is the indistinguishability threshold.
    maximise : iterable of names or Metric objects
        Other decision metrics to make as large as possible, or as small where less is better, such as
        "balanced_accuracy" or "f_beta(2)"; the rule of jaccard is called "max_jaccard".
    promises : iterable of str
        What a threshold should promise of new cases with a probability of `confidence_level`, such as
        "precision>=0.9" (see `guarantee`).
    fixed : float, optional
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
    Intervals of cross-fitted metrics treat the pooled held-out labels as one 2x2 table; those of optimism-corrected
    metrics are the same-data intervals moved by the optimism. Intervals of thresholds are equal tails of bootstrap
    choices: for rules that maximise a curve they are rough, because such a threshold settles slowly.

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
    check_choice("none" if honest is None else honest, "honest", ("crossfit", "optimism", "none"))
    check_choice(design, "design", ("cohort", "case-control"))
    if prevalence is not None:
        prevalence = check_probability(prevalence, "prevalence", open_interval=True)
    sample = only_table(y, s, data, "a threshold card", groups=True, named=True)
    cases = _cases(sample)
    settings = Settings(
        honest=None if honest == "none" else honest,
        prevalence=prevalence,
        design=design,
        confidence_level=check_probability(confidence_level, "confidence_level", open_interval=True),
        n_resamples=check_resamples(n_resamples, at_least=1),
        folds=check_whole(folds, "folds", at_least=2),
        repeats=check_whole(repeats, "repeats", at_least=1),
        rng=check_seed(rng),
    )

    known = [
        rule.youden(),
        *(rule.max_f(check_number(beta, "betas")) for beta in check_list(betas, "betas")),
        rule.max_mcc(),
        *(rule.best_of(each) for each in find_metrics(maximise)),
        rule.top_left(),
        *_cost_rules(costs),
        rule.precision_equals_recall(),
        *_limit_rules(min_precision, min_recall, min_specificity),
        *_queue_rules(cases.table, queue_rate, capacity),
        *(rule.at_b(check_probability(level, "levels", open_interval=True)) for level in check_list(levels, "levels")),
        *_promise_rules(promises, sample, settings),
        *_fixed_rules(cases.table, fixed),
    ]
    chosen = _wanted(rule.by_name(known), rules)
    shown = _decision_metrics(metrics)
    points = operating_points(cases, chosen, shown, settings, progress)
    label, skipped = sample.positive_label, sample.skipped
    summary = _summary(cases.table, 1 if label is None else label) | ({"skipped": skipped.as_dict()} if skipped else {})
    how = settings.as_dict() | ({"groups": sample.n_groups} if sample.is_clustered else {})
    how |= {"costs": {who: list(pair) for who, pair in _pairs_of(costs).items()}} if costs is not None else {}
    return ThresholdCard(points, summary, settings.honest, prevalence, how, cases.table, _pairs_of(costs), sample)


def rule_named(name: str, table: ScoreTable) -> Rule:
    """One of the rules that every card has, by its name."""
    known = [
        rule.youden(),
        rule.max_f(1.0),
        rule.max_mcc(),
        rule.top_left(),
        rule.precision_equals_recall(),
        *_limit_rules(0.9, 0.9, 0.9),
        *_queue_rules(table, 0.1, None),
        *(rule.at_b(level) for level in (0.5, 0.4, 0.6)),
        *_other_level(name),
    ]
    return _wanted(rule.by_name(known), [name])[0]


def _other_level(name: str) -> list[Rule]:
    """Return the rule of a level of B that a card does not have by itself, such as b_55."""
    level = re.fullmatch(r"b_([1-9]\d?)", name)
    return [rule.at_b(int(level[1]) / 100)] if level else []


def _cases(sample: Sample) -> Cases:
    """The cases to choose on, each for itself or in groups."""
    check_not_empty(int(sample.n > 0))
    check_both_classes(sample.positives, sample.negatives, sample.positive_label)
    if not sample.is_clustered:
        return Cases(plain(sample.table().exact("a threshold card")))
    if not isinstance(sample, NearSample):
        raise needs_rows("a threshold card of cases in groups")
    return Groups(sample)


def _limit_rules(min_precision: float | None, min_recall: float | None, min_specificity: float | None) -> list[Rule]:
    limits = (
        ("recall", "precision", min_precision),
        ("precision", "recall", min_recall),
        ("sensitivity", "specificity", min_specificity),
    )
    return [
        rule.best_under(best, limited, check_probability(limit, f"min_{limited}"))
        for best, limited, limit in limits
        if limit is not None
    ]


def _promise_rules(promises: Iterable[str], sample: Sample, settings: Settings) -> list[Rule]:
    """Binomial tests count whole cases, each for itself, at the prevalence of the data."""
    wanted = [promises] if isinstance(promises, str) else list(promises)
    if wanted and (sample.is_clustered or sample.has_fractions or settings.prevalence is not None):
        raise ArgumentError(
            "a promise counts whole cases, each for itself, at the prevalence of the data. Hint: leave `promises` out, "
            "or use `guarantee`, which knows other prevalences."
        )
    return [rule.promised(Promise.parse(each, probability=settings.confidence_level)) for each in wanted]


def _fixed_rules(table: ScoreTable, fixed: float | None) -> list[Rule]:
    """The usual 0.5 means something for probabilities only."""
    if fixed is None or (fixed == 0.5 and table.why_not_probabilities):
        return []
    return [rule.fixed_at(check_number(fixed, "fixed"))]


def _cost_rules(costs: Costs | None) -> list[Rule]:
    return [rule.cost_minimal(fp, fn, who) for who, (fp, fn) in _pairs_of(costs).items()]


def _pairs_of(costs: Costs | None) -> dict[str, tuple[float, float]]:
    """Each stakeholder's costs, checked."""
    if costs is None:
        return {}
    named = dict(costs) if isinstance(costs, Mapping) else {"": costs}
    try:
        pairs = {str(who): (check_number(fp, "costs"), check_number(fn, "costs")) for who, (fp, fn) in named.items()}
    except (TypeError, ValueError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"`costs` must be (fp, fn) or a mapping of names to (fp, fn); got {costs!r}.") from None
    for who, pair in pairs.items():
        if min(pair) < 0 or max(pair) == 0:
            whose = f" for {who}" if who else ""
            raise ArgumentError(f"`costs` must be at least 0 and not both 0; got {pair}{whose}.")
    return pairs


def _queue_rules(table: ScoreTable, queue_rate: float | None, capacity: float | None) -> list[Rule]:
    found = []
    if queue_rate is not None:
        rate = check_probability(queue_rate, "queue_rate", open_interval=True)
        why = f"at most {rate:.4g} of the cases are labelled"
        found.append(rule.queue(rate, f"queue_rate({rate:g})", f"Queue rate {rate:g}", why))
    if capacity is not None:
        size = check_number(capacity, "capacity")
        if not 0 < size <= table.n:
            raise ArgumentError(f"`capacity` must lie between 1 and the {table.n:g} cases; got {size:g}.")
        why = f"at most {size:g} of {table.n:g} cases are labelled"
        found.append(rule.queue(size / table.n, f"capacity({size:g})", f"Top {size:g}", why))
    return found


def _wanted(known: Mapping[str, Rule], rules: Iterable[str | Rule] | None) -> list[Rule]:
    if rules is None:
        return list(known.values())
    found = []
    for each in [rules] if isinstance(rules, str | Rule) else check_list(rules, "rules"):
        if isinstance(each, Rule):
            found.append(each)
            continue
        check_text(each, "the name of a rule")
        matching = [name for name in known if name == each or name.partition("(")[0] == each]
        if not matching:
            raise UnknownNameError(f"unknown rule {brief(each)}. {nearest(each, known)}")
        found += [known[name] for name in matching]
    return found


def _decision_metrics(metrics: Iterable[str | Metric] | None) -> tuple[Metric, ...]:
    wanted = find_metrics(METRICS_SHOWN if metrics is None else metrics)
    others = [each.name for each in wanted if each.of != "counts"]
    if others:
        raise ArgumentError(f"a threshold card shows metrics of decisions; {', '.join(others)} judge the ranking.")
    needed = find_metrics(("sensitivity", "specificity", "precision", "youden_j", "queue_rate"))
    return tuple({each.name: each for each in (*wanted, *needed)}.values())


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
