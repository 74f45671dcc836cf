"""Evaluations: of a sample, of the models of a comparison, and of the data behind a card or a resolving power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from unconfuse.metrics import METRICS, Metric
from unconfuse.resolving import ResolvingPower
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Apart, Design, DistantSample, Sample, ScoreTable
from unconfuse.thresholds import ThresholdCard
from unconfuse.uncertainty import available, estimate

_OF_SCORES = ("auroc", "average_precision", "precision_at_indistinguishability")
_OF_PROBABILITIES = ("brier", "brier_skill", "calibration_intercept", "calibration_slope")


def judged(
    sample: Sample, metrics: Iterable[str | Metric] | None, settings: Design, *, name: str = "", reference: Any = None
) -> Evaluation:
    """The evaluation of a sample that has been read and cut."""
    wanted = available(metrics, sample)
    found = estimate(wanted, sample, settings)
    settings.finished()
    result = Evaluation(sample.settled(), settings, wanted, found, name=name, reference=reference)
    if reference is not None:
        result.subgroups.reference  # noqa: B018  an unknown reference is refused now, not when it is first used
    return result


class Evaluations(Mapping[str, Evaluation]):
    """Evaluations by model, each made when it is first asked for."""

    def __init__(self, models: Sequence[str], make: Callable[[str], Evaluation]) -> None:
        self._models, self._make = tuple(models), make
        self._made: dict[str, Evaluation] = {}

    def __getitem__(self, model: str) -> Evaluation:
        if model not in self._models:
            raise KeyError(model)
        if model not in self._made:
            self._made[model] = self._make(model)
        return self._made[model]

    def __iter__(self) -> Iterator[str]:
        return iter(self._models)

    def __len__(self) -> int:
        return len(self._models)


def evaluation_of_model(sample: Sample | Apart, model: str, design: Design) -> Evaluation:
    """One of several models, by the usual metrics."""
    own = sample.only(model)
    return judged(own, None if own.several else _few(own), design.quietly(), name=model)


def evaluation_of_card(card: ThresholdCard) -> Evaluation | None:
    """The data of a card at the threshold given beforehand, else at the first rule's; None of a card that was read."""
    if card.sample is None:
        return None
    how = card.settings
    design = Design(how["design"], how["confidence_level"], seed=how["rng"])
    fixed_first = sorted(card.points.values(), key=lambda point: not point.rule.startswith("fixed"))
    cuts = (float(point.threshold.value) for point in fixed_first)
    cut = next((each for each in cuts if math.isfinite(each)), 0.5)
    return _cut(card.sample.undivided(), cut, design)


def evaluation_of_power(power: ResolvingPower) -> Evaluation | None:
    """The scores behind a resolving power, cut at the usual or the middle one; None of scores from a formula."""
    table = getattr(power.model, "table", None)
    if not isinstance(table, ScoreTable):
        return None
    cut = float(table.score[len(table) // 2]) if table.why_not_probabilities else 0.5
    return _cut(DistantSample.of_table(table), cut, Design(confidence_level=power.confidence_level, seed=power.seed))


def _cut(sample: Sample, threshold: float, design: Design) -> Evaluation:
    return judged(sample.cut_at(threshold), _few(sample), design)


def _few(sample: Sample) -> list[str]:
    """The decisions' metrics and a few of the ranking, where the question was about something else."""
    decisions = [name for name, each in METRICS.items() if each.of == "counts"]
    if not sample.has_scores:
        return decisions
    return [*decisions, *_OF_SCORES, *(() if sample.why_not_probabilities() else _OF_PROBABILITIES)]
