"""Findings on several classes in plain words: each with the rule it comes from and the numbers it rests on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import argument_name
from unconfuse._formatting import number_text, share_words
from unconfuse._phrases import told_apart
from unconfuse.bayesian._verdict_text import HEADS as _HEADS
from unconfuse.metrics.multiclass_scores import confidence
from unconfuse.metrics.probability import EPS
from unconfuse.policy import FEW, NARROW, Verdict
from unconfuse.results.findings import straddling_groups
from unconfuse.results.score_findings import infinite_loss
from unconfuse.table import Sample
from unconfuse.uncertainty import Estimate, Finding
from unconfuse.uncertainty.proportion_intervals import mid_p

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation


_GUESSING = "Labels are better than guessing if their Matthews correlation with the true classes is above 0."


def class_findings(ev: Evaluation) -> tuple[Finding, ...]:
    """Return all findings that these data support, the most important first."""
    of_decisions = (
        _better_than_guessing,
        _better_than_largest,
        _worst_confusion,
        _weakest_class,
        _missing_classes,
        _never_predicted,
    )
    rules = (*of_decisions, _few, straddling_groups, _no_probabilities, _calibration, _impossible, _columns)
    return tuple(finding for rule in rules if (finding := rule(ev)) is not None)


def _better_than_guessing(ev: Evaluation) -> Finding | None:
    """Against labels given at random with the same shares: the Matthews correlation, which is 0 for them."""
    estimate, c = ev["mcc"], ev.confusion
    by_chance = float(np.asarray(c.truth) @ np.asarray(c.predicted)) / float(c.n) ** 2
    accuracy = float(np.trace(c.counts)) / float(c.n)
    one, other = told_apart(accuracy, by_chance)
    labels = f"its accuracy is {one}; random labels with the same shares of classes would reach {other}"
    numbers = {"accuracy": accuracy, "by_chance": by_chance}
    if estimate.undefined:
        alike = (np.asarray(c.predicted) > 0).sum() == 1
        verdict = Verdict.NO_BETTER_THAN_GUESSING if alike else Verdict.CANNOT_TELL
        why = "every case is labelled with the same class, so the label carries no information" if alike else labels
        return Finding(_GUESSING, verdict, f"{_HEADS[verdict]}: {why}.", numbers)
    if math.isnan(estimate.low):
        return None
    numbers |= {"mcc": estimate.value, "low": estimate.low, "high": estimate.high}
    verdict = _verdict_of(estimate)
    evidence = f"Matthews correlation {estimate.value_text}, {estimate.range_text}"
    return Finding(_GUESSING, verdict, f"{_HEADS[verdict]}: {labels} ({evidence}).", numbers)


def _verdict_of(found: Estimate) -> Verdict:
    """Return the verdict given by the interval of a correlation with the truth."""
    close = max(abs(found.low), abs(found.high)) < NARROW
    if found.low > 0:
        return Verdict.HARDLY_BETTER_THAN_GUESSING if close else Verdict.BETTER_THAN_GUESSING
    if found.high < 0:
        return Verdict.HARDLY_WORSE_THAN_GUESSING if close else Verdict.WORSE_THAN_GUESSING
    return Verdict.NO_BETTER_THAN_GUESSING if close else Verdict.CANNOT_TELL


def _better_than_largest(ev: Evaluation) -> Finding | None:
    """Against always predicting the largest class, only cases that one of the two gets right count (McNemar)."""
    if not ev.sample.sampling.is_cohort:
        return None
    c = ev.confusion
    largest = int(np.argmax(c.truth))
    both = c.counts[largest, largest]
    ours, theirs = float(np.trace(c.counts) - both), float(c.truth[largest] - both)
    accuracy, null = float(np.trace(c.counts)) / c.n, float(c.truth[largest]) / c.n
    name = c.classes[largest]
    one, other = told_apart(accuracy, null)
    always = f"that of always predicting {name!r}, {other}"
    verdict, sentence = Verdict.CANNOT_TELL, f"Inconclusive whether its accuracy, {one}, differs from {always}."
    low, high = mid_p(ours, ours + theirs, confidence_level=ev.confidence_level)
    if ours + theirs == 0:
        verdict, sentence = (
            Verdict.SAME,
            f"It is right on the same cases as always predicting {name!r}: accuracy {one}.",
        )
    elif low > 0.5:
        verdict, sentence = Verdict.BETTER, f"Its accuracy, {one}, is above {always}."
    elif high < 0.5:
        verdict, sentence = Verdict.WORSE, f"Its accuracy, {one}, is below {always}."
    numbers = {"accuracy": accuracy, "null_accuracy": null}
    numbers |= {} if math.isnan(low) else {"low": float(low), "high": float(high)}
    return Finding("Accuracy compared with always predicting the largest class (McNemar).", verdict, sentence, numbers)


def _worst_confusion(ev: Evaluation) -> Finding | None:
    worst = ev.confusion.largest_confusions(1, confidence_level=ev.confidence_level)
    if not worst:
        sentence = f"None of the {ev.n:,.7g} cases was labelled with a wrong class."
        return Finding("The commonest confusion.", "none", sentence, {})
    confusion_pair = worst[0]
    numbers = {
        "count": confusion_pair.count,
        "rate": confusion_pair.rate,
        "low": confusion_pair.low,
        "high": confusion_pair.high,
    }
    sentence = f"The commonest confusion: {confusion_pair.sentence}."
    return Finding("The commonest confusion.", Verdict.ILLUSTRATION, sentence, numbers)


def _weakest_class(ev: Evaluation) -> Finding | None:
    table = ev.per_class(["sensitivity"])
    recall = table["sensitivity"]
    if np.isnan(recall).all() or np.nanmin(recall) == np.nanmax(recall):  # none is lower than the others
        return None
    enough = np.asarray(table.support) >= FEW  # of fewer cases a low share may be chance
    k = int(np.nanargmin(np.where(enough, recall, np.nan) if (enough & ~np.isnan(recall)).any() else recall))
    value, low, high = (float(each["sensitivity"][k]) for each in (table, table.low, table.high))
    ends = "" if math.isnan(low) else f" [{number_text(low)}, {number_text(high)}]"
    share = f"{number_text(value)}{ends}, {table.support[k]:,.7g} cases"
    alone = f"its only case is {'labelled correctly' if value else 'missed'}"
    sentence = f"Recall is lowest for class {ev.classes[k]!r}: {alone if table.support[k] == 1 else share}."
    return Finding("The class with the lowest recall.", "weakest class", sentence, {"recall": value})


def _missing_classes(ev: Evaluation) -> Finding | None:
    c = ev.confusion
    predicted = {name: given for name, size, given in zip(c.classes, c.truth, c.predicted, strict=True) if size == 0}
    if not predicted:
        return None
    unseen, wrongly = ([name for name, given in predicted.items() if bool(given) is seen] for seen in (False, True))
    said = []
    if unseen:
        said.append(
            f"No case belongs to {_classes(unseen, capital=False)}, so averages of recall, precision and F1 do not "
            f"include {_them(unseen)}."
        )
    if wrongly:
        times = sum(predicted[name] for name in wrongly)
        said.append(
            f"No case belongs to {_classes(wrongly, capital=False)}, predicted "
            f"{'once' if times == 1 else f'{times:g} times'}: averages "
            f"of precision and F1 count {_them(wrongly)} as 0; those of recall do not include {_them(wrongly)}."
        )
    numbers = {"missing": float(len(predicted)), "predicted": float(len(wrongly))}
    return Finding("Every class should occur.", "classes missing", " ".join(said), numbers)


def _never_predicted(ev: Evaluation) -> Finding | None:
    c = ev.confusion
    never = [name for name, size, given in zip(c.classes, c.truth, c.predicted, strict=True) if size > 0 and given == 0]
    if not never:
        return None
    sentence = (
        f"{_classes(never)} {'is' if len(never) == 1 else 'are'} never predicted: precision is undefined there, and "
        "averages count it as 0."
    )
    return Finding(
        "Every class should be predicted.", "classes never predicted", sentence, {"never": float(len(never))}
    )


def _few(ev: Evaluation) -> Finding | None:
    small = [name for name, size in zip(ev.classes, ev.confusion.truth, strict=True) if 0 < size < FEW]
    if not small:
        return None
    sentence = (
        f"Fewer than {FEW} cases of {_classes(small, capital=False)}: estimates for {_them(small)} have wide intervals."
    )
    return Finding(
        f"At least {FEW} cases of each class are needed.", Verdict.TOO_FEW, sentence, {"classes": float(len(small))}
    )


def _columns(ev: Evaluation) -> Finding | None:
    sentence = assumed_columns(ev.sample)
    if not sentence:
        return None
    return Finding("Which column is which class.", "assumed", sentence, {"classes": float(len(ev.classes))})


def assumed_columns(sample: Sample) -> str:
    """Return which columns without names were taken for which classes, if that was not given."""
    if not sample.classes_sorted:
        return ""
    return (
        f"The columns of scores have no names; they were assigned to {_named(list(sample.classes))}, the labels in "
        f"alphabetical order. If their order is another, pass {argument_name('classes')} in the order of the columns."
    )


def _no_probabilities(ev: Evaluation) -> Finding | None:
    why = ev.sample.probability_problem()
    if not ev.sample.has_scores or not why:
        return None
    sentence = (
        f"The scores are not probabilities ({why}): log loss, Brier score and calibration are not available; rankings "
        "and decisions are."
    )
    return Finding("The probabilities of a case add up to 1.", "no probabilities", sentence, {})


def _calibration(ev: Evaluation) -> Finding | None:
    """Mean probability of the predicted class, compared with how often it is right."""
    rows = ev.sample.in_memory
    if rows is None or rows.probability_problem() or not rows.sampling.is_cohort:
        return None
    mean = float(np.average(confidence(rows), weights=rows.weights))
    right = float(np.trace(ev.confusion.counts))
    low, high = mid_p(right, ev.n, confidence_level=ev.confidence_level)
    if low <= mean <= high:
        return None
    words = "overconfident" if mean > high else "underconfident"
    sentence = (
        f"The classifier is {words}: the mean probability of the predicted class is {share_words(mean)}, and "
        f"{share_words(right / ev.n)} of the predictions are right ({ev.confidence_level * 100:.4g}% interval "
        f"{share_words(float(low))} to {share_words(float(high))})."
    )
    return Finding(
        "Mean probability of the predicted class compared with accuracy.",
        words,
        sentence,
        {"stated": mean, "accuracy": right / ev.n},
    )


def _impossible(ev: Evaluation) -> Finding | None:
    """Cases whose true class has probability 0."""
    if "log_loss" not in ev or not np.isinf(ev["log_loss"].value):
        return None
    tables = [ev.sample.table(k=k) for k in range(ev.sample.n_classes)]
    if not all(table.is_exact for table in tables):
        return None
    cases = sum(float(table.positives[table.score == 0].sum()) for table in tables)
    if ev.sample.sampling.pooled:
        return infinite_loss(cases, None)
    losses = [table.positives @ -np.log(np.clip(table.score, EPS, 1 - EPS)) for table in tables]
    return infinite_loss(cases, float(sum(losses)) / ev.sample.n)


def _named(names: list[str]) -> str:
    shown = [repr(name) for name in names[:5]] + ([f"{len(names) - 5} more"] if len(names) > 5 else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _classes(names: list[str], *, capital: bool = True) -> str:
    word = "class" if len(names) == 1 else "classes"
    return f"{word.capitalize() if capital else word} {_named(names)}"


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
