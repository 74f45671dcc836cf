"""`benchmark`: which model is better over many data sets, and on the next one."""

from __future__ import annotations

from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument
from unconfuse._plain import brief
from unconfuse._validate import check_choice, check_number, check_probability, check_text, in_words
from unconfuse.ingest.named import named_columns, numbers_in, texts_in
from unconfuse.results.benchmark import FEWEST, Benchmark
from unconfuse.table import Array


@in_words
def benchmark(
    frame: Any,
    *,
    dataset: str,
    model: str,
    value: str,
    standard_error: str | None = None,
    correlation: float | None = None,
    better: str = "higher",
    confidence_level: float = 0.95,
) -> Benchmark:
    """Compare models over data sets, from a table of one result for each model and data set.

    Parameters
    ----------
    frame : data frame, mapping of columns, or file
        One row for each data set and model.
    dataset, model, value : str
        Columns: names of data sets, names of models, and the result (an AUROC, an accuracy, a loss).
    standard_error : str, optional
        Column of the standard error of each result. Without it noise within a data set and differences between data
        sets cannot be told apart.
    correlation : float, optional
        Of two models' errors on the same data set, with `standard_error`; above 0 if they are tested on the same cases.
        Default: 0, which makes chances on the next data set too extreme in that case.
    better : {"higher", "lower"}
        Which values are better.
    confidence_level : float

    Returns
    -------
    Benchmark
        `b["a", "b"].difference`, `.wins_next`, `.p_value`; `b.leaderboard`; `b.friedman`, `b.nemenyi`,
        `b.wilcoxon_holm`, `b.signed_rank(rope=.01)`; `b.plot()`.

    Notes
    -----
    A pair's mean difference is Student's t over data sets; with standard errors it is that of random effects (REML,
    Hartung-Knapp). All pairs at once: largest t under random signs of whole data sets.

    References
    ----------
    Demsar (2006), JMLR 7:1; Benavoli et al. (2017), JMLR 18:77; Nagashima et al. (2019), Stat Methods Med Res 28:1689.

    Examples
    --------
    >>> import unconfuse as uc
    >>> frame = {"d": list("abcdefghijkl") * 2, "m": ["x"] * 12 + ["y"] * 12}
    >>> frame["auc"] = [.81, .72, .93, .88, .79, .84, .75, .91, .68, .77, .83, .80]
    >>> frame["auc"] += [.80, .70, .93, .85, .78, .82, .75, .88, .67, .77, .80, .79]
    >>> b = uc.benchmark(frame, dataset="d", model="m", value="auc")
    >>> print(f'{b["x", "y"].wins_next.value:.2f}')
    0.87
    """
    names = {"dataset": dataset, "model": model, "value": value}
    wanted = [check_text(each, name) for name, each in names.items()]
    wanted += [] if standard_error is None else [check_text(standard_error, "standard_error")]
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"each role must have a column of its own; got {', '.join(wanted)}.")
    check_choice(better, "better", ("higher", "lower"))
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    shared = _correlation(correlation, standard_error)
    found = named_columns(frame, wanted)
    sets, models = texts_in(found[dataset], dataset), texts_in(found[model], model)
    rows, columns = sorted(set(sets)), sorted(set(models))
    _check_sizes(rows, columns)
    values = _matrix(sets, models, rows, columns, numbers_in(found[value], value))
    errors = None
    if standard_error is not None:
        errors = _matrix(sets, models, rows, columns, numbers_in(found[standard_error], standard_error))
        if (errors <= 0).any():
            raise InputError(
                f"standard errors in column {brief(standard_error)} must be above 0; got {errors.min():g}."
            )
    return Benchmark(tuple(rows), tuple(columns), values, errors, shared, value, better, level)


def _correlation(given: float | None, standard_error: str | None) -> float:
    if given is None:
        return 0.0
    if standard_error is None:
        raise ArgumentError(
            f"`correlation` is that of standard errors. Hint: pass {argument('standard_error')} as well."
        )
    number = check_number(given, "correlation")
    if not 0 <= number < 1:
        raise ArgumentError(f"`correlation` must be at least 0 and below 1; got {number:g}.")
    return number


def _check_sizes(sets: list[str], models: list[str]) -> None:
    if len(models) < 2:
        raise InputError(
            f"a benchmark must have at least 2 models; got {len(models)}. Hint: check {argument('model')}."
        )
    if len(sets) < FEWEST:
        raise InputError(
            f"a benchmark must have at least {FEWEST} data sets; got {len(sets)}: fewer say nothing about other data "
            "sets. Hint: use `compare` on the cases of each."
        )


def _matrix(sets: list[str], models: list[str], rows: list[str], columns: list[str], numbers: Array) -> Array:
    """Data sets by models; each pair of them must occur once."""
    places = {name: place for place, name in enumerate(rows)}, {name: place for place, name in enumerate(columns)}
    filled = np.full((len(rows), len(columns)), np.nan)
    for name, model, number in zip(sets, models, numbers.tolist(), strict=True):
        at = places[0][name], places[1][model]
        if not np.isnan(filled[at]):
            raise InputError(
                f"model {brief(model)} has more than one value on data set {brief(name)}. Hint: average its runs first."
            )
        filled[at] = number
    missing = np.argwhere(np.isnan(filled))
    if len(missing):
        i, j = missing[0]
        size = "1 value is" if len(missing) == 1 else f"{len(missing)} values are"
        raise InputError(
            f"{size} missing, first that of model {brief(columns[j])} on data set {brief(rows[i])}: "
            "models must be compared on the same data sets. Hint: leave out those data sets, or that model."
        )
    return filled
