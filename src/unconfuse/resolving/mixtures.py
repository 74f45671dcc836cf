"""Mixtures of Beta distributions as a sampling model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError
from unconfuse.resolving.models import Distributions
from unconfuse.table import Array


class _Mixture:
    """A mixture of Beta distributions with the methods that `Distributions` needs."""

    def __init__(self, parts: tuple[tuple[float, float, float], ...]) -> None:
        self.parts = parts
        ends = np.logspace(-15, -2.5, 500)
        self._grid = np.concatenate([ends, np.linspace(0.004, 0.996, 4001), 1 - ends[::-1]])
        self._tails = self.sf(self._grid)

    def sf(self, score: Any) -> Array:
        from scipy.special import betaincc

        inside = np.clip(np.asarray(score, dtype=np.float64), 0.0, 1.0)
        return np.asarray(sum(share * betaincc(a, b, inside) for share, a, b in self.parts))

    def isf(self, tail: Any) -> Array:
        """Looked up in a fine table, then improved by Newton's steps."""
        wanted = np.asarray(tail, dtype=np.float64)
        score = np.interp(-wanted, -self._tails, self._grid)
        for _ in range(4):
            density = self._density(score)
            step = np.divide(self.sf(score) - wanted, density, out=np.zeros_like(score), where=density > 0)
            score = np.clip(score + step, score / 2, (1 + score) / 2)
        return np.where(wanted <= 0, 1.0, np.where(wanted >= 1, 0.0, score))

    def _density(self, score: Array) -> Array:
        from scipy.special import betaln, xlog1py, xlogy

        return np.asarray(
            sum(
                share * np.exp(xlogy(a - 1, score) + xlog1py(b - 1, -score) - betaln(a, b))
                for share, a, b in self.parts
            )
        )

    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    def __repr__(self) -> str:
        return " + ".join(f"{share:.3g} Beta({a:g}, {b:g})" for share, a, b in self.parts)


Parts = tuple[float, float] | Sequence[tuple[float, float, float]]


def BetaMixture(positive: Parts, negative: Parts) -> Distributions:  # noqa: N802 - reads as a model
    """Scores in (0, 1) from mixtures of Beta distributions.

    Parameters
    ----------
    positive, negative : (a, b), or sequence of (share, a, b)
        One Beta distribution, or several with their shares.

    Examples
    --------
    >>> model = BetaMixture((2, 1), [(.7, 1, 3), (.3, 2, 2)])
    >>> round(model.population(0).auroc, 4)
    0.84
    """
    return Distributions(_Mixture(_parts(positive, "positive")), _Mixture(_parts(negative, "negative")))


def _parts(given: Any, name: str) -> tuple[tuple[float, float, float], ...]:
    try:
        rows = np.atleast_2d(np.asarray(given, dtype=np.float64))
        rows = np.column_stack([np.ones(len(rows)), rows]) if rows.shape[1] == 2 else rows
        if rows.shape[1] != 3 or not np.isfinite(rows).all() or (rows <= 0).any():
            raise ValueError
    except ValueError:
        raise ArgumentError(
            f"`{name}` must be (a, b) or a list of (share, a, b), all above 0; got {given!r}."
        ) from None
    rows[:, 0] /= rows[:, 0].sum()
    return tuple((float(share), float(a), float(b)) for share, a, b in rows)
