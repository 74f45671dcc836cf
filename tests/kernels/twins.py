"""Plain-NumPy twins of the kernels: slow, short and obviously right."""

from __future__ import annotations

import math

import numpy as np


def collapse(score, is_positive, weights=None):
    weights = np.ones(len(score)) if weights is None else weights
    distinct = sorted({x + 0.0 for x, w in zip(score.tolist(), weights.tolist(), strict=True) if w > 0}, reverse=True)
    sums = [
        [math.fsum(weights[(score == value) & (is_positive == wanted)]) for value in distinct]
        for wanted in (True, False)
    ]
    return np.array(distinct, dtype=float), np.array(sums[0], dtype=float), np.array(sums[1], dtype=float)


def merge_tables(score_a, positives_a, negatives_a, score_b, positives_b, negatives_b):
    score = np.concatenate([score_a, score_b])
    distinct = np.unique(score)[::-1]
    both = ((positives_a, positives_b), (negatives_a, negatives_b))
    columns = [np.array([np.concatenate(pair)[score == value].sum() for value in distinct]) for pair in both]
    return distinct, *columns
