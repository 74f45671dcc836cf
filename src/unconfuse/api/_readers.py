"""`readers`: people who read the same cases, with and without a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._labels import LabelSpec, as_labels, both_in, is_any_of
from unconfuse._validate import check_choice, check_probability, check_text, public_api
from unconfuse.ingest.column_roles import place_of
from unconfuse.ingest.named_columns import named_columns, numbers_in, texts_in
from unconfuse.metrics import METRICS, find_metric
from unconfuse.multilevel.readers import Readings
from unconfuse.results.readers import METRICS_OF_READERS, Readers, scope_of
from unconfuse.table import Array

Flags = npt.NDArray[np.bool_]


@public_api
def readers(
    frame: Any,
    *,
    reader: str,
    case: str,
    truth: str,
    score: str,
    modality: str | None = None,
    metric: str = "auroc",
    generalise: str = "both",
    positive: object = None,
    confidence_level: float = 0.95,
) -> Readers:
    """Evaluate readers of the same cases, in one modality or in several such as with and without a model.

    Parameters
    ----------
    frame : data frame, mapping of columns, or file
        One row for each reading: what one reader made of one case in one modality. Readings may be missing.
    reader, case, truth, score : str
        Columns: names of readers and of cases, the true class of the case, and the reader's score, higher for more
        likely positive; for a rate, 1 where the reader called the case positive and 0 where not.
    modality : str, optional
        Column of modalities, such as "with model" and "without".
    metric : {"auroc", "sensitivity", "specificity", "accuracy"}
    generalise : {"both", "cases", "readers"}
        To whom intervals speak: new readers and new cases; new cases of these readers; new readers of these cases.
    positive : optional
        The positive label of `truth`; needed unless labels are {0, 1}, {-1, 1} or booleans.
    confidence_level : float

    Returns
    -------
    Readers
        `rd["with"]` (Estimate), `rd["with", "without"].difference`, `.p_value`; `rd.new_reader("with")`,
        `rd.plan(difference=.05)`, `rd.findings`, `rd.plot()`.

    Notes
    -----
    The analysis of Obuchowski and Rockette with Hillis' degrees of freedom, of the readings that there are; Gallas'
    U-statistics, as iMRMC has them, where a reader read in one modality only. One modality has limits on the logit
    scale.

    References
    ----------
    Obuchowski & Rockette (1995), Commun Stat B 24:285; Hillis (2007), Stat Med 26:596; Gallas et al. (2009), Commun
    Stat A 38:2586.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> rows = {name: column.ravel() for name, column in zip("mrc", np.meshgrid(*map(np.arange, (2, 6, 80))))}
    >>> rows["y"] = (rows["c"] < 30).astype(int)
    >>> rows["s"] = (1 + rows["m"]) * rows["y"] + rng.normal(size=80)[rows["c"]] + rng.normal(size=960)
    >>> rd = uc.readers(rows, reader="r", case="c", truth="y", score="s", modality="m")
    >>> rd["1", "0"].verdict
    'better'
    """
    name = check_choice(find_metric(metric).name, "metric", METRICS_OF_READERS)
    scope = scope_of(generalise)
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    roles = {"reader": reader, "case": case, "truth": truth, "score": score}
    roles |= {} if modality is None else {"modality": modality}
    wanted = [check_text(each, role) for role, each in roles.items()]
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"each role must have a column of its own; got {', '.join(wanted)}.")
    columns = named_columns(frame, wanted)
    people, cases = texts_in(columns[reader], reader), texts_in(columns[case], case)
    kinds = [score] * len(people) if modality is None else texts_in(columns[modality], modality)
    names, case_names, modalities = (sorted(set(each), key=_natural) for each in (people, cases, kinds))
    if len(names) < 2:
        raise InputError(
            f"a reader study must have at least 2 readers; got 1 ({short_repr(names[0])}), who carries no information "
            "about others. "
            f"Hint: use `evaluate`, or check {argument_name('reader')}."
        )
    is_positive = _truth(columns[truth], truth, cases, case_names, positive)
    scores = _scores(people, cases, kinds, (names, case_names, modalities), numbers_in(columns[score], score))
    readings = {each: _readings(name, scores[place], is_positive, score) for place, each in enumerate(modalities)}
    for each, reading in readings.items():
        if not reading.totals.sum():
            raise InputError(f"no reader has a value of {name} in modality {short_repr(each)}: too few readings.")
    counted = {"sensitivity": int(is_positive.sum()), "specificity": int((~is_positive).sum())}
    return Readers(readings, tuple(names), counted.get(name, len(case_names)), METRICS[name], scope, level)


def _natural(name: str) -> tuple[bool, float, str]:
    """Return a key that sorts numbers as numbers, before other names."""
    try:
        return False, float(name), name
    except ValueError:
        return True, 0.0, name


def _truth(column: Any, name: str, cases: list[str], case_names: list[str], positive: object) -> Flags:
    """Return the class of each case, which all its rows must agree on."""
    labels = as_labels(_numbers_where_possible(column), place_of(name))
    both = both_in(labels, LabelSpec(positive))
    meant = is_any_of(labels, both.meant)
    place = {case_name: number for number, case_name in enumerate(case_names)}
    code = np.fromiter((place[case] for case in cases), np.int64, len(cases))
    rows, positives = np.bincount(code), np.bincount(code, meant)
    unlike = np.flatnonzero((positives > 0) & (positives < rows))
    if len(unlike):
        raise InputError(
            f"case {short_repr(case_names[unlike[0]])} is positive in some rows and negative in others. Hint: check "
            "column "
            f"{short_repr(name)}, or give cases names of their own."
        )
    found = np.asarray(positives > 0)
    for what, size in (("positive", int(found.sum())), ("negative", int((~found).sum()))):
        if size < 2:
            raise InputError(f"a reader study must have at least 2 {what} cases; got {size}.")
    return found


def _numbers_where_possible(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return labels of a file as numbers if all are: its cells are text."""
    if column.dtype != object:
        return column
    try:
        return np.array([float(each) for each in column])
    except (TypeError, ValueError):
        return column


def _scores(
    people: list[str], cases: list[str], kinds: list[str], names: tuple[list[str], ...], numbers: Array
) -> Array:
    """Return scores by modality, reader and case, NaN where there is none; two readings of one case are refused."""
    places = [{each: number for number, each in enumerate(name)} for name in names]
    filled = np.full((len(names[2]), len(names[0]), len(names[1])), np.nan)
    for person, case, kind, number in zip(people, cases, kinds, numbers.tolist(), strict=True):
        at = places[2][kind], places[0][person], places[1][case]
        if not np.isnan(filled[at]):
            raise InputError(
                f"reader {short_repr(person)} read case {short_repr(case)} twice in modality {short_repr(kind)}. "
                "Hint: keep one "
                f"reading, or name the column of {argument_name('modality')}."
            )
        filled[at] = number
    return filled


def _readings(metric: str, scores: Array, is_positive: Flags, column: str) -> Readings:
    if metric == "auroc":
        return Readings.of_areas(scores, is_positive)
    known = scores[~np.isnan(scores)]
    if not np.isin(known, (0.0, 1.0)).all():
        raise InputError(
            f"{metric} requires decisions, 0 or 1; column {short_repr(column)} runs from {known.min():g} to "
            f"{known.max():g}. Hint: cut the scores first, or use `metric='auroc'`."
        )
    right = np.where(is_positive, scores, 1 - scores)
    members = {"sensitivity": is_positive, "specificity": ~is_positive}.get(metric, np.ones(len(is_positive), bool))
    return Readings.of_rates(right[:, members])
