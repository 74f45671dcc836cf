"""Any result as one JSON payload: all that a page shows, and all that it needs to follow its sliders."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import singledispatch
from typing import Any

import unconfuse
from unconfuse._errors import ArgumentError
from unconfuse._formatting import plain_json
from unconfuse._validate import check_probability, check_text
from unconfuse.explorer import embedded, page_of
from unconfuse.metrics import METRICS, Metric
from unconfuse.report._multiclass_sections import by_need, classes_of, short_names, with_short_names
from unconfuse.report._sections import (
    calibration_of,
    card_of,
    comparison_of,
    crossing_of,
    decision_differences_of,
    declarations_of,
    folds_of,
    ledgers_of,
    model_of,
    resolution_of,
    sites_of,
    subgroups_of,
)
from unconfuse.report.citation import citation_of
from unconfuse.report.tabular import sheet_of
from unconfuse.report.tabular_page import tabular_payload
from unconfuse.resolving import ResolvingPower
from unconfuse.results import Comparison, Subgroups
from unconfuse.results.evaluate_sample import evaluation_of_card, evaluation_of_power
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.threshold_grid import FEW, moving
from unconfuse.table.sample import TWO
from unconfuse.thresholds import ThresholdCard

SCHEMA = "unconfuse-payload/1"
MODELS = 8  # that one page shows at most
CLASSES_IN_FULL = 24  # the same of single classes, if there is room
LONGEST_NAME = 120
LONGEST_WORD = 40  # of what positives and cases are called
_ALL_STOPS = 200
_PARTS = 5  # of a page, as its progress is told: card, curves, calibration, the rest, text
_WITH_BANDS = 4  # classes, or models, up to which each one's curves have bands
LARGEST_PAGE = 395_000  # bytes


@dataclass(frozen=True)
class PageOptions:
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
    positive_label : str
        What the positives are called, such as "ill"; the label of the data by default, if it is a word.
    unit : str
        What the cases are called, in the plural, such as "patients"; "cases" by default.
    progress : callable, optional
        Called with (done, total) parts of the page.
    date : str
        Shown beside the title, as "2026-11-16"; today by default, or what SOURCE_DATE_EPOCH says.
    """

    title: str = ""
    command: str = ""
    prevalence: float | None = None
    costs: Mapping[str, tuple[float, float]] | None = None
    positive_label: str = ""
    unit: str = ""
    date: str = ""
    progress: Callable[[int, int], object] | None = None

    def __post_init__(self) -> None:
        for name in ("title", "command", "positive_label", "unit", "date"):
            check_text(getattr(self, name), name)
        for name in ("positive_label", "unit"):
            if len(getattr(self, name)) > LONGEST_WORD:
                raise ArgumentError(f"`{name}` must have at most {LONGEST_WORD} characters: it stands in a sentence.")

    def tell(self, done: int, total: int = _PARTS) -> None:
        """So many parts of the page are made."""
        if self.progress is not None:
            self.progress(done, total)

    @property
    def day(self) -> str:
        """The date as it is shown."""
        epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
        made = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdecimal() else datetime.now(UTC).astimezone()
        return self.date or made.date().isoformat()


def payload_of(result: Any, page: PageOptions | None = None) -> dict[str, Any]:
    """Everything that a page shows of a result, as plain values that strict JSON can hold.

    Parameters
    ----------
    result : Evaluation, Subgroups, Comparison, ThresholdCard, ResolvingPower, or a result that is a table of estimates
    page : PageOptions, optional
        Title, command and where the sliders begin.

    Examples
    --------
    >>> import unconfuse as uc
    >>> payload = payload_of(uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31))
    >>> payload["schema"], payload["kind"], payload["models"][0]["stops"]["tp"]
    ('unconfuse-payload/1', 'counts', [141])
    """
    shown = page or PageOptions()
    sheet = sheet_of(result)
    if sheet is not None:
        return tabular_payload(sheet, shown)
    if shown.prevalence is not None:
        shown = replace(shown, prevalence=check_probability(shown.prevalence, "prevalence", open_interval=True))
    made = _payload(result, shown)
    shown.tell(_PARTS - 1)
    about = {"words": _words(result, shown), "date": shown.day, "citation": citation_of(result, made, shown.day)}
    told = dict(plain_json(made | about))
    shown.tell(_PARTS)
    return told


def _words(result: Any, page: PageOptions) -> dict[str, str]:
    """Return what positives and cases are called, and the label that means positive."""
    sample = getattr(getattr(result, "overall", result), "sample", None)
    several = sample is not None and sample.is_multiclass
    if page.positive_label and several:
        hint = "Hint: make the page of one class, ev.of_class(name).report(...)."
        raise ArgumentError(f"a page of several classes has no positive label: each class is its own. {hint}")
    label = "" if sample is None or several or sample.classes == TWO else _shortened(sample.classes[1])
    return {"positive": page.positive_label or _as_word(label), "unit": page.unit, "label": label}


def _as_word(label: str) -> str:
    """Return a label that says something: a short text, and neither a number nor yes or true; otherwise ""."""
    text = label.strip()
    dull = text.lower() in ("", "true", "yes", "y", "t", "positive", "pos") or not any(map(str.isalpha, text))
    return "" if dull or len(text) > LONGEST_WORD else text


@singledispatch
def _payload(result: Any, page: PageOptions) -> dict[str, Any]:
    known = "an evaluation (also of several classes), subgroups, a comparison, a threshold card or a resolving power"
    raise ArgumentError(f"a page shows {known}; got {type(result).__name__}.")


@_payload.register
def _of_evaluation(result: Evaluation, page: PageOptions) -> dict[str, Any]:
    made = (_of_classes if result.sample.is_multiclass else _of_two)(result, page)
    made |= {"folds": folds_of(result)} if result.sample.sampling.pooled else {}
    if result.sample.has_sites:
        first, places = [estimate.name for estimate in result.headline], result.sites
        made |= {"sites": sites_of(places.sizes(), [places[name] for name in first], places.findings)}
    return made | ({"kind": "subgroups", "subgroups": subgroups_of(result.subgroups)} if result.sample.by else {})


@_payload.register
def _of_subgroups(result: Subgroups, page: PageOptions) -> dict[str, Any]:
    return _of_evaluation(result.overall, page) | {"subgroups": subgroups_of(result)}


def _of_two(result: Evaluation, page: PageOptions) -> dict[str, Any]:
    if result.score_table is None:
        return _frame("counts", [model_of(result)], result.metrics, page)
    metrics = (*result.metrics, *moving(result))
    if not result.score_table.is_exact:  # which cards, definitions and resolving power need
        return _frame("evaluate", [_with_card(result, None)], metrics, page)
    dealt = result.sample.in_memory is not None or not result.sample.sampling.clustered  # groups are dealt by rows
    takes_card = dealt and not result.sample.sampling.by_weights
    card = result.default_card if takes_card else None
    page.tell(1)
    models = [_with_card(result, card)]
    page.tell(2)
    return _frame("evaluate", models, metrics, page, card, result.asymptotic_power_if_fast, result)


@_payload.register
def _of_card(result: ThresholdCard, page: PageOptions) -> dict[str, Any]:
    judged = evaluation_of_card(result)
    if judged is None:
        return _frame("thresholds", [], (), page, result)
    return _frame("thresholds", [_with_card(judged, result)], judged.metrics, page, result, of=judged)


@_payload.register
def _of_power(result: ResolvingPower, page: PageOptions) -> dict[str, Any]:
    judged = evaluation_of_power(result)
    if judged is None:
        return _frame("resolve", [], (), page, power=result)
    metrics = (*judged.metrics, *moving(judged))
    return _frame(
        "resolve", [_with_card(judged, judged.default_card)], metrics, page, judged.default_card, result, judged
    )


@_payload.register
def _of_comparison(result: Comparison, page: PageOptions) -> dict[str, Any]:
    names = dict(zip(result.models, short_names(result.models, LONGEST_NAME), strict=True))
    shown = _models_shown(result)
    part = comparison_of(result, names, [names[each] for each in shown])
    judged = {} if result.sample.is_multiclass else {names[each]: result.evaluations[each] for each in shown}
    most = min(max(_ALL_STOPS // len(shown), 25), FEW)
    bands = len(shown) <= _WITH_BANDS
    models = [model_of(evaluation, name=name, most=most, bands=bands) for name, evaluation in judged.items()]
    metrics = [metric for evaluation in judged.values() for metric in (*evaluation.metrics, *moving(evaluation))]
    declared = [METRICS[name] for name in result.metrics if name in METRICS]
    made = _frame("compare", models, (*metrics, *declared), page) | {"comparison": part}
    if result.has_sites:
        pooled = [result.sites[key] for key in result if key[0] == result.metrics[0]][:MODELS]
        made |= {"sites": sites_of(result.sites.sizes(), pooled, result.sites.findings)}
    return made | decision_differences_of(result, names)


def _models_shown(result: Comparison) -> list[str]:
    """Return the best by the first metric, best first; and a reference, with which alone the others were compared."""
    best = result.best_first
    kept = [name for name in best if all(name in (first, second) for _, first, second in result)]
    kept += [name for name in best if name not in kept][: MODELS - len(kept)]
    return [name for name in best if name in kept]


def _of_classes(result: Evaluation, page: PageOptions) -> dict[str, Any]:
    """Describe the whole first; then single classes in full, as many as the page has room for, the weakest first."""
    if page.prevalence is not None:
        hint = "Hint: make the page of one class, ev.of_class(name).report(...)."
        raise ArgumentError(f"a page of several classes takes no prevalence: each class has its own. {hint}")
    short = with_short_names(result, LONGEST_NAME)
    part = classes_of(short) | {"shortened": short is not result}
    made = _frame("classes", [], (), page) | {"classes": part}
    made["title"] = (page.title or _shortened(result.name))[:LONGEST_NAME]
    size, metrics = min(len(result.classes), CLASSES_IN_FULL), dict[str, Metric]()
    detail: Any = {"most": max(_ALL_STOPS // size, 25), "bands": size <= _WITH_BANDS}
    places = {name: place for place, name in enumerate(part["names"])}
    for k in by_need(short)[:CLASSES_IN_FULL]:
        judged = result.one_vs_rest(result.classes[k])
        metrics |= {metric.name: metric for metric in judged.metrics}
        made["metrics"], name = declarations_of(metrics.values()), short.classes[k]
        own = plain_json(model_of(judged, name=f"{name} vs the rest", **detail))
        if len(page_of(plain_json(made)).encode()) + len(embedded(own).encode()) > LARGEST_PAGE:
            break
        made["models"].append(own)
        part["full"].append(places[name])
    return made


def _frame(
    kind: str,
    models: list[Any],
    metrics: Iterable[Metric],
    page: PageOptions,
    card: ThresholdCard | None = None,
    power: ResolvingPower | None = None,
    of: Evaluation | None = None,
) -> dict[str, Any]:
    """Return what every page has, and what it shows of an evaluation `of` exact scores."""
    title = page.title or (models[0]["name"] if len(models) == 1 else "")
    others = [METRICS[name] for name in (power.metrics if power else ()) if name in METRICS]
    known = {metric.name: metric for metric in (*others, *metrics)}.values()
    made: dict[str, Any] = {"schema": SCHEMA, "version": unconfuse.__version__, "kind": kind}
    made |= {"title": title[:LONGEST_NAME], "command": page.command, "prevalence": page.prevalence}
    made |= {"models": models, "metrics": declarations_of(known)}
    costs = page.costs or (card.costs if card else {})
    names = {name: _shortened(name) or "Stakeholder" for name in costs}
    made |= {"costs": [{"name": names[key], "fp": fp, "fn": fn} for key, (fp, fn) in costs.items()]} if costs else {}
    made |= {"card": card_of(card)} if card else {}
    if of is not None:
        made |= calibration_of(of)
        page.tell(3)
    if power:
        made["resolution"] = resolution_of(power)
        if models and kind == "evaluate":
            models[0]["findings"] += [finding.as_dict() for finding in power.findings]
    return made | ({"ledger": ledgers_of(of)} if of is not None else {})


def _with_card(result: Evaluation, card: ThresholdCard | None) -> dict[str, Any]:
    made = model_of(result, [point.threshold.value for point in card.points.values()] if card else ())
    made |= crossing_of(result) if "b" in made["stops"] else {}
    return made | {"name": _shortened(made["name"])}


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"
