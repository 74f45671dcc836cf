"""Evaluations: of a sample, of the models of a comparison, and of the data behind a card or a resolving power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from unconfuse._validate import check_probability
from unconfuse.ingest._read import refuse
from unconfuse.metrics import METRICS, Metric
from unconfuse.policy import DEFAULT_THRESHOLD
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import AggregatedSample, IndependentSamples, Sample, ScoreTable, Settings, parse_design
from unconfuse.table.sample import DEFAULT
from unconfuse.uncertainty import available, estimate

if TYPE_CHECKING:
    from unconfuse.resolving import ResolvingPower
    from unconfuse.thresholds import ThresholdCard

_OF_SCORES = ("auroc", "average_precision", "precision_at_indistinguishability")
_OF_PROBABILITIES = ("brier", "brier_skill", "calibration_intercept", "calibration_slope")


def cut_by_policy(sample: Sample, threshold: float | None) -> Sample:
    """Scores of one model cut where the user said, probabilities at 0.5 otherwise, and other scores nowhere.

    Several classes and labels alone have nothing to cut: a threshold for them is refused.
    """
    if sample.is_multiclass or not sample.has_scores:
        refuse(sample, threshold=threshold)
        return sample
    if sample.probability_problem():
        return sample if threshold is None else sample.with_thresholds(threshold)
    if threshold is None:
        return sample.with_thresholds(DEFAULT_THRESHOLD, DEFAULT)
    return sample.with_thresholds(check_probability(threshold, "threshold"))  # no probability can be cut at 50


def evaluate_sample(
    sample: Sample, metrics: Iterable[str | Metric] | None, settings: Settings, *, name: str = "", reference: Any = None
) -> Evaluation:
    """Evaluate a sample that has been read and cut."""
    wanted = available(metrics, sample)
    found = estimate(wanted, sample, settings)
    settings.report_finished()
    result = _kind_of(sample)(sample.compact(), settings, wanted, found, name=name, reference=reference)
    if reference is not None:
        result.subgroups.reference  # noqa: B018  an unknown reference is refused now, not when it is first used
    return result


def _kind_of(sample: Sample) -> type[Evaluation]:
    if not sample.is_multiclass:
        return Evaluation
    from unconfuse.results.multiclass import MulticlassEvaluation  # most questions have two classes

    return MulticlassEvaluation


class LazyEvaluations(Mapping[str, Evaluation]):
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


def evaluation_of_model(sample: Sample | IndependentSamples, model: str, design: Settings) -> Evaluation:
    """One of several models, by the usual metrics."""
    own = sample.select_model(model)
    return evaluate_sample(own, None if own.is_multiclass else _few(own), design.without_progress(), name=model)


def evaluation_of_card(card: ThresholdCard) -> Evaluation | None:
    """Evaluate a card's data at the threshold given beforehand, else the first rule's; None for a card read back."""
    if card.sample is None:
        return None
    how = card.settings
    design = Settings(how["confidence_level"], seed=how["rng"])
    sample = card.sample.without_subgroups().with_design(parse_design(how["design"]))
    fixed_first = sorted(card.points.values(), key=lambda point: not point.rule.startswith("fixed"))
    for point in (operating_point for operating_point in fixed_first if math.isfinite(operating_point.threshold.value)):
        chosen = "" if point.rule.startswith("fixed") else f"{point.label}, chosen on these data"
        cut = sample.with_thresholds(float(point.threshold.value), chosen or None)
        return evaluate_sample(cut, _few(cut), design)
    return _judged_few(sample, design)


def evaluation_of_power(power: ResolvingPower) -> Evaluation | None:
    """Evaluate the scores behind a resolving power; return None if its scores come from a formula."""
    table = getattr(power.model, "table", None)
    if not isinstance(table, ScoreTable):
        return None
    return _judged_few(
        AggregatedSample.of_table(table), Settings(confidence_level=power.confidence_level, seed=power.seed)
    )


def _judged_few(sample: Sample, design: Settings) -> Evaluation:
    cut = cut_by_policy(sample, None)
    return evaluate_sample(cut, _few(cut), design)


def _few(sample: Sample) -> list[str]:
    """Return the decisions' metrics and a few of the ranking, where the question was about something else."""
    decisions = [name for name, metric in METRICS.items() if metric.of == "counts" and sample.has_decisions_of()]
    if not sample.has_scores:
        return decisions
    return [*decisions, *_OF_SCORES, *(() if sample.probability_problem() else _OF_PROBABILITIES)]
