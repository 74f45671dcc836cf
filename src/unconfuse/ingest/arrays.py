"""Labels and scores that are in memory already: arrays, lists, and the columns of any data-frame library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import as_is_positive
from unconfuse._validate import Array, Place, as_numbers, as_weights, check_same_length, is_missing, refuse_rows
from unconfuse.ingest.screening import Columns, screened
from unconfuse.table import Scores


def rows_of_arrays(
    labels: Any,
    scores: Any,
    *,
    weights: Any = None,
    groups: Any = None,
    positive: object = None,
    on_bad_row: str = "error",
) -> Scores:
    """Check labels and scores and put them side by side.

    Examples
    --------
    >>> rows_of_arrays([1, 0, 1], {"old": [.9, .2, .4], "new": [.8, .1, .7]})
    Scores(3 rows, 2 positive, models: old, new)
    """
    if scores is None:
        raise InputError("there are labels but no scores. Hint: pass both, as in evaluate(y, s).")
    models = scores if isinstance(scores, Mapping) else {"score": scores}
    given = Columns(
        plain(labels),
        {str(name): plain(column) for name, column in models.items()},
        None if weights is None else plain(weights),
        None if groups is None else plain(groups),
    )
    kept = screened(given, on_bad_row)
    is_positive, label = as_is_positive(kept.label, positive)
    columns = {name: as_numbers(column, _score_name(name, models)) for name, column in kept.scores.items()}
    weight = None if weights is None else as_weights(kept.weight)
    codes = None if groups is None else group_codes(kept.group)
    check_same_length(_lengths(is_positive, columns, weight, codes))
    return Scores(is_positive, columns, weight, codes, label, kept.skipped)


def plain(values: Any) -> Any:
    """A column of any library as something NumPy understands. NumPy arrays and lists pass through untouched."""
    if isinstance(values, np.ma.MaskedArray):
        return values.tolist()  # what is masked becomes None
    if isinstance(values, np.ndarray | list | tuple):
        return values
    if isinstance(values, str | bytes | Mapping):
        raise InputError(f"expected a column of values; got {type(values).__name__}. Hint: pass an array or a list.")
    if hasattr(values, "to_numpy"):
        return _numpy_of(values)
    return list(values) if hasattr(values, "__iter__") and not hasattr(values, "__array__") else values


def group_codes(groups: Any, name: str | Place = "groups") -> npt.NDArray[np.int64]:
    """Whole numbers from 0 that stand for the groups."""
    column = np.asarray(groups)
    refuse_rows(is_missing(column), name, "has missing values", "drop those rows or name their group")
    if column.dtype.kind == "O":
        column = column.astype(str)
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def _numpy_of(values: Any) -> Any:
    """Through `to_numpy`; a chunked or nullable column may need to be told to copy."""
    try:
        return values.to_numpy()
    except Exception:  # pyarrow arrays with nulls, text or booleans refuse to share their memory
        return values.to_numpy(zero_copy_only=False)


def _score_name(name: object, models: Mapping[Any, Any]) -> str | Place:
    return "scores" if len(models) == 1 else Place(f"`scores` of {str(name)[:60]!r}")


def _lengths(
    is_positive: npt.NDArray[np.bool_], columns: Mapping[str, Array], weights: Array | None, groups: Any
) -> dict[str, int]:
    lengths = {"labels": len(is_positive)}
    lengths |= {"scores" if len(columns) == 1 else name[:60]: len(column) for name, column in columns.items()}
    lengths |= {name: len(column) for name, column in (("weights", weights), ("groups", groups)) if column is not None}
    return lengths
