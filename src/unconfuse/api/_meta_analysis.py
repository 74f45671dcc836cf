"""`meta_analysis`: sensitivity and specificity of several studies, and what to expect of a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr, whole
from unconfuse._validate import by_text, check_probability, public_api
from unconfuse.ingest.named_columns import named_columns, numbers_in, texts_in
from unconfuse.multilevel.bivariate import BivariateFit, fit
from unconfuse.results.meta_analysis import FEWEST, MetaAnalysis
from unconfuse.table import Array, Counts

_CELLS = ("tp", "fp", "fn", "tn")


@public_api
def meta_analysis(
    studies: Any,
    *,
    study: str | None = None,
    tp: str | None = None,
    fp: str | None = None,
    fn: str | None = None,
    tn: str | None = None,
    confidence_level: float = 0.95,
) -> MetaAnalysis:
    """Pool published 2x2 tables of one test by the bivariate binomial-normal model.

    Parameters
    ----------
    studies : mapping of names to Counts, data frame or file
        One 2x2 table for each study. A study without positives or without negatives takes part with what it has.
    study : str, optional
        Of a frame or a file: the column that names the studies. Default: they are numbered.
    tp, fp, fn, tn : str, optional
        Of a frame or a file: the columns of the four counts. Default: columns of these names.
    confidence_level : float

    Returns
    -------
    MetaAnalysis
        `.sensitivity` and `.specificity` of the mean study, `.new_study`, `.correlation`, `.spread`, `.region()`,
        `.summary_roc()`, `.plot()`.

    Notes
    -----
    The mean study is that of maximum likelihood by Laplace's approximation, as R's lme4 fits it, with Student's t. A
    new study has prediction intervals from the posterior of each rate: usual ones cover 62 to 92% with few studies.

    References
    ----------
    Chu & Cole (2006), J Clin Epidemiol 59:1331; Harbord et al. (2007), Biostatistics 8:239.

    Examples
    --------
    >>> import unconfuse as uc
    >>> cells = {"tp": [28, 40, 33, 38, 29], "fp": [13, 6, 2, 7, 5]}
    >>> cells |= {"fn": [2, 5, 16, 0, 3], "tn": [65, 43, 55, 68, 79]}
    >>> found = uc.meta_analysis(cells)
    >>> print(found.sensitivity)
    sensitivity 0.908 [0.655, 0.981] 95% bivariate binomial-normal, t, mean study, 5 studies
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    tables = _tables(studies, study, {"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    if len(tables) < FEWEST:
        raise InputError(
            f"a meta-analysis must have at least {FEWEST} studies; got {len(tables)}: fewer say nothing about other "
            "studies. Hint: use `evaluate_counts` for each study."
        )
    return MetaAnalysis(tables, _fitted(tables), level)


def _tables(studies: Any, study: str | None, columns: dict[str, str | None]) -> dict[str, Counts]:
    if isinstance(studies, Mapping) and not studies:
        raise InputError("there are no studies. Hint: pass Counts by name, a frame or a file.")
    if isinstance(studies, Mapping) and all(isinstance(each, Counts) for each in studies.values()):
        for name, given in {"study": study, **columns}.items():
            if given is not None:
                raise ArgumentError(f"`{name}` names a column; studies given as Counts have none. Hint: leave it out.")
        tables = by_text(studies, "studies")
    elif isinstance(studies, Mapping) and any(isinstance(each, Counts) for each in studies.values()):
        name, other = next((name, each) for name, each in studies.items() if not isinstance(each, Counts))
        raise ArgumentError(f"study {short_repr(name)} must be Counts; got {type(other).__name__}.")
    else:
        tables = _of_columns(studies, study, {cell: cell if name is None else name for cell, name in columns.items()})
    for name, table in tables.items():
        _check(name, table)
    return tables


def _of_columns(source: Any, study: str | None, columns: dict[str, str]) -> dict[str, Counts]:
    wanted = [*columns.values(), *([] if study is None else [study])]
    if len(set(wanted)) < len(wanted):
        raise ArgumentError(f"each count must have a column of its own; got {', '.join(wanted)}.")
    found = named_columns(source, wanted)
    cells = {cell: numbers_in(found[name], name) for cell, name in columns.items()}
    size = len(cells["tp"])
    names = [f"study {place}" for place in range(1, size + 1)] if study is None else texts_in(found[study], study)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"study {short_repr(twice)} occurs in more than one row. Hint: add its counts up, or rename it."
        )
    return {name: Counts(**{cell: cells[cell][place] for cell in _CELLS}) for place, name in enumerate(names)}


def _check(name: str, table: Counts) -> None:
    if table.shape:
        raise InputError(f"study {short_repr(name)} must be one 2x2 table; got {table!r}.")
    for cell in _CELLS:
        count = float(getattr(table, cell))
        if not isinstance(whole(count), int):
            raise InputError(f"`{cell}` of study {short_repr(name)} must be a whole number; got {count:g}.")
    if float(table.total) == 0:
        raise InputError(f"study {short_repr(name)} has no cases. Hint: leave it out.")


def _fitted(tables: Mapping[str, Counts]) -> BivariateFit | None:
    """Fit the model, with the studies in an order independent of that of the rows; return None if it has no maximum."""
    ordered = [tables[name] for name in sorted(tables)]
    tp, p, tn, n = (
        np.array([float(getattr(counts, cell)) for counts in ordered])
        for cell in ("tp", "positives", "tn", "negatives")
    )
    if not all(_is_inside(right, cases) for right, cases in ((tp, p), (tn, n))):
        return None
    bivariate_fit = fit(tp, p, tn, n)
    return (
        bivariate_fit
        if np.isfinite(bivariate_fit.covariance).all() and (np.diagonal(bivariate_fit.covariance) > 0).all()
        else None
    )


def _is_inside(right: Array, cases: Array) -> bool:
    return int((cases > 0).sum()) >= FEWEST and 0 < float(right.sum()) < float(cases.sum())
