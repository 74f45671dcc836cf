"""Joining neighbouring scores into blocks, and uniting blocks that overlap: arrays only.

Blocks are cut at the nodes of one fixed binary tree over all floating-point numbers (sign, exponent, then the digits
of the fraction), the same everywhere. Tables that were binned apart therefore have blocks that nest: where one site's
blocks are wider, the union is as wide as theirs and no wider. Blocks cut at each site's own quantiles would overlap
like roof tiles, and their union would be one block.
"""

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError
from unconfuse._kernels import node_weights

Floats = npt.NDArray[np.float64]
Keys = npt.NDArray[np.uint64]
Flags = npt.NDArray[np.bool_]

_SIGN, _FRACTION = np.uint64(1 << 63), np.uint64((1 << 52) - 1)


def joined(low: Floats, high: Floats, *weights: Floats, bins: int, edges: Floats, least: float) -> tuple[Floats, ...]:
    """Blocks (descending) joined into at most `bins` (and as many more as edges need), each at least so heavy.

    How heavy a block is, the first two columns say: the weights of the classes. Others are added up beside them.
    """
    if not len(low):
        return low, high, *weights
    low, high, *weights = (column[::-1] for column in (low, high, *weights))  # type: ignore[assignment]
    _refuse_split(low, high, edges)
    below = np.searchsorted(edges, high, side="right")
    at_edge, total = below[1:] > below[:-1], weights[0] + weights[1]
    cut = cuts(low, total, bins) | at_edge
    if least > 0:
        cut = drop_small_blocks(cut, at_edge, low, total, least)
        _refuse_light(at_edge & ~cut, high, low, least)
    starts, ends = np.flatnonzero(np.append(True, cut)), np.flatnonzero(np.append(cut, True))
    low, high = (low[starts], high[ends]) if least <= 0 else round_ends(low[starts], high[ends], edges)
    sums = (np.add.reduceat(weight, starts) for weight in weights)
    return tuple(np.ascontiguousarray(column[::-1]) for column in (low, high, *sums))


def _refuse_split(low: Floats, high: Floats, edges: Floats) -> None:
    inside = np.searchsorted(edges, low, side="right") < np.searchsorted(edges, high, side="right")
    if inside.any():
        at = np.flatnonzero(inside)[0]
        edge = f"the edge {edges[np.searchsorted(edges, low[at], side='right')]:g}"
        block = f"the block from {low[at]:g} to {high[at]:g}, which cannot be split"
        raise ArgumentError(f"{edge} lies inside {block}. Hint: give the edge when the exact table is binned.")


def _refuse_light(lost: Flags, high: Floats, low: Floats, least: float) -> None:
    if lost.any():
        at = np.flatnonzero(lost)[0]
        raise ArgumentError(
            f"fewer than {least:g} cases lie on one side of the edge between {high[at]:g} and {low[at + 1]:g}, so "
            "a block there would be too small. Hint: remove this edge, or pass a smaller min_count."
        )


def keys_of(score: Floats) -> Keys:
    """Whole numbers in the order of the scores, whose leading bits are the path through the tree."""
    bits = np.ascontiguousarray(score + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def scores_of(keys: Keys) -> Floats:
    """Invert `keys_of`.

    >>> scores_of(keys_of(np.array([-2.5, 0.0, 0.3]))).tolist()
    [-2.5, 0.0, 0.3]
    """
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).astype(np.uint64).view(np.float64)


def levels(lower: Keys, upper: Keys) -> Keys:
    """Return the height of the node at which two keys part: the position of the highest bit in which they differ."""
    differ = lower ^ upper
    upper_bits = (differ >> np.uint64(11)).astype(np.float64)  # 53 bits, which a float holds exactly
    found = (upper_bits.view(np.uint64) >> np.uint64(52)) - np.uint64(1023 - 11)
    close = np.flatnonzero(upper_bits == 0)
    found[close] = np.frexp(differ[close].astype(np.float64))[1] - 1
    return found


def cuts(score: Floats, weight: Floats, bins: int) -> Flags:
    """Between which neighbours to cut (scores ascending), so that at most `bins` blocks remain.

    Neighbours are parted where the smallest node of the tree that holds both is heavier than a limit, and the limit is
    the smallest one that leaves few enough blocks. A tie heavier than the limit always is a block of its own.
    """
    if len(score) <= bins:
        return np.ones(max(len(score) - 1, 0), dtype=np.bool_)
    weights = node_weights(score, weight)
    return np.asarray(weights > np.partition(weights, -bins)[-bins])


def drop_small_blocks(cut: Flags, at_edge: Flags, score: Floats, weight: Floats, least: float) -> Flags:
    """Keep the cuts that leave every block at least so heavy; light blocks join the neighbour nearest in the tree.

    Cuts at an edge come last: they go only if all that lies between two edges is too light.
    """
    places, keys = np.flatnonzero(cut), keys_of(score)
    level = np.where(at_edge[places], 64, levels(keys[places], keys[places + 1]))
    block = np.add.reduceat(weight, np.concatenate([[0], places + 1])).tolist()
    after = list(range(1, len(block) + 1))  # the next block of each
    owner = list(range(len(block)))  # the first block of the run that a block has joined
    kept = cut.copy()
    for each in np.argsort(level, kind="stable").tolist():
        left = _find(owner, each)
        right = after[left]
        if block[left] < least or block[right] < least:
            kept[places[each]] = False
            block[left] += block[right]
            owner[right], after[left] = left, after[right]
    return kept


def _find(owner: list[int], block: int) -> int:
    while owner[block] != block:
        owner[block] = owner[owner[block]]
        block = owner[block]
    return block


def round_ends(low: Floats, high: Floats, edges: Floats) -> tuple[Floats, Floats]:
    """Round ends so that they name no single case (blocks ascending): neighbours meet at the tree node that parts them.

    Where an edge lies between two blocks they meet there. The outermost ends go to the next power of two (near 1, their
    distance from 1 does): they tell a magnitude, and log loss stays finite. Blocks of one score stay.
    """
    upper, lower = keys_of(low[1:]), keys_of(high[:-1])
    level = levels(lower, upper)
    meet = scores_of((upper >> level) << level)
    if len(edges):
        place = np.minimum(np.searchsorted(edges, high[:-1], side="right"), len(edges) - 1)
        between = (edges[place] > high[:-1]) & (edges[place] <= low[1:])
        meet = np.where(between, edges[place], meet)
    first, last = _outermost(low[0], high[-1])
    lows, highs = np.concatenate([[first], meet]), np.concatenate([np.nextafter(meet, -np.inf), [last]])
    single = low == high
    return np.where(single, low, lows), np.where(single, high, highs)


def _outermost(low: float, high: float) -> tuple[float, float]:
    keys = keys_of(np.array([low, high, 1 - high]))
    first, last, rest = scores_of(np.array([keys[0] & ~_FRACTION, keys[1] | _FRACTION, keys[2] & ~_FRACTION]))
    return float(first), max(float(1 - rest), high) if low >= 0 and high <= 1 else float(last)


def merge_overlapping(low: Floats, high: Floats, *weights: Floats) -> tuple[Floats, ...]:
    """Blocks in any order, those that share a score united, descending: ends first, then the sums of each weight."""
    order = np.lexsort((*weights, high, low))
    low, high = low[order], high[order]
    reach = np.maximum.accumulate(high) if len(high) else high
    starts = np.flatnonzero(np.concatenate([[True], low[1:] > reach[:-1]])) if len(low) else np.empty(0, np.intp)
    ends = np.concatenate([starts[1:], [len(low)]]).astype(np.intp) - 1
    sums = (np.add.reduceat(weight[order], starts) if len(starts) else weight for weight in weights)
    columns = low[starts], reach[ends] if len(low) else high, *sums
    return tuple(np.ascontiguousarray(column[::-1]) for column in columns)
