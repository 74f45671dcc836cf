"""What remains of several classes' rows that stay on a cluster: decisions counted, a table for each class, and sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._validate import brief
from unconfuse.table import Array, ScoreTable


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums over the cases of each true class of one number for each case, and of its square."""

    total: Array
    squares: Array


@dataclass(frozen=True, eq=False, repr=False)
class ClassTables:
    """Several classes without rows.

    Attributes
    ----------
    classes : tuple of str
    counts : array of shape (K, K)
        Cases by true and predicted class.
    tables : tuple of ScoreTable
        Each class against the rest, by its own column of scores.
    losses : mapping of name to Moments
        What was added up over the cases: `log_loss` and `brier`.
    why_not_probabilities : str
        Why the scores cannot be probabilities, or nothing.
    """

    classes: tuple[str, ...]
    counts: Array
    tables: tuple[ScoreTable, ...]
    losses: Mapping[str, Moments]
    why_not_probabilities: str = ""

    @property
    def n_classes(self) -> int:
        """Number of classes, those included that do not occur."""
        return len(self.classes)

    @cached_property
    def sizes(self) -> Array:
        """Cases of each class."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64)

    @property
    def n(self) -> float:
        """All cases."""
        return float(self.sizes.sum())

    @property
    def is_exact(self) -> bool:
        """Whether no scores were binned."""
        return all(each.is_exact for each in self.tables)

    def __repr__(self) -> str:
        return f"ClassTables({self.n:g} cases, {self.n_classes} classes)"


def checked_cells(cells: Mapping[str, Any], label: str, predicted: str, weight: str | None) -> Array:
    """The weight of each group of rows with the same labels; missing labels and bad weights are refused.

    `cells` holds the columns `label`, `predicted`, `n_rows`, and with weights `weight` (their sum), `lightest` and
    `bad_weights` (how many are missing or infinite).
    """
    n_rows = np.asarray(cells["n_rows"], dtype=np.float64)
    for key, name in (("label", label), ("predicted", predicted)):
        bad = float(n_rows[[_is_blank(each) for each in cells[key]]].sum())
        if bad:
            raise InputError(
                f"column {brief(name)} has missing values: {bad:.0f} of {n_rows.sum():.0f} rows. "
                "Hint: drop those rows or label them."
            )
    if weight is None:
        return n_rows
    bad = float(np.sum(cells["bad_weights"]))
    if bad or np.nanmin(np.asarray(cells["lightest"], dtype=np.float64), initial=0.0) < 0:
        raise InputError(
            f"column {brief(weight)} has missing, infinite or negative values. "
            "Hint: a weight counts cases; drop those rows or correct them."
        )
    return np.asarray(cells["weight"], dtype=np.float64)


def _is_blank(value: Any) -> bool:
    return value is None or value != value or str(value).strip() in ("", "<NA>", "NaT")  # noqa: PLR0124


def objects(values: Sequence[Any]) -> Any:
    """Labels as an array that a list of them would give: numbers as numbers, all else as Python objects."""
    plain = [each.item() if isinstance(each, np.generic) else each for each in values]
    if plain and all(isinstance(each, int | float) and not isinstance(each, bool) for each in plain):
        whole = all(float(each).is_integer() for each in plain)
        return np.array(plain, dtype=np.int64 if whole else np.float64)
    made = np.empty(len(plain), dtype=object)
    made[:] = plain
    return made
