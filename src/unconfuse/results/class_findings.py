"""Findings on several classes in plain words: each with the rule it comes from and the numbers it rests on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from unconfuse._errors import argument
from unconfuse._plain import number_text
from unconfuse.metrics.of_rows import confidence
from unconfuse.metrics.probability import EPS
from unconfuse.results.findings import straddling_groups
from unconfuse.results.score_findings import infinite_loss
from unconfuse.table import NearSample, Sample
from unconfuse.uncertainty import Finding
from unconfuse.uncertainty.closed_form import mid_p

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

FEW = 10


def class_findings(ev: Evaluation) -> tuple[Finding, ...]:
    """All findings that these data support, the most important first."""
    of_decisions = (_better_than_largest, _worst_confusion, _weakest_class, _missing_classes, _never_predicted)
    rules = (*of_decisions, _few, straddling_groups, _no_probabilities, _calibration, _impossible, _columns)
    return tuple(found for rule in rules if (found := rule(ev)) is not None)


def _better_than_largest(ev: Evaluation) -> Finding | None:
    """Against always naming the largest class, only cases that one of the two gets right count (McNemar)."""
    if ev.design != "cohort":
        return None
    c = ev.confusion
    largest = int(np.argmax(c.truth))
    both = c.counts[largest, largest]
    ours, theirs = float(np.trace(c.counts) - both), float(c.truth[largest] - both)
    accuracy, null = float(np.trace(c.counts)) / c.n, float(c.truth[largest]) / c.n
    name = c.classes[largest]
    verdict, words = "cannot tell", f"these data cannot tell whether it beats always saying {name!r}"
    low, high = mid_p(ours, ours + theirs, confidence_level=ev.confidence_level)
    if ours + theirs == 0:
        verdict, words = "the same", f"the classifier says the same as always saying {name!r}"
    elif low > 0.5:
        verdict, words = "better", f"it beats always saying {name!r}"
    elif high < 0.5:
        verdict, words = "worse", f"always saying {name!r} would be more accurate"
    sentence = f"On accuracy, {words} (accuracy {number_text(accuracy)}, always {name!r} {number_text(null)})."
    numbers = {"accuracy": accuracy, "null_accuracy": null}
    return Finding("accuracy against the largest class", verdict, sentence, numbers)


def _worst_confusion(ev: Evaluation) -> Finding | None:
    worst = ev.confusion.worst(1, confidence_level=ev.confidence_level)
    if not worst:
        return Finding("largest confusion", "none", "No case was given a wrong class.", {})
    each = worst[0]
    numbers = {"count": each.count, "rate": each.rate, "low": each.low, "high": each.high}
    return Finding("largest confusion", "for illustration", f"The commonest confusion: {each.sentence}.", numbers)


def _weakest_class(ev: Evaluation) -> Finding | None:
    table = ev.per_class(["sensitivity"])
    recall = table["sensitivity"]
    if np.isnan(recall).all():
        return None
    enough = np.asarray(table.support) >= FEW  # of fewer cases a low share may be chance
    k = int(np.nanargmin(np.where(enough, recall, np.nan) if (enough & ~np.isnan(recall)).any() else recall))
    value, low, high = (float(each["sensitivity"][k]) for each in (table, table.low, table.high))
    ends = "" if math.isnan(low) else f" [{number_text(low)}, {number_text(high)}]"
    share = f"{number_text(value)}{ends} of its {table.support[k]:g} cases are found"
    alone = f"its only case is {'found' if value else 'missed'}"
    sentence = f"The weakest class is {ev.classes[k]!r}: {alone if table.support[k] == 1 else share}."
    return Finding("lowest recall", "weakest class", sentence, {"recall": value})


def _missing_classes(ev: Evaluation) -> Finding | None:
    c = ev.confusion
    predicted = {name: given for name, size, given in zip(c.classes, c.truth, c.predicted, strict=True) if size == 0}
    if not predicted:
        return None
    unseen, wrongly = ([name for name, given in predicted.items() if bool(given) is seen] for seen in (False, True))
    said = []
    if unseen:
        said.append(
            f"No case belongs to {_named(unseen)}: nothing can be said about {_them(unseen)}, and averages of recall, "
            f"precision and F1 leave {_them(unseen)} out."
        )
    if wrongly:
        times = sum(predicted[name] for name in wrongly)
        said.append(
            f"No case belongs to {_named(wrongly)}, predicted {'once' if times == 1 else f'{times:g} times'}: averages "
            f"of precision and F1 count {_them(wrongly)} as 0, and those of recall leave {_them(wrongly)} out."
        )
    numbers = {"missing": float(len(predicted)), "predicted": float(len(wrongly))}
    return Finding("every class occurs", "classes missing", " ".join(said), numbers)


def _never_predicted(ev: Evaluation) -> Finding | None:
    c = ev.confusion
    never = [name for name, size, given in zip(c.classes, c.truth, c.predicted, strict=True) if size > 0 and given == 0]
    if not never:
        return None
    sentence = (
        f"{_named(never)} {'is' if len(never) == 1 else 'are'} never predicted: precision is undefined there, and "
        "averages count it as 0."
    )
    return Finding("every class is predicted", "classes never predicted", sentence, {"never": float(len(never))})


def _few(ev: Evaluation) -> Finding | None:
    small = [name for name, size in zip(ev.classes, ev.confusion.truth, strict=True) if 0 < size < FEW]
    if not small:
        return None
    sentence = f"There are fewer than {FEW} cases of {_named(small)}: what is said of {_them(small)} is hardly a guess."
    return Finding(f"at least {FEW} cases of each class", "too few cases", sentence, {"classes": float(len(small))})


def _columns(ev: Evaluation) -> Finding | None:
    sentence = assumed_columns(ev.sample)
    if not sentence:
        return None
    return Finding("which column is which class", "assumed", sentence, {"classes": float(len(ev.classes))})


def assumed_columns(sample: Sample) -> str:
    """Which columns without names were taken for which classes, if nobody said so."""
    if not sample.by_alphabet:
        return ""
    return (
        f"The columns of scores have no names: they were taken for {_named(list(sample.classes))}, the labels in "
        f"alphabetical order. If theirs is another, pass {argument('classes')} in the order of the columns."
    )


def _no_probabilities(ev: Evaluation) -> Finding | None:
    why = ev.sample.why_not_probabilities()
    if not ev.sample.has_scores or not why:
        return None
    sentence = (
        f"The scores are no probabilities ({why}): log loss, Brier score and calibration are not available; rankings "
        "and decisions are."
    )
    return Finding("rows of scores add up to 1", "no probabilities", sentence, {})


def _calibration(ev: Evaluation) -> Finding | None:
    """Stated confidence against how often the predicted class is right."""
    rows = ev.sample
    if not isinstance(rows, NearSample) or rows.why_not_probabilities() or ev.design != "cohort":
        return None
    mean = float(np.average(confidence(rows), weights=rows.weights))
    right = float(np.trace(ev.confusion.counts))
    low, high = mid_p(right, ev.n, confidence_level=ev.confidence_level)
    if low <= mean <= high:
        return None
    words = "overconfident" if mean > high else "underconfident"
    sentence = (
        f"The classifier is {words}: it states {mean:.1%} for the classes it predicts, and {right / ev.n:.1%} of them "
        "are right."
    )
    return Finding("stated against actual accuracy", words, sentence, {"stated": mean, "accuracy": right / ev.n})


def _impossible(ev: Evaluation) -> Finding | None:
    """True classes that were given probability 0."""
    if "log_loss" not in ev or not np.isinf(ev["log_loss"].value):
        return None
    tables = [ev.sample.table(k=k) for k in range(ev.sample.n_classes)]
    if not all(table.is_exact for table in tables):
        return None
    cases = sum(float(table.positives[table.score == 0].sum()) for table in tables)
    if ev.sample.has_folds:
        return infinite_loss(cases, None)
    losses = [table.positives @ -np.log(np.clip(table.score, EPS, 1 - EPS)) for table in tables]
    return infinite_loss(cases, float(sum(losses)) / ev.sample.n)


def _named(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _them(names: list[str]) -> str:
    return "it" if len(names) == 1 else "them"
