"""The paper's own way to B(r): compare randomly drawn pairs. Beside the exact value it shows what sampling costs."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from unconfuse._errors import InputError
from unconfuse._validate import check_number, check_whole
from unconfuse._plain import number_text
from unconfuse.uncertainty.estimate import Estimate
from unconfuse.table import Array, ScoreTable

Generator = np.random.Generator
Draws = npt.NDArray[np.intp]


def sampled_b(
    table: ScoreTable, threshold: float, *, n_pairs: int = 1000, rng: int = 0, confidence_level: float = 0.95
) -> Estimate:
    """B(r) from random pairs of a positive and a labelled case; a pair of a case with itself is drawn again.

    Parameters
    ----------
    table : ScoreTable
    threshold : float
        Cases with at least this score are labelled.
    n_pairs, rng : int
        Number of pairs and seed.
    confidence_level : float
        Of the interval, which shows the Monte-Carlo error alone: what another draw of pairs from the same data would
        give.

    Examples
    --------
    >>> cats = ScoreTable(np.array([87., 85, 82, 79, 74, 73, 68, 66, 61, 39, 28, 12]),
    ...                   np.array([1., 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0]),
    ...                   np.array([0., 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1]))
    >>> print(sampled_b(cats, 67, n_pairs=100_000))
    b 0.485 [0.482, 0.489] 95% Monte Carlo, threshold 67.0, 100,000 pairs, no case with itself; exactly 18/37 = 0.486
    """
    at, pairs = check_number(threshold, "threshold"), check_whole(n_pairs, "n_pairs", at_least=1)
    labelled = int(np.searchsorted(-table.score, -at, side="right"))
    if not labelled:
        raise InputError(f"no case has a score of at least {at:g}. Hint: the highest score is {table.score[0]:g}.")
    won, compared = _exactly(table, labelled)
    if compared <= 0:
        raise InputError("the only labelled case is the only positive: there is nothing to compare it with.")

    wins = _wins(table, labelled, pairs, np.random.default_rng(check_whole(rng, "rng", at_least=0)))
    value, error = float(wins.mean()), float(wins.std()) / math.sqrt(pairs)
    reach = float(ndtri((1 + confidence_level) / 2)) * error
    fraction = f"{won:g}/{compared:g} = " if won == int(won) and compared == int(compared) and compared < 1e6 else ""
    context = (
        f"threshold {number_text(at)}, {pairs:,} pairs, no case with itself; exactly "
        f"{fraction}{number_text(won / compared)}"
    )
    return Estimate(
        "b",
        "B(r) from random pairs",
        value,
        max(value - reach, 0.0),
        min(value + reach, 1.0),
        confidence_level,
        method="Monte Carlo",
        better="neither",
        context=context,
    )


def _exactly(table: ScoreTable, labelled: int) -> tuple[float, float]:
    """Pairs won and pairs compared, none of a case with itself."""
    p, cases = table.positives, table.positives + table.negatives
    tp = float(p[:labelled].sum())
    won = float((cases * (np.cumsum(p) - p / 2))[:labelled].sum()) - tp / 2
    return won, table.n_positives * float(cases[:labelled].sum()) - tp


def _wins(table: ScoreTable, labelled: int, pairs: int, rng: Generator) -> Array:
    """1 for a positive that outranks, 1/2 for a tie, 0 for one outranked."""
    real, shown = _pairs(table, labelled, pairs, rng)
    return np.where(real < shown, 1.0, np.where(real == shown, 0.5, 0.0))


def _pairs(table: ScoreTable, labelled: int, pairs: int, rng: Generator) -> tuple[Draws, Draws]:
    """Blocks of the positive and of the labelled case of each pair; same cases are thrown out and drawn again."""
    real, shown = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    p, cases = table.positives, (table.positives + table.negatives)[:labelled]
    while len(real) < pairs:
        left, right = _draw(p, pairs, rng), _draw(cases, pairs, rng)
        # Within one block of c cases, the labelled case is the positive itself once in c times.
        same = (left == right) & (rng.random(pairs) * cases[np.minimum(right, labelled - 1)] < 1)
        real, shown = np.append(real, left[~same]), np.append(shown, right[~same])
    return real[:pairs], shown[:pairs]


def _draw(weights: Array, size: int, rng: Generator) -> Draws:
    reached = np.cumsum(weights)
    drawn: Draws = np.searchsorted(reached, rng.random(size) * reached[-1], side="right")
    return drawn
