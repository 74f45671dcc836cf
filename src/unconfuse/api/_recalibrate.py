"""`recalibrate`: mend stated probabilities, or say that they should be left alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._validate import check_choice, check_number, check_probability, check_seed
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import check_judgeable, only_table, public_data_api
from unconfuse.recalibration import binary_maps, map_selection, multiclass_maps
from unconfuse.recalibration.map_selection import Candidate, DevianceTest, Gains
from unconfuse.recalibration.maps import OF_SEVERAL, OF_TWO, Form
from unconfuse.recalibration.saved_map import ProbabilityMap, clipped, clipped_rows
from unconfuse.results.evaluate_sample import cut_by_policy, evaluate_sample
from unconfuse.results.recalibration import Recalibration
from unconfuse.table import AggregatedSample, Array, InMemorySample, Question, Sample, ScoreTable, Settings
from unconfuse.table.in_memory import decide
from unconfuse.uncertainty import Estimate
from unconfuse.uncertainty.method import NoInterval

_OF_TWO = ("log_loss", "brier", "calibration_intercept", "calibration_slope")
_OF_SEVERAL = ("log_loss", "brier")
_PAIRED = {"log_loss": "Log loss: gain", "brier": "Brier score: gain"}
_METHOD = "Student's t of paired differences, cross-fitted"


@public_data_api
def recalibrate(
    y: Any,
    s: Any = None,
    *,
    kind: str | None = None,
    clip: float | None = None,
    confidence_level: float = 0.95,
    rng: int = 0,
    **data: Unpack[DataOptions],
) -> Recalibration:
    """Choose and fit a map that mends stated probabilities; "leave them alone" is an answer.

    The simplest map is chosen that a closed test on deviances does not reject at 5%: none, an intercept, a logistic or
    a beta map; an isotonic one from 1,000 cases on, if it is clearly better on cases that had no part in its fit. Of
    several classes: none, a temperature, an intercept for each class, or both. No map turns the ranking round.

    Parameters
    ----------
    y : array_like, data frame, file, ScoreTable or Data
        Labels of cases that the model was not fitted on; or a source of labels and probabilities. The classes must
        be as frequent among them as where the map will be used.
    s : array_like
        Stated probabilities: of the positive class, or a column for each class.
    kind : str, optional
        Fit this kind of map instead of choosing one: "none", "intercept", "logistic", "beta", "isotonic"; of several
        classes "temperature", "bias" or "temperature+bias".
    clip : float, optional
        Move probabilities that are nearer to 0 or 1 than this to there first. Required if some are exactly 0 or 1,
        whose log-odds are infinite.
    confidence_level : float
    rng : int
        Seed of the folds.
    **data
        What the columns mean, which rows to read: the words of `Data`.

    Returns
    -------
    Recalibration
        `.chosen`, `.before`, `.after` and `.gain` (mappings to `Estimate`); called with new probabilities it mends
        them, and `.save(path)` writes the map.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> p = .02 + .96 * rng.random(400)
    >>> uc.recalibrate(rng.random(400) < p, p).chosen
    'none'
    >>> r = uc.recalibrate(rng.random(400) < p / (p + 3 * (1 - p)), p)
    >>> r.chosen, r([.5]).round(2)
    ('intercept', array([0.21]))
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    seed, floor = check_seed(rng), _clip(clip)
    given = only_table(y, s, data, Question.of("`recalibrate`"), classes=True)
    is_pair = (
        given.is_multiclass and given.n_classes == 2 and given.has_scores
    )  # two columns, as `predict_proba` gives them
    sample = given.one_vs_rest(1).derive(classes=given.classes) if is_pair else given
    if kind is not None:
        check_choice(kind, "kind", OF_SEVERAL if sample.is_multiclass else tuple(OF_TWO))
    _check_cases(sample)
    recalibration_request = _RecalibrationRequest(kind, floor, level, seed)
    return (
        _of_several(sample, recalibration_request) if sample.is_multiclass else _of_two(sample, recalibration_request)
    )


class _RecalibrationRequest:
    """What the caller said besides the data."""

    def __init__(self, kind: str | None, clip: float | None, confidence_level: float, seed: int) -> None:
        self.kind, self.clip, self.confidence_level, self.seed = kind, clip, confidence_level, seed

    @property
    def design(self) -> Settings:
        """Settings of the estimates before and after."""
        return Settings(confidence_level=self.confidence_level, seed=self.seed)


def _clip(given: Any) -> float | None:
    if given is None:
        return None
    found = check_number(given, "clip")
    if not 0 < found < 0.5:
        raise ArgumentError(
            f"`clip` must lie strictly between 0 and 0.5; got {found:g}. Hint: {argument_name('clip', 0.001)}."
        )
    return found


def _check_cases(sample: Sample) -> None:
    """Whole cases of at least two classes, with probabilities: what likelihood-ratio tests are about."""
    if sample.ordinal:
        raise ArgumentError("`recalibrate` does not support `ordered`: maps have no order of classes. Hint: remove it.")
    if not sample.has_scores:
        raise InputError("`recalibrate` requires probabilities; got predicted labels only.")
    why = sample.probability_problem()
    if why:
        raise InputError(f"`recalibrate` requires probabilities: {why}.")
    if sample.has_fractions:
        raise InputError("`recalibrate` counts whole cases and does not support fractional weights. Hint: remove them.")
    check_judgeable(sample)


def _refuse_certain(count: float, asked: _RecalibrationRequest) -> None:
    if count and asked.clip is None:
        cases = "1 stated probability is" if count == 1 else f"{count:,.10g} stated probabilities are"
        raise InputError(
            f"{cases} exactly 0 or 1, whose log-odds are infinite. Hint: pass {argument_name('clip', 0.001)} to move "
            "such "
            "probabilities to 0.001 and 0.999."
        )


def _of_two(sample: Sample, asked: _RecalibrationRequest) -> Recalibration:
    given = sample.table().exact("`recalibrate`").nonempty_rows
    certain = (given.score == 0) | (given.score == 1)
    _refuse_certain(float((given.positives + given.negatives)[certain].sum()), asked)
    table, own = given, sample
    if asked.clip is not None:
        table = binary_maps.table_of(clipped(given.score, asked.clip), given.positives, given.negatives)
        own = AggregatedSample.of_table(table, sample.only_model)
    found = map_selection.candidates_of_two(table)
    if asked.kind == "isotonic":
        found |= {"isotonic": map_selection.fitted_to_two("isotonic", table)}
    fits = map_selection.cross_fits(table, asked.seed)
    kind, test = map_selection.chosen_of_two(found, fits)
    form = _asked_form(found, asked.kind or kind)
    before = _judged(own, _OF_TWO, asked)
    measured = None if form.kind == "none" else map_selection.measured_of_two(form.kind, fits)
    mended = None if measured is None else measured[0]
    sampled = None if mended is None else AggregatedSample.of_table(mended)
    after = before if form.kind == "none" else _after(before, sampled, asked)
    ends = float(given.score[-1]), float(given.score[0])
    return _made(
        sample,
        asked,
        ProbabilityMap(form, tuple(sample.classes), False, sample.positive_label, asked.clip, table.n, *ends),
        (before, after, _gain(form, None if measured is None else measured[1], asked)),
        found,
        test,
        (table, table if form.kind == "none" else mended),
    )


def _of_several(sample: Sample, asked: _RecalibrationRequest) -> Recalibration:
    near = sample.rows_for("recalibrating several classes").counted().ordered
    given = np.asarray(near.matrix, dtype=np.float64)
    _refuse_certain(float(near.weight[(given == 0).any(axis=1)].sum()), asked)
    rows = multiclass_maps.ClassProbabilities(clipped_rows(given, asked.clip), near.truth.astype(np.intp), near.weight)
    found = map_selection.candidates_of_several(rows)
    kind, test = map_selection.chosen_of_several(found)
    form = _asked_form(found, asked.kind or kind)
    own = near if asked.clip is None else _with_scores(near, rows.p)
    before = _judged(own, _OF_SEVERAL, asked)
    measured = None if form.kind == "none" else map_selection.measured_of_several(form.kind, rows, asked.seed)
    mended = None
    if measured is not None:
        mended = _with_scores(near.taken(measured[0]), measured[1], measured[2])
    after = before if form.kind == "none" else _after(before, mended, asked)
    stated, later = _confidence(own), None if mended is None else _confidence(mended)
    return _made(
        sample,
        asked,
        ProbabilityMap(form, tuple(sample.classes), True, None, asked.clip, sample.n, 0.0, 1.0),
        (before, after, _gain(form, None if measured is None else measured[3], asked)),
        found,
        test,
        (stated, stated if form.kind == "none" else later),
    )


def _with_scores(sample: InMemorySample, p: Array, weights: Array | None = None) -> InMemorySample:
    more = {} if weights is None else {"weights": weights}
    name = sample.only_model
    return sample.derive(scores={name: p}, decided={name: decide(p)}, **more)


def _confidence(sample: InMemorySample) -> ScoreTable:
    """Return the table of how likely the likeliest class was said to be, and whether it was the true one."""
    p = sample.matrix
    best = p.argmax(axis=1)
    return ScoreTable.from_rows(best == sample.truth, np.asarray(p.max(axis=1), dtype=np.float64), sample.weight)


def _asked_form(found: Mapping[str, Candidate], kind: str) -> Form:
    candidate = found[kind]
    if candidate.form is None:
        raise InputError(f"a map of the kind {kind!r} cannot be fitted: {candidate.why_not}.")
    return candidate.form


def _judged(sample: Sample, metrics: tuple[str, ...], asked: _RecalibrationRequest) -> dict[str, Estimate]:
    """Return the same estimates as `evaluate`."""
    return dict(evaluate_sample(cut_by_policy(sample, None), metrics, asked.design))


def _after(before: Mapping[str, Estimate], mended: Sample | None, asked: _RecalibrationRequest) -> dict[str, Estimate]:
    if mended is None:
        ends = dict.fromkeys(("value", "low", "high"), math.nan)
        nothing: dict[str, Any] = {**ends, "method": "", "undefined": _WHY_NOT}
        return {
            name: replace(estimate, **nothing, recompute=None, binning_bounds=None) for name, estimate in before.items()
        }
    found = _judged(mended, tuple(before), asked)
    return {
        name: replace(estimate, conditions=f"{estimate.conditions}, cross-fitted".lstrip(", "))
        for name, estimate in found.items()
    }


_WHY_NOT = "the folds hold too few cases to fit the map to the others"


def _gain(form: Form, gains: Gains | None, asked: _RecalibrationRequest) -> dict[str, Estimate]:
    """Return the fall of the losses, case by case; without an interval where it shows no gain."""
    level, found = asked.confidence_level, {}
    how: dict[str, str]
    for name, label in _PAIRED.items():
        if form.kind == "none":
            value, ends, how = 0.0, (math.nan, math.nan), {"method": NoInterval("no interval: nothing is changed")}
        elif gains is None:
            value, ends, how = math.nan, (math.nan, math.nan), {"undefined": _WHY_NOT}
        else:
            value, error, n = gains.mean_and_error(name)
            ends = map_selection.limits(value, error, n, level)
            how = {"method": NoInterval("no interval: no gain shown") if math.isnan(ends[0]) else _METHOD}
        found[name] = Estimate(name, label, value, *ends, level, **how)  # type: ignore[arg-type]
    return found


def _made(
    sample: Sample,
    asked: _RecalibrationRequest,
    made: ProbabilityMap,
    estimates: tuple[Mapping[str, Estimate], Mapping[str, Estimate], Mapping[str, Estimate]],
    found: Mapping[str, Candidate],
    test: DevianceTest,
    tables: tuple[ScoreTable, ScoreTable | None],
) -> Recalibration:
    held = [float(size) for size in sample.sizes if size > 0]
    return Recalibration(made, *estimates, found, test, min(held), asked.kind is not None, tables)
