"""`benchmark`: which model is better over many data sets, and on the next one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._parameters.records import BETTER
from unconfuse._validate import check_choice, check_number, check_probability, check_text, public_api
from unconfuse.ingest import Data
from unconfuse.ingest._read import sample_of
from unconfuse.ingest.grouping import OneSiteError
from unconfuse.ingest.named_columns import named_columns, numbers_in, texts_in
from unconfuse.metrics import Metric
from unconfuse.metrics.requirements import cut_for
from unconfuse.results.benchmark import FEWEST, Benchmark
from unconfuse.results.site_values import variance_of_difference
from unconfuse.table import Array, Sample, Settings
from unconfuse.uncertainty import available
from unconfuse.uncertainty.contrasts import PairedContrasts


@public_api
def benchmark(
    frame: Any,
    *,
    dataset: str,
    model: str | None = None,
    value: str | None = None,
    standard_error: str | None = None,
    correlation: float | None = None,
    better: str | None = None,
    metric: str | Metric | None = None,
    threshold: float | Mapping[str, float] | None = None,
    confidence_level: float = 0.95,
) -> Benchmark:
    """Compare models over data sets, from one result for each model and data set or from their predictions.

    Parameters
    ----------
    frame : data frame, mapping of columns, file or Data
        One row for each data set and model. Without `model` and `value`, a `Data` of predictions: one row for each
        case, with a column of scores for each model; differences then have paired standard errors.
    dataset : str
        Column that names the data sets.
    model, value : str, optional
        Columns: names of models, and the result (an AUROC, an accuracy, a loss).
    standard_error : str, optional
        Column of the standard error of each result. Without it noise within a data set and differences between data
        sets cannot be told apart.
    correlation : float, optional
        Of two models' errors on the same data set, with `standard_error`; above 0 if they are tested on the same cases.
        Default: 0, which makes chances on the next data set too extreme in that case.
    better : {"higher", "lower"}, optional
        Which values are better; higher by default. Of predictions the metric says it.
    metric : str or Metric, optional
        Of predictions: what is computed on each data set; the AUROC by default.
    threshold : float or mapping of model to float, optional
        Of predictions, for metrics of decisions: as in `compare`.
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
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> rows = {"d": np.repeat(list("abcde"), 80), "y": rng.integers(0, 2, 400)}
    >>> rows |= {"good": rows["y"] + rng.normal(size=400), "poor": rows["y"] + 3 * rng.normal(size=400)}
    >>> b = uc.benchmark(uc.Data(rows, label="y", score=["good", "poor"]), dataset="d")
    >>> b["good", "poor"].verdict
    'better'
    """
    if model is None and value is None:
        beside = {"standard_error": standard_error, "correlation": correlation, "better": better}
        return _of_predictions(frame, dataset, metric, threshold, beside, confidence_level)
    for name, given in (("metric", metric), ("threshold", threshold)):
        if given is not None:
            raise ArgumentError(
                f"`{name}` is for predictions, and {argument_name('value')} names results. Hint: leave it out."
            )
    if model is None or value is None:
        missing = argument_name("model" if model is None else "value")
        raise ArgumentError(f"a table of results requires {missing} as well. Hint: of predictions, leave both out.")
    better = "higher" if better is None else better
    names = {"dataset": dataset, "model": model, "value": value}
    wanted = [check_text(each, name) for name, each in names.items()]
    wanted += [] if standard_error is None else [check_text(standard_error, "standard_error")]
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"each role must have a column of its own; got {', '.join(wanted)}.")
    check_choice(better, "better", BETTER.choices)
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
                f"standard errors in column {short_repr(standard_error)} must be above 0; got {errors.min():g}."
            )
    return Benchmark(tuple(rows), tuple(columns), values, errors, shared, value, better, level)


def _of_predictions(
    source: Any,
    dataset: str,
    metric: str | Metric | None,
    threshold: float | Mapping[str, float] | None,
    beside: Mapping[str, Any],
    confidence_level: float,
) -> Benchmark:
    """Values and paired standard errors of each data set, from rows of cases."""
    from unconfuse.api._compare import cut_models, pairs_of  # which results alone do not need

    for name, given in beside.items():
        if given is not None:
            hint = "Hint: leave it out, or name the columns of models and values."
            raise ArgumentError(f"{argument_name(name)} describes results; predictions have their own. {hint}")
    check_text(dataset, "dataset")
    settings = Settings.validated(confidence_level, 2000, 0)
    if isinstance(source, Data) and source.site is not None:
        raise ArgumentError("`site` and `dataset` both divide the cases. Hint: leave out `site`.")
    if isinstance(source, Data) and source.by is not None:
        raise ArgumentError("`benchmark` does not support `by`. Hint: leave it out, or use `compare` on each data set.")
    data = replace(source if isinstance(source, Data) else Data(source), site=dataset)
    try:
        sample = sample_of(data, None, {}, rows=True, models=True, sites=True)
    except OneSiteError:
        _check_sizes([dataset], ["", ""])
        raise
    if len(sample.models) < 2:
        raise InputError(
            f"a benchmark must have at least 2 models; got scores of {sample.models[0]} only. Hint: name two, "
            "`score=['a', 'b']`."
        )
    rows = sample.rows_for("a benchmark of predictions").ordered
    cut = rows if rows.is_multiclass else cut_models(rows, threshold, None, settings.seed)
    usual = "accuracy" if sample.is_multiclass else "auroc"
    wanted = available([usual if metric is None else metric], cut)[0]
    if wanted.better == "neither":
        raise ArgumentError(f"{wanted.name} says of no value that it is better. Hint: choose another metric.")
    models = tuple(sorted(cut.models))
    parts = dict(sorted(cut.site_parts().items()))
    _check_sizes(list(parts), list(models))
    pairs = pairs_of(models, None)
    found = [_of_data_set(name, part, wanted, models, pairs, settings) for name, part in parts.items()]
    values, errors = (np.array(each) for each in zip(*found, strict=True))
    return Benchmark(
        tuple(parts), models, values, None, 0.0, wanted.name, wanted.better, settings.confidence_level, errors
    )


def _of_data_set(
    name: str, part: Sample, metric: Metric, models: tuple[str, ...], pairs: list[tuple[str, str]], how: Settings
) -> tuple[list[float], list[float]]:
    """Each model's value on one data set, and the standard error of each pair's difference."""
    both = (np.asarray(part.sizes) > 0).sum() > 1
    paired = PairedContrasts([metric], cut_for(metric, part), pairs, how, "holm") if both else None
    values = [math.nan if paired is None else paired.values[metric.name][model] for model in models]
    if paired is None or not np.isfinite(values).all():
        why = metric.undefined if both else "it has one class only"
        raise InputError(
            f"{metric.name} is undefined on data set {short_repr(name)}: {why}. Hint: leave out that data set, or "
            "choose "
            "another metric."
        )
    return values, [math.sqrt(variance_of_difference(difference, part)) for difference in paired.differences(metric)]


def _correlation(given: float | None, standard_error: str | None) -> float:
    if given is None:
        return 0.0
    if standard_error is None:
        raise ArgumentError(
            f"`correlation` is that of standard errors. Hint: pass {argument_name('standard_error')} as well."
        )
    number = check_number(given, "correlation")
    if not 0 <= number < 1:
        raise ArgumentError(f"`correlation` must be at least 0 and below 1; got {number:g}.")
    return number


def _check_sizes(sets: list[str], models: list[str]) -> None:
    if len(models) < 2:
        raise InputError(
            f"a benchmark must have at least 2 models; got {len(models)}. Hint: check {argument_name('model')}."
        )
    if len(sets) < FEWEST:
        raise InputError(
            f"a benchmark must have at least {FEWEST} data sets; got {len(sets)}: fewer say nothing about other data "
            "sets. Hint: use `compare` on the cases of each."
        )


def _matrix(sets: list[str], models: list[str], rows: list[str], columns: list[str], numbers: Array) -> Array:
    """Arrange the numbers as data sets by models; each pair of them must occur once."""
    places = {name: place for place, name in enumerate(rows)}, {name: place for place, name in enumerate(columns)}
    filled = np.full((len(rows), len(columns)), np.nan)
    for name, model, number in zip(sets, models, numbers.tolist(), strict=True):
        at = places[0][name], places[1][model]
        if not np.isnan(filled[at]):
            raise InputError(
                f"model {short_repr(model)} has more than one value on data set {short_repr(name)}. Hint: average its "
                "runs first."
            )
        filled[at] = number
    missing = np.argwhere(np.isnan(filled))
    if len(missing):
        i, j = missing[0]
        size = "1 value is" if len(missing) == 1 else f"{len(missing)} values are"
        raise InputError(
            f"{size} missing, first that of model {short_repr(columns[j])} on data set {short_repr(rows[i])}: "
            "models must be compared on the same data sets. Hint: leave out those data sets, or that model."
        )
    return filled
