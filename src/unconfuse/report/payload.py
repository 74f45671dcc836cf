"""Any result as one JSON payload: all that a page shows, and all that it needs to follow its sliders."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import unconfuse
from unconfuse._errors import ArgumentError, UnconfuseWarning
from unconfuse._plain import plain_json
from unconfuse._validate import check_probability
from unconfuse.api import evaluate
from unconfuse.comparison import Comparison, Subgroups
from unconfuse.explorer import page_of
from unconfuse.explorer.formulas import script_text
from unconfuse.metrics import METRICS, Metric
from unconfuse.multiclass import ClassEvaluation
from unconfuse.report._classes import by_need, classes_of, short_names, with_short_names
from unconfuse.report._lines import is_probability
from unconfuse.report._model import FEW, declarations_of, ledgers_of, model_of
from unconfuse.report._parts import card_of, comparison_of, resolution_of, subgroups_of
from unconfuse.resolving import Empirical, resolving_power
from unconfuse.resolving.answers import ResolvingPower
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Scores, ScoreTable
from unconfuse.thresholds import threshold_card
from unconfuse.thresholds.card import ThresholdCard

SCHEMA = "unconfuse-payload/1"
MODELS = 8  # that one page shows at most
LONGEST_NAME = 120
_QUICK = 2000  # distinct scores up to which resolving power takes no noticeable time
_ALL_STOPS = 200
_WITH_BANDS = 4  # classes up to which each one's curves have bands
LARGEST_PAGE = 395_000  # bytes
_OF_SCORES = ("auroc", "average_precision", "precision_at_indistinguishability")
_OF_PROBABILITIES = ("brier", "brier_skill", "calibration_intercept", "calibration_slope")


@dataclass(frozen=True)
class Page:
    """What a page is to say besides the numbers.

    Attributes
    ----------
    title : str
        Of the page; the model's name by default.
    command : str
        The command or call that made the result, so that it can be repeated.
    prevalence : float, optional
        Where the prevalence slider stands first; that of the data by default.
    costs : mapping of name to (fp, fn), optional
        The stakeholders' costs to begin with.
    card, power : optional
        A threshold card and a resolving power to show, if they are made already.
    """

    title: str = ""
    command: str = ""
    prevalence: float | None = None
    costs: Mapping[str, tuple[float, float]] | None = None
    card: ThresholdCard | None = None
    power: ResolvingPower | None = None


def payload_of(result: Any, page: Page | None = None) -> dict[str, Any]:
    """Everything that a page shows of a result, as plain values that strict JSON can hold.

    Parameters
    ----------
    result : Evaluation, ClassEvaluation, Subgroups, Comparison, ThresholdCard or ResolvingPower
    page : Page, optional
        Title, command and where the sliders begin.

    Examples
    --------
    >>> import unconfuse as uc
    >>> payload = payload_of(uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31))
    >>> payload["schema"], payload["kind"], payload["models"][0]["stops"]["tp"]
    ('unconfuse-payload/1', 'counts', [141])
    """
    shown = page or Page()
    if shown.prevalence is not None:
        check_probability(shown.prevalence, "prevalence", open_interval=True)
    return dict(plain_json(_payload(result, shown)))


@singledispatch
def _payload(result: Any, page: Page) -> dict[str, Any]:
    known = "an evaluation (also of several classes), subgroups, a comparison, a threshold card or a resolving power"
    raise ArgumentError(f"a page shows {known}; got {type(result).__name__}.")


@_payload.register
def _of_evaluation(result: Evaluation, page: Page) -> dict[str, Any]:
    if result.table is None:
        return _frame("counts", [model_of(result)], result.metrics, page)
    card, power, table = page.card, page.power, None
    if result.table.is_exact:  # which cards, definitions and resolving power need
        card, power, table = card or _card(result), power or _quick_power(result.table), result.table
    return _frame("evaluate", [_with_card(result, card)], result.metrics, page, card=card, power=power, table=table)


@_payload.register
def _of_subgroups(result: Subgroups, page: Page) -> dict[str, Any]:
    return _of_evaluation(result.overall, page) | {"kind": "subgroups", "subgroups": subgroups_of(result)}


@_payload.register
def _of_card(result: ThresholdCard, page: Page) -> dict[str, Any]:
    if result.table is None:
        return _frame("thresholds", [], (), page, card=result)
    how = {name: result.settings[name] for name in ("design", "confidence_level", "rng")}
    judged = evaluate(result.table, threshold=_cut(result), metrics=_metrics(result.table), **how)
    return _frame("thresholds", [_with_card(judged, result)], judged.metrics, page, card=result, table=result.table)


@_payload.register
def _of_power(result: ResolvingPower, page: Page) -> dict[str, Any]:
    table = getattr(result.model, "table", None)
    if not isinstance(table, ScoreTable):
        return _frame("resolve", [], (), page, power=result)
    cut = 0.5 if is_probability(table) else float(table.score[len(table) // 2])
    how: dict[str, Any] = {"rng": result.seed, "confidence_level": result.confidence_level}
    judged = evaluate(table, threshold=cut, metrics=_metrics(table), **how)
    card = _card(judged)
    return _frame("resolve", [_with_card(judged, card)], judged.metrics, page, card=card, power=result, table=table)


@_payload.register
def _of_comparison(result: Comparison, page: Page) -> dict[str, Any]:
    names = dict(zip(result.models, short_names(result.models, LONGEST_NAME), strict=True))
    shown = [names[each] for each in result.models[:MODELS]]
    part = comparison_of(result, names, shown)
    judged = [] if result.data is None else [_judged(result, each) for each in result.models[:MODELS]]
    stops = max(_ALL_STOPS // max(len(judged), 1), 25)
    models = [model_of(each, name=name, stops=min(stops, FEW)) for each, name in zip(judged, shown, strict=False)]
    metrics = judged[0].metrics if judged else ()
    declared = [METRICS[name] for name in result.metrics if name in METRICS]
    return _frame("compare", models, (*metrics, *declared), page) | {"comparison": part}


@_payload.register
def _of_classes(result: ClassEvaluation, page: Page) -> dict[str, Any]:
    """The whole first; then single classes in full, as many as the page has room for, the weakest first."""
    if page.prevalence is not None:
        raise ArgumentError(
            "a page of several classes takes no prevalence: each class has its own. "
            "Hint: make the page of one class, ev.of_class(name).report(...)."
        )
    short = with_short_names(result, LONGEST_NAME)
    part = classes_of(short) | {"shortened": short is not result}
    made = _frame("classes", [], (), page) | {"classes": part}
    made["title"] = (page.title or _shortened(result.name))[:LONGEST_NAME]
    size = min(len(result.classes), MODELS)
    detail: Any = {"stops": max(_ALL_STOPS // size, 25), "bands": size <= _WITH_BANDS}
    metrics: dict[str, Metric] = {}
    places = {name: place for place, name in enumerate(part["names"])}
    for k in by_need(short)[:MODELS]:
        judged = result.of_class(result.classes[k])
        metrics |= {each.name: each for each in judged.metrics}
        made["metrics"] = declarations_of(metrics.values())
        name = short.classes[k]
        own = plain_json(model_of(judged, name=f"{name} against the rest", **detail))
        if len(page_of(plain_json(made)).encode()) + len(script_text(own).encode()) > LARGEST_PAGE:
            break
        made["models"].append(own)
        part["full"].append(places[name])
    return made


def _frame(
    kind: str,
    models: list[dict[str, Any]],
    metrics: Iterable[Metric],
    page: Page,
    *,
    card: ThresholdCard | None = None,
    power: ResolvingPower | None = None,
    table: ScoreTable | None = None,
) -> dict[str, Any]:
    title = page.title or (models[0]["name"] if len(models) == 1 else "")
    others = [METRICS[name] for name in (power.metrics if power else ()) if name in METRICS]
    known = {each.name: each for each in (*others, *metrics)}.values()
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "version": unconfuse.__version__,
        "kind": kind,
        "title": title[:LONGEST_NAME],
        "command": page.command,
        "prevalence": page.prevalence,
        "models": models,
        "metrics": declarations_of(known),
    }
    costs = page.costs or (_costs(card) if card else {})
    names = {name: _shortened(name) or "Stakeholder" for name in costs}
    made |= {"costs": [{"name": names[key], "fp": fp, "fn": fn} for key, (fp, fn) in costs.items()]} if costs else {}
    made |= {"card": card_of(card)} if card else {}
    made |= {"resolution": resolution_of(power)} if power else {}
    return made | ({"ledger": ledgers_of(table)} if table is not None else {})


def _with_card(result: Evaluation, card: ThresholdCard | None) -> dict[str, Any]:
    made = model_of(result, [point.threshold.value for point in card.points.values()] if card else ())
    return made | {"name": _shortened(made["name"])}


def _card(result: Evaluation) -> ThresholdCard:
    assert result.table is not None
    design = "case-control" if result.design == "case-control" else "cohort"
    cut = result.threshold if result.threshold is not None and abs(result.threshold) < float("inf") else None
    return threshold_card(
        result.table, fixed=cut, design=design, confidence_level=result.confidence_level, rng=result.seed or 0
    )


def _quick_power(table: ScoreTable) -> ResolvingPower | None:
    """Resolving power from theory, if that is quick and these data allow it."""
    if len(table) > _QUICK or min(table.n_positives, table.n_negatives) < 2:
        return None
    try:
        power = resolving_power(Empirical(table), method="asymptotic")
        return power if power.recommendation else None
    except ArgumentError:
        return None


def _costs(card: ThresholdCard) -> dict[str, tuple[float, float]]:
    """The stakeholders' costs, as the card's own cost rules show them."""
    found = {}
    for rule, point in card.points.items():
        for name in point.metrics if rule.startswith("cost") else ():
            costs = re.fullmatch(r"expected_cost\(fp=(.+), fn=(.+)\)", name)
            if costs:
                found[rule.partition(":")[2]] = (float(costs[1]), float(costs[2]))
    return found


def _cut(card: ThresholdCard) -> float:
    """The threshold given beforehand, else the first rule's."""
    values = [card.points[name].threshold.value for name in sorted(card.points, key=lambda name: name[:5] != "fixed")]
    return next((float(each) for each in values if abs(each) < float("inf")), 0.5)


def _metrics(table: ScoreTable) -> list[str]:
    """The decisions' metrics and a few of the ranking, where the page is about something else."""
    decisions = [name for name, each in METRICS.items() if each.of == "counts"]
    return [*decisions, *_OF_SCORES, *(_OF_PROBABILITIES if is_probability(table) else ())]


def _judged(comparison: Comparison, name: str) -> Evaluation:
    rows, settings = comparison.data, comparison.settings
    assert rows is not None
    own = Scores(rows.is_positive, {name: rows.score[name]}, rows.weights, rows.groups, rows.positive_label)
    design = "cohort" if settings["design"] == "clustered" else settings["design"]
    how = {"confidence_level": settings["confidence_level"], "n_resamples": settings["n_resamples"]}
    how |= {"threshold": settings["thresholds"][name], "design": design, "rng": settings["seed"], "name": name}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnconfuseWarning)  # the comparison has said what there was to say
        return evaluate(own, metrics=_metrics(own.table()), **how)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
