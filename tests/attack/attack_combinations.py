"""Everything that can be said of data, in any combination, of very few cases; and every later question to the result.

Each verb is tried with each word by other attacks; here are the words together: weights and groups and folds and
subgroups and a judge and bins, scores or decisions of two or of several classes, one model or two, a metric of one's
own. What comes of it is sound, answers or refuses in words, and can be shown, paged and drawn.
"""

from __future__ import annotations

import inspect
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from attack_questions import all_sound, pairs_sound, rows, show, units, weights
from hostile import FINE, REFUSED, Outcome, WrongError

import unconfuse as uc

KIND = "combinations"
WORDS = "weights, groups, folds, subgroups, judges, bins and own metrics together, of few cases; all later questions"
PATIENCE = 120
LATER = [
    "band",
    "calibration",
    "default_card",
    "confusion",
    "counts",
    "curve",
    "expected_cost",
    "definitions",
    "findings",
    "folds",
]
LATER += [
    "fold_curves",
    "headline",
    "indistinguishability",
    "labels_to_buy",
    "of_class",
    "payload",
    "per_class",
    "pooled",
]
LATER += ["power", "quick_power", "report", "resolving_power", "risk_coverage", "rows", "span", "subgroups", "table_of"]
LATER += ["threshold_card", "threshold_cards", "plot", "estimate", "ranking", "winner", "summary", "pairs", "models"]


@uc.metric(name="hits_less_alarms", range=(-1, 1))
def own(c: uc.Counts) -> Any:
    """A metric of one's own."""
    return c.tp / c.positives - c.fp / c.negatives


def attack(rng: np.random.Generator) -> Outcome:
    """One data set with several words, one verb, one or two later questions."""
    verb = VERBS[int(rng.integers(len(VERBS)))]
    try:
        found = verb(rng)
    except uc.UnconfuseError:
        return REFUSED
    show(found)
    for _ in range(2):
        _asked_later(found, rng)
    return FINE


def _words(rng: np.random.Generator, y: Any, s: Any) -> dict[str, Any]:
    """Any of what may be said of rows."""
    n = len(y)
    judge = np.where(rng.random(n) < 0.2, 1 - y, y)
    known: dict[str, Callable[[], Any]] = {
        "weights": lambda: weights(rng, n),
        "sampling_weights": lambda: weights(rng, n),
        "groups": lambda: units(rng, n),
        "strata": lambda: units(rng, n),
        "folds": lambda: units(rng, n),
        "by": lambda: {"site": rng.choice(["a", "b", "c"], n), "age": rng.random(n).round(1)},
        "judge": lambda: judge,
        "bins": lambda: int(rng.choice([2, 10])),
        "max_distinct": lambda: int(rng.choice([2, 5])),
        "design": lambda: "case-control",
        "confidence_level": lambda: float(rng.choice([0.5, 0.8, 0.999])),
    }
    names = rng.choice(list(known), int(rng.integers(0, 5)), replace=False)
    return {str(name): known[str(name)]() for name in names}


def _labels(rng: np.random.Generator, y: Any, words: dict[str, Any]) -> Any:
    """Labels, some of them unknown where a judge knows them."""
    return np.where(rng.random(len(y)) < 0.5, np.nan, y.astype(float)) if "judge" in words else y


def _metrics(rng: np.random.Generator) -> dict[str, Any]:
    kinds: list[dict[str, Any]] = [{}, {}, {"metrics": [own, "auroc"]}, {"metrics": [own]}]
    return kinds[int(rng.integers(len(kinds)))]


def _one_model(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    words = _words(rng, y, s)
    cut = {"threshold": float(rng.choice(s))} if rng.random() < 0.5 else {"at": "youden"} if rng.random() < 0.3 else {}
    found = uc.evaluate(_labels(rng, y, words), s, n_resamples=100, **cut, **_metrics(rng), **words)
    all_sound(found)
    for part in ("by", "folds"):
        if part in words:
            for each in (found.subgroups if part == "by" else found.folds).values():
                all_sound(each)
    return found


def _decisions(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    words = _words(rng, y, s)
    found = uc.evaluate(_labels(rng, y, words), predicted=(s > np.median(s)).astype(int), n_resamples=100, **words)
    all_sound(found)
    return found


def _two_models(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    words = _words(rng, y, s)
    words.pop("by", None)
    others = {"b": np.round(rng.random(len(y)), 1), "c": s, "d": np.full(len(y), 0.5), "e": -s}
    models = {"a": s} | {name: others[str(name)] for name in rng.choice(list(others), int(rng.integers(1, 4)), False)}
    cut = {"threshold": float(rng.choice(s))} if rng.random() < 0.5 else {}
    cut |= {"reference": "a"} if rng.random() < 0.3 else {}
    cut |= {"margin": float(rng.choice([0.0, 0.01, 0.2]))} if rng.random() < 0.3 else {}
    cut |= {"adjust": "holm"} if rng.random() < 0.3 else {}
    found = uc.compare(_labels(rng, y, words), models, n_resamples=100, **cut, **_metrics(rng), **words)
    pairs_sound(found)
    return found


def _several_classes(rng: np.random.Generator) -> Any:
    n, k = int(rng.choice([3, 4, 5, 6, 12, 30])), int(rng.integers(2, 5))
    y, scores = rng.integers(0, k, n), rng.dirichlet(np.full(k, 0.5), n).round(int(rng.choice([1, 2, 12])))
    words = {name: each for name, each in _words(rng, y, y).items() if name != "judge"}
    if rng.random() < 0.3:
        found = uc.evaluate(y, predicted=scores.argmax(axis=1), classes=list(range(k)), n_resamples=100, **words)
    elif rng.random() < 0.3:
        both = {"a": scores, "b": scores[::-1]}
        words.pop("by", None)
        compared = uc.compare(y, both, classes=list(range(k)), n_resamples=100, **words)
        pairs_sound(compared)
        return compared
    else:
        found = uc.evaluate(y, scores, classes=list(range(k)), n_resamples=100, **words)
    all_sound(found, uc.MULTICLASS_METRICS if k > 2 else uc.METRICS)
    return found


def _tables(rng: np.random.Generator) -> Any:
    """A table of a few scores, whole or of fractions, and tables of subgroups."""
    k = int(rng.integers(1, 6))
    counts = [rng.choice([0, 0, 1, 2, 7, 1e6], k) * float(rng.choice([1, 1, 0.3])) for _ in range(4)]
    one = uc.ScoreTable(np.arange(k)[::-1] / max(k, 2), counts[0], counts[1])
    if rng.random() < 0.5:
        found = uc.evaluate(one, n_resamples=100, **({"threshold": 0.5} if rng.random() < 0.5 else {}))
        all_sound(found)
        return found
    other = uc.ScoreTable(np.arange(k)[::-1] / max(k, 2), counts[2], counts[3])
    if rng.random() < 0.5:
        compared = uc.compare({"a": one, "b": other}, n_resamples=100)
        pairs_sound(compared)
        return compared
    found = uc.evaluate({"a": one, "b": other}, n_resamples=100)
    all_sound(found)
    return found


VERBS = (_one_model, _one_model, _decisions, _two_models, _several_classes, _tables)


# --- later questions -----------------------------------------------------------------------------------------------

GIVEN: dict[str, Any] = {
    "name": ["roc", "precision_recall", "det", "gain", "auroc", "mcc", "b_curve", "reliability"],
    "metric": ["auroc", "sensitivity", "mcc", "brier", "accuracy"],
    "wanted": [0, 1, 2, "0", "auroc"],
    "metrics": [["auroc"], ["mcc", "sensitivity"], ["brier"]],
    "prevalence": [0.0, 0.01, 0.5, 1.0],
    "costs": [(1, 10), (0, 1)],
    "cost": [(1, 10)],
    "n_resamples": [50],
    "n_samples": [100],
    "repeats": [1],
    "method": ["wilson", "bootstrap", "delong", "posterior", "percentile"],
    "confidence_level": [0.5, 0.99],
}


def _asked_later(found: Any, rng: np.random.Generator) -> None:
    name = LATER[int(rng.integers(len(LATER)))]
    try:
        asked = getattr(found, name, None)
        with tempfile.TemporaryDirectory(prefix="unconfuse-attack-") as folder, warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="matplotlib")
            if callable(asked):
                asked = asked(**_arguments(asked, rng, Path(folder)))
        if asked is not None:
            show(asked)
    except uc.UnconfuseError as error:
        if len(str(error)) < 10:
            raise WrongError(f"{name} is refused without words") from None
    except Exception as error:
        error.add_note(f"{type(found).__name__}.{name} of\n{found!r}")
        raise
    finally:
        _closed()


def _arguments(call: Any, rng: np.random.Generator, folder: Path) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name, each in inspect.signature(call).parameters.items():
        needed = each.default is inspect.Parameter.empty and each.kind is not inspect.Parameter.VAR_KEYWORD
        if name == "path":
            given[name] = folder / "out.html"
        elif name in GIVEN and (needed or name.startswith(("n_", "repeats")) or rng.random() < 0.3):
            given[name] = GIVEN[name][int(rng.integers(len(GIVEN[name])))]
    return given


def _closed() -> None:
    import sys

    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
