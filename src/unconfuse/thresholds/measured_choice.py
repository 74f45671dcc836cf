"""A threshold that a rule chooses on the cases of an evaluation, measured as a card measures it.

For several models, and for parts of the cases, each case is labelled by a threshold that was chosen without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse.metrics import METRICS, Metric
from unconfuse.table import INTERVAL, Counts, InMemorySample, Sample, ScoreTable, Settings
from unconfuse.table.cells import Codes
from unconfuse.table.sample import CORRECTED, CROSS_FITTED
from unconfuse.thresholds.build_card import cases_of
from unconfuse.thresholds.candidates import Candidates
from unconfuse.thresholds.case_units import IndependentCases
from unconfuse.thresholds.optimism import Choices, corrected, honest_counts
from unconfuse.thresholds.rules import ThresholdRule, rule_named
from unconfuse.thresholds.validation import CardSettings, replicated
from unconfuse.uncertainty.estimate import Estimate

RESAMPLES = 500  # as a card draws, so that both give the same numbers for the same seed


@dataclass(frozen=True, eq=False)
class MeasuredChoice:
    """The choice of one rule, chosen anew in resamples of the same cases."""

    cases: IndependentCases
    shown: Counts  # at the threshold; of groups, an axis of groups
    choices: Choices
    design: Settings
    origins_of_others: Mapping[str, str]  # whose cases were labelled by thresholds chosen without them

    @cached_property
    def counts(self) -> Counts:
        """The 2x2 table to expect among as many cases, in whole cases where there are no others."""
        rates = [METRICS["sensitivity"], METRICS["specificity"]]
        counts = honest_counts(self.estimates(rates, self.design, ""), self.shown)
        whole = all(float(each).is_integer() for each in (self.cases.table.n_positives, self.cases.table.n_negatives))
        return (
            Counts.from_validated(**{name: np.rint(cell) for name, cell in counts.as_dict().items()})
            if whole
            else counts
        )

    def estimates(self, metrics: Sequence[Metric], design: Settings, context: str) -> Mapping[str, Estimate]:
        """Metrics of decisions at the threshold that is shown, with their intervals."""
        return corrected(metrics, self.cases, self.shown, self.choices, design, context)


def cut_by_rule(sample: Sample, rule: str, design: Settings) -> Sample:
    """Return the cases of one model cut where a rule chooses; measured by a bootstrap of the choice.

    Each case is also labelled by a threshold chosen without it: what is asked of some of the cases, of folds, and of
    cases with sampling weights rests on these labels.

    >>> from unconfuse.table import InMemorySample
    >>> cases = InMemorySample(truth=np.arange(40) > 25, scores={"risk": np.arange(40) // 4 + 0.0})
    >>> cut_by_rule(cases, "youden", Settings()).threshold_text()
    'threshold 6 (Youden J, corrected for the choice)'
    """
    sample.sampling.require(INTERVAL)  # choosing resamples, before any interval is asked for
    decided = decided_by_rule(sample, rule, design.seed)
    if sample.in_memory is None or sample.sampling.pooled or sample.sampling.by_weights:
        return decided
    chosen, cases = rule_named(rule, sample.n), cases_of(sample)
    threshold = decided.thresholds[sample.only_model]
    settings = CardSettings(n_resamples=min(design.n_resamples, RESAMPLES), rng=design.seed, honest="bootstrap")
    (found,) = replicated(cases, [chosen], settings)
    assert found.choices is not None  # every rule that has a name chooses
    shown = cases.counts_at(threshold)
    choice = MeasuredChoice(cases, shown, found.choices, design.without_progress(), decided.threshold_sources)
    return decided.derive(choice=choice, threshold_sources={sample.only_model: f"{chosen.label}, {CORRECTED}"})


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
