"""The paper's own way to A and B(r): comparing random pairs. Beside the exact value it shows what sampling costs."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import number_text
from unconfuse._validate import check_flag, check_number, check_seed, check_whole
from unconfuse.metrics.influence_functions import quantile
from unconfuse.table import Array, ScoreTable
from unconfuse.uncertainty.estimate import Estimate

Draws = npt.NDArray[np.intp]

_MOST_PAIRS = 10**8  # all of them are drawn at once


def sampled_a(table: ScoreTable, *, n_pairs: int = 1000, rng: int = 0, confidence_level: float = 0.95) -> Estimate:
    """AUROC from random pairs of a positive and a negative.

    The interval shows the Monte-Carlo error alone: what another draw of pairs from the same data would give.

    >>> cats = ScoreTable(np.array([.8, .6, .3, .1]), np.array([1., 0, 1, 0]), np.array([0., 1, 0, 1]))
    >>> print(sampled_a(cats, n_pairs=100_000))
    auroc 0.750 [0.747, 0.752] 95% Monte Carlo, 100,000 pairs; exactly 3/4 = 0.750
    """
    pairs, generator = check_whole(n_pairs, "n_pairs", at_least=1, at_most=_MOST_PAIRS), _generator(rng)
    positive, negative = (_draw(each, pairs, generator) for each in (table.positives, table.negatives))
    won = float((table.negatives * (np.cumsum(table.positives) - table.positives / 2)).sum())
    exact = _exactly(won, table.n_positives * table.n_negatives)
    context = f"{pairs:,} pairs; {exact}"
    return _of_pairs("auroc", "AUROC from random pairs", positive, negative, confidence_level, context, "higher")


def sampled_b(
    table: ScoreTable,
    threshold: float,
    *,
    n_pairs: int = 1000,
    replace: bool = True,
    rng: int = 0,
    confidence_level: float = 0.95,
) -> Estimate:
    """B(r) from random pairs of a positive and a labelled case; no case is compared with itself.

    With replacement, a pair of a case with itself is drawn again. Without (`replace=False`), no case is drawn twice on
    the same side, which needs at least `n_pairs` positives and labelled cases, and a pair of a case with itself is
    left out. The interval shows the Monte-Carlo error alone: what another draw from the same data would give.

    >>> cats = ScoreTable(np.array([87., 85, 82, 79, 74, 73, 68, 66, 61, 39, 28, 12]),
    ...                   np.array([1., 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0]),
    ...                   np.array([0., 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 1]))
    >>> print(sampled_b(cats, 67, n_pairs=100_000))
    b 0.485 [0.482, 0.489] 95% Monte Carlo, threshold 67.0, 100,000 pairs, no case with itself; exactly 18/37 = 0.486
    """
    at, pairs = check_number(threshold, "threshold"), check_whole(n_pairs, "n_pairs", at_least=1, at_most=_MOST_PAIRS)
    labelled = int(np.searchsorted(-table.score, -at, side="right"))
    if not labelled:
        raise InputError(f"no case has a score of at least {at:g}. Hint: the highest score is {table.score[0]:g}.")
    p, cases = table.positives, table.positives + table.negatives
    tp = float(p[:labelled].sum())
    won = float((cases * (np.cumsum(p) - p / 2))[:labelled].sum()) - tp / 2
    compared = table.n_positives * float(cases[:labelled].sum()) - tp
    if compared <= 0:
        raise InputError("the only labelled case is the only positive: there is nothing to compare it with.")

    draw = _pairs if check_flag(replace, "replace") else _pairs_without_replacement
    real, shown = draw(table, labelled, pairs, _generator(rng))
    how = "no case with itself" if replace else "no case twice or with itself"
    context = f"threshold {number_text(at)}, {len(real):,} pairs, {how}; {_exactly(won, compared)}"
    return _of_pairs("b", "B(r) from random pairs", real, shown, confidence_level, context, "neither")


def _of_pairs(
    name: str, label: str, left: Draws, right: Draws, confidence_level: float, context: str, better: str
) -> Estimate:
    """How often the left one of each pair lies in the higher block; ties count half."""
    wins = np.where(left < right, 1.0, np.where(left == right, 0.5, 0.0))
    value, error = float(wins.mean()), float(wins.std()) / math.sqrt(len(wins))
    reach = quantile(confidence_level) * error
    limits = max(value - reach, 0.0), min(value + reach, 1.0), confidence_level, "Monte Carlo"
    return Estimate(name, label, value, *limits, better=better, conditions=context, standard_error=error)


def _exactly(won: float, compared: float) -> str:
    whole = won == int(won) and compared == int(compared) and compared < 1e6
    return f"exactly {f'{won:g}/{compared:g} = ' if whole else ''}{number_text(won / compared)}"


def _pairs(table: ScoreTable, labelled: int, pairs: int, rng: np.random.Generator) -> tuple[Draws, Draws]:
    """Blocks of the positive and of the labelled case of each pair; same cases are thrown out and drawn again."""
    real, shown = np.empty(0, dtype=np.intp), np.empty(0, dtype=np.intp)
    p, cases = table.positives, (table.positives + table.negatives)[:labelled]
    while len(real) < pairs:
        left, right = _draw(p, pairs, rng), _draw(cases, pairs, rng)
        # Within one block of c cases, the labelled case is the positive itself once in c times.
        same = (left == right) & (rng.random(pairs) * cases[np.minimum(right, labelled - 1)] < 1)
        real, shown = np.append(real, left[~same]), np.append(shown, right[~same])
    return real[:pairs], shown[:pairs]


def _pairs_without_replacement(
    table: ScoreTable, labelled: int, pairs: int, rng: np.random.Generator
) -> tuple[Draws, Draws]:
    """Draw the blocks of both cases of each pair, with every case at most once on each side."""
    sizes = np.concatenate([table.positives, table.negatives])
    if (sizes != np.round(sizes)).any():
        raise ArgumentError("weights that are no whole numbers cannot be drawn without replacement.")
    # Cases are numbered, the positives first, so that one can be told from another in the same block.
    block = np.repeat(np.tile(np.arange(len(table)), 2), sizes.astype(np.intp))
    n_positives, shown = int(table.n_positives), np.flatnonzero(block < labelled)
    if pairs > min(n_positives, len(shown)):
        raise ArgumentError(
            f"`n_pairs` must not exceed the {n_positives:,} positives and {len(shown):,} labelled cases when none is "
            f"drawn twice; got {pairs:,}. Hint: pass fewer pairs, or `replace=True`."
        )
    left, right = rng.choice(n_positives, pairs, replace=False), rng.choice(shown, pairs, replace=False)
    kept = left != right
    if not kept.any():
        raise InputError("every case was compared with itself. Hint: pass more pairs, or another `rng`.")
    return block[left[kept]], block[right[kept]]


def _draw(weights: Array, size: int, rng: np.random.Generator) -> Draws:
    reached = np.cumsum(weights)
    drawn: Draws = np.searchsorted(reached, rng.random(size) * reached[-1], side="right")
    return drawn


def _generator(rng: int) -> np.random.Generator:
    return np.random.default_rng(check_seed(rng))
