"""Rows that stay where they are: a cluster is asked for sums over them, never for the rows themselves."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse.ingest.tables import Tables
from unconfuse.table import Array


@dataclass(frozen=True, eq=False)
class LabelPatterns:
    """How many cases each combination of truth and models' labels has.

    Attributes
    ----------
    is_positive : array of bool, shape (k,)
    labelled : mapping of model to array of bool, shape (k,)
        Whether the model calls these cases positive.
    weight : array of shape (k,)
    """

    is_positive: npt.NDArray[np.bool_]
    labelled: Mapping[str, npt.NDArray[np.bool_]]
    weight: Array


@dataclass(frozen=True, eq=False)
class Products:
    """Sums over the cases of each class of products of numbers that each model's score stands for.

    Attributes
    ----------
    positive, negative : mapping of name to array of shape (models, models)
    """

    positive: Mapping[str, Array]
    negative: Mapping[str, Array]


@dataclass(frozen=True)
class Draws:
    """Which resamples to draw: each case, or each group, counts as often as a number hashed from it says."""

    n_resamples: int
    seed: int


# For each model, by name of the quantity: what a positive, and what a negative case is worth at each row of its table.
Worth = Mapping[str, tuple[Array, Array]]


@dataclass(frozen=True, eq=False, repr=False)
class DistantRows(Tables, ABC):
    """Tables, and what else can be asked of the rows they came from.

    Attributes
    ----------
    n_rows : int
    is_weighted : bool
        Whether rows stand for several cases.
    is_clustered : bool
        Whether cases belong to groups.
    """

    n_rows: int = 0
    is_weighted: bool = False
    is_clustered: bool = False

    @abstractmethod
    def n_groups(self) -> int:
        """Number of groups."""

    @abstractmethod
    def with_constants(self, scores: Mapping[str, float]) -> DistantRows:
        """The same rows with models that give every case the same score."""

    @abstractmethod
    def label_patterns(self, thresholds: Mapping[str, float]) -> LabelPatterns:
        """Cases by truth and by the labels of all models."""

    @abstractmethod
    def products(self, worth: Mapping[str, Worth]) -> Products:
        """Sums of products, over models, of what cases are worth."""

    @abstractmethod
    def replicates(self, lowest: Mapping[str, Array], draws: Draws) -> Mapping[str, tuple[Array, Array]]:
        """Resampled weights of both classes in bands of scores, for each model: two arrays (n_resamples, bands).

        A band begins at each of the `lowest` scores (descending) and ends below the one before.
        """


class SparkPath(str):
    """The path of a file that a Spark session is to read."""

    session: Any
    delimiter: str | None

    def __new__(cls, path: str, session: Any, delimiter: str | None = None) -> SparkPath:
        """A text that knows who reads it."""
        made = super().__new__(cls, path)
        made.session, made.delimiter = session, delimiter
        return made


def is_distant(data: object) -> bool:
    """Whether these rows are Spark's: a frame, classic or Connect, or a path; pyspark is not imported to find out."""
    return isinstance(data, SparkPath) or any(
        each.__module__.startswith("pyspark.sql") and each.__name__ == "DataFrame" for each in type(data).__mro__
    )
