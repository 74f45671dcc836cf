"""Decisions of a rule, case by case: each is labelled by a threshold that was chosen without it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse.table import InMemorySample, Sample, ScoreTable
from unconfuse.table.cells import Codes
from unconfuse.table.sample import CROSS_FITTED
from unconfuse.thresholds.candidates import Candidates
from unconfuse.thresholds.rules import ThresholdRule, rule_named

FOLDS = 20  # as a card has


def decided_by_rule(sample: Sample, rule: str, seed: int) -> Sample:
    """Return the same cases, each model deciding by a rule: on each fold by the threshold chosen on all the others.

    The thresholds shown are those that the rule chooses on all cases: the ones to use on new cases.

    Examples
    --------
    >>> cases = InMemorySample(truth=np.arange(40) > 25, scores={"risk": np.arange(40) // 4 + 0.0})
    >>> decided_by_rule(cases, "youden", 0).threshold_text()
    'threshold 6 (Youden J, cross-fitted)'
    """
    sample = sample.rows_for("choosing a threshold for each model")
    chosen = rule_named(rule, sample.n)
    folds = _folds(sample, seed)
    decided = {model: _decided(sample, model, chosen, folds) for model in sample.scores}
    cuts = {model: _cut(sample.table(model), chosen) for model in sample.scores}
    words = dict.fromkeys(cuts, f"{chosen.label}, {CROSS_FITTED}")
    return sample.derive(decided={**sample.decided, **decided}, thresholds=cuts, threshold_sources=words)


def _folds(sample: InMemorySample, seed: int) -> Codes:
    """Cases dealt class by class, no more folds than cases of the smaller class; groups stay whole."""
    generator, positive = np.random.default_rng(seed), sample.is_positive
    size = max(2, min(FOLDS, int(min(positive.sum(), (~positive).sum()))))
    if sample.groups is not None:
        return (generator.permutation(int(sample.groups.max()) + 1) % size)[sample.groups]
    fold = np.empty(len(sample), dtype=np.int64)
    for members in (positive, ~positive):
        fold[members] = generator.permutation(int(members.sum())) % size
    return fold


def _decided(sample: InMemorySample, model: str, rule: ThresholdRule, folds: Codes) -> Codes:
    labelled, score = np.zeros(len(sample), dtype=np.int64), sample.scores[model]
    for each in np.unique(folds):
        held: npt.NDArray[np.bool_] = folds == each
        if held.all():
            hint = "Hint: give a threshold, or more cases."
            raise InputError(f"these cases cannot be held apart: none is left to choose a threshold by. {hint}")
        others = sample.taken(np.flatnonzero(~held))
        labelled[held] = score[held] >= _cut(others.table(model), rule)
    return labelled


def _cut(table: ScoreTable, rule: ThresholdRule) -> float:
    candidates = Candidates(table)
    return float(candidates.thresholds(rule.choose(candidates)))
