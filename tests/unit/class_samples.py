"""Samples of several classes for tests."""

import numpy as np

import unconfuse as uc
from unconfuse.ingest import read


def softmax(logits):
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def sample(n=120, classes=4, strength=1.3, seed=0, *, digits=None):
    rng = np.random.default_rng(seed)
    y = np.minimum(rng.geometric(0.4, n) - 1, classes - 1)
    logits = rng.normal(size=(n, classes))
    logits[np.arange(n), y] += strength
    scores = softmax(logits)
    return y, scores if digits is None else softmax(np.round(logits, digits))


def rows_of(y, scores, **words):
    """The checked rows of one model, or of several by name."""
    return read(uc.Data(y, scores, **words), models=isinstance(scores, dict))
