"""The data behind the situations: drawn from fixed seeds, and rounded, so that every machine has the same numbers."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import unconfuse as uc

Array = Any


class Situation(NamedTuple):
    """How to make a result, and how to read it."""

    read: Callable[[Any], dict[str, Any]]
    make: Callable[[], Any]


@cache
def folder() -> Path:
    """A place for files that lasts as long as the process: results may read again when they are asked."""
    made = Path(tempfile.mkdtemp(prefix="frozen-"))
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def draw(n: int = 300, seed: int = 1, share: float = 0.3, lift: float = 1.2, digits: int = 6) -> tuple[Array, Array]:
    """Labels 0 and 1, and probabilities that rank them better than chance."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(np.int64)
    y[:2] = 1, 0  # both classes, however few the rows
    return y, logistic(lift * y + rng.normal(size=n) - 0.5).round(digits)


def tied(n: int = 300, seed: int = 2) -> tuple[Array, Array]:
    """Scores of one decimal: heavy ties."""
    return draw(n, seed, digits=1)


def five_values(n: int = 300, seed: int = 3) -> tuple[Array, Array]:
    y, s = draw(n, seed)
    return y, (s * 5).astype(int).clip(0, 4) / 4


def margins(n: int = 300, seed: int = 4) -> tuple[Array, Array]:
    """Scores on both sides of 0, none of them probabilities."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(np.int64)
    return y, (3 * y + 2 * rng.normal(size=n) - 1).round(4)


def whole_weights(n: int = 300, seed: int = 5) -> Array:
    return np.random.default_rng(seed).integers(1, 5, n)


def with_zeros(n: int = 300, seed: int = 6) -> Array:
    return np.random.default_rng(seed).integers(0, 3, n)


def fractions(n: int = 300, seed: int = 7) -> Array:
    return (0.1 + np.random.default_rng(seed).random(n)).round(3)


def clusters(n: int = 300, seed: int = 8, of: int = 40) -> Array:
    return np.random.default_rng(seed).integers(0, of, n)


def clustered(n: int = 300, seed: int = 9, of: int = 40) -> tuple[Array, Array, Array]:
    """Rows of one group are alike."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, of, n)
    own = rng.normal(size=of)[group]
    y = (own + rng.normal(size=n) > 0.6).astype(np.int64)
    return y, logistic(y + own + rng.normal(size=n) - 0.8).round(6), group


def chosen(values: tuple[Any, ...], n: int = 300, seed: int = 10) -> Array:
    """A column of a few values."""
    return np.array(values, dtype=object)[np.random.default_rng(seed).integers(0, len(values), n)]


def rivals(n: int = 300, seed: int = 11, names: str = "abcde") -> tuple[Array, dict[str, Array]]:
    """Models from better to worse that share a part of their noise."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(np.int64)
    shared = rng.normal(size=n)
    models = {
        name: logistic((1.6 - 0.25 * k) * y + 0.7 * shared + 0.8 * rng.normal(size=n) - 0.8).round(5)
        for k, name in enumerate(names)
    }
    return y, models


NAMES = np.array(["ant", "bee", "cat", "dog", "elk", "fox"])


def matrix(n: int = 300, size: int = 3, seed: int = 12, lift: float = 1.3) -> tuple[Array, Array]:
    """Codes of the true classes, and probabilities with a column for each class."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, size, n)
    truth[:size] = np.arange(size)
    latent = lift * np.eye(size)[truth] + rng.normal(size=(n, size))
    stated = np.exp(latent)
    stated = (stated / stated.sum(axis=1, keepdims=True)).round(6)
    stated[:, -1] = (1 - stated[:, :-1].sum(axis=1)).round(6)
    return truth, stated


def decided(truth: Array, size: int, seed: int = 13, right: float = 0.7) -> Array:
    """Predicted codes that are right most of the time."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(len(truth)) < right, truth, rng.integers(0, size, len(truth)))


@uc.metric(label="Missed per 1,000", better="lower", range=(0, 1000))
def missed_per_thousand(c: Any) -> Any:
    """A user's own metric of the four counts."""
    return 1000 * c.fn / c.total


@uc.metric(of="ranks", label="Positives among the first ten scores", range=(0, 1))
def in_first_scores(table: Any) -> Any:
    """A user's own metric of the score table."""
    return table.positives[..., :10].sum(axis=-1) / table.positives.sum(axis=-1)
