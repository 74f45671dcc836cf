"""Numbers that other tools give and that unconfuse shows only beside its own."""

from __future__ import annotations

import numpy as np

from unconfuse.metrics._blocks import Blocks, totals
from unconfuse.metrics._definition import ratio
from unconfuse.metrics.areas_under_pr import auprc_trapezoid
from unconfuse.metrics.calibration import recalibration
from unconfuse.metrics.probability import log_loss
from unconfuse.metrics.ranking import auroc
from unconfuse.table import Array, ScoreTable

_CLIP = float(np.finfo(np.float64).eps)


def _tied_pairs(table: ScoreTable) -> Array:
    """Share of the pairs (positive, negative) that are tied."""
    positives, negatives = totals(table)
    return ratio((table.positives * table.negatives).sum(axis=-1), positives * negatives)


def strict_auroc(table: ScoreTable) -> Array:
    """P(X > Y)."""
    return auroc(table) - _tied_pairs(table) / 2


def generous_auroc(table: ScoreTable) -> Array:
    """P(X >= Y)."""
    return auroc(table) + _tied_pairs(table) / 2


def trapezoid_from_first_point(table: ScoreTable) -> Array:
    """The trapezoid without the stretch from recall 0 to the first point."""
    blocks = Blocks.of(table)
    first = (blocks.tp == 0) & (blocks.fp == 0)
    own, beside = blocks.positives[first], blocks.negatives[first]
    left_out = (own * (1 + own / (own + beside)) / 2).sum()
    return np.asarray(auprc_trapezoid(table) - ratio(left_out, blocks.n_positives))


def clipped_log_loss(table: ScoreTable) -> Array:
    """Log loss with the scores kept away from 0 and 1."""
    return log_loss(ScoreTable(np.clip(table.score, _CLIP, 1 - _CLIP), table.positives, table.negatives))


def joint_intercept(table: ScoreTable) -> Array:
    """The intercept of the recalibration model in which the slope is free."""
    return recalibration(table)[0]
