"""Nothing vanishes: every parameter of every verb, for every kind of input, changes the result or is refused.

The tests walk over the signatures: a parameter that is added without an entry below fails at once. Each entry is a
value that must make a difference where the parameter makes sense; where it makes none, the refusal must be one of ours.
"""

import functools
import inspect
import json
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc
from unconfuse._formatting import plain_json
from unconfuse.ingest import DataOptions

N = 120
RNG = np.random.default_rng(11)
Y = (RNG.random(N) < 0.4).astype(int)
S = np.round(1 / (1 + np.exp(-(1.5 * Y - 0.5 + RNG.normal(size=N)))), 3)
OTHER = np.round(RNG.random(N), 3)
K = RNG.integers(0, 3, N)
MATRIX = np.full((N, 3), 0.2) + 0.4 * np.eye(3)[np.where(RNG.random(N) < 0.7, K, RNG.integers(0, 3, N))]
MANY = np.column_stack([Y, K == 1, K == 2])
QUERY = np.arange(N) // 10
HALF = np.where(np.arange(N) % 2, "odd", "even")
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": S,
        "other": OTHER,
        "y2": 1 - Y,
        "w": 1 + np.arange(N) % 3,
        "g": np.arange(N) // 4,
        "half": HALF,
        "twice": np.arange(N) // 2,
        "k": K,
        "p_0": MATRIX[:, 0],
        "p_1": MATRIX[:, 1],
        "p_2": MATRIX[:, 2],
        "called": MATRIX.argmax(axis=1),
        "called2": (K + 1) % 3,
    }
)


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """The same rows in a file and in a database."""
    folder = tmp_path_factory.mktemp("rows")
    FRAME.to_csv(folder / "rows.csv", index=False)
    with sqlite3.connect(folder / "rows.db") as database:
        FRAME.to_sql("rows", database, index=False)
        FRAME.assign(p=1 - S).to_sql("turned", database, index=False)
    return folder


COLUMNS = {"label": "y", "score": "p"}
BOTH = {"label": "y", "score": ["p", "other"]}
KINDS = {
    "arrays": lambda places, two: ((Y, {"p": S, "other": OTHER} if two else S), {}),
    "frame": lambda places, two: ((FRAME,), BOTH if two else COLUMNS),
    "file": lambda places, two: ((str(places / "rows.csv"),), BOTH if two else COLUMNS),
    "database": lambda places, two: (
        (f"sqlite:///{places / 'rows.db'}",),
        (BOTH if two else COLUMNS) | {"table": "rows"},
    ),
    "table": lambda places, two: ((uc.score_table(Y, S),), {}),
    "data": lambda places, two: ((uc.Data(FRAME, **(BOTH if two else COLUMNS)),), {}),
    "matrix": lambda places, two: ((K, {"a": MATRIX, "b": MATRIX[:, ::-1]} if two else MATRIX), {}),
    "columns of classes": lambda places, two: ((FRAME,), {"label": "k", "scores": "p_[012]" if two else "p_*"}),
    "predicted": lambda places, two: (
        (K,),
        {"predicted": {"a": FRAME["called"], "b": (K + 1) % 3} if two else FRAME["called"].to_numpy()},
    ),
    "labels": lambda places, two: ((MANY, {"a": MATRIX, "b": MATRIX[:, ::-1]} if two else MATRIX), {}),
    "queries": lambda places, two: ((K, {"p": S, "other": OTHER} if two else S), {"query": QUERY}),
}
VERBS = {
    "evaluate": (uc.evaluate, set(KINDS)),
    "score_table": (uc.score_table, {"arrays", "frame", "file", "database", "data"}),
    "compare": (
        uc.compare,
        {"arrays", "frame", "file", "database", "data", "matrix", "predicted", "labels", "queries"},
    ),
    "threshold_card": (uc.threshold_card, {"arrays", "frame", "file", "database", "table", "data"}),
    "indistinguishability": (uc.indistinguishability, {"arrays", "frame", "file", "database", "table", "data"}),
    "guarantee": (uc.guarantee, {"arrays", "frame", "file", "database", "table", "data"}),
    "recalibrate": (uc.recalibrate, {"arrays", "frame", "file", "database", "table", "data", "matrix"}),
    "prediction_sets": (
        uc.prediction_sets,
        {"arrays", "frame", "file", "database", "data", "matrix", "columns of classes"},
    ),
    "find_slices": (uc.find_slices, {"arrays", "frame", "file", "database", "table", "matrix", "predicted"}),
    "Empirical": (uc.Empirical, {"arrays", "frame", "file", "database", "table", "data"}),
}
# What the base call is given besides the data, so that it is quick and resamples something.
BASE = {
    "evaluate": {"n_resamples": 200},
    "compare": {"n_resamples": 200},
    "threshold_card": {"n_resamples": 100, "rules": ["youden", "capacity", "cost", "recall_at_precision", "fixed"]},
    "indistinguishability": {"n_resamples": 200},
    "guarantee": {"at_least": 0.5},
    "prediction_sets": {"coverage": 0.5},
    "find_slices": {
        "by": {"half": HALF, "third": np.arange(N) % 3},
        "min_cases": 8,
        "metric": "accuracy",
        "max_slices": 3,
    },
}
BASE_METRICS = {"evaluate": ["accuracy", "precision", "max_f1"], "compare": ["f1", "auroc"]}
OF_CLASSES = {"evaluate": ["accuracy", "f1_macro"], "compare": ["accuracy", "f1_macro"]}
OF_WHOLE = {"labels": ["f1_macro", "ranking_loss"], "queries": ["ndcg"]}
TOLD = []
VALUES = {
    "y": "no such file.csv",
    "s": OTHER,
    "S": OTHER,
    "coverage": 0.7,
    "by_class": True,
    "label": "y2",
    "labels": ["x", "y", "z"],
    "score": "other",
    "scores": {"0": "p_1", "1": "p_0", "2": "p_2"},
    "predicted": "called2",
    "judge": np.where(np.arange(N) % 7, Y, 1 - Y),
    "weight": "w",
    "weights": 1 + np.arange(N) % 3,
    "sampling_weight": "w",
    "sampling_weights": 1 + np.arange(N) % 3,
    "stratum": "half",
    "strata": HALF,
    "group": "g",
    "groups": np.arange(N) // 4,
    "by": HALF,
    "fold": "half",
    "folds": np.arange(N) % 5,
    "site": np.arange(N) % 4,
    "id": "twice",
    "positive": 0,
    "negative": 1,
    "classes": ["x", "z"],
    "ordered": True,
    "table": "turned",
    "query": "SELECT y, 1 - p AS p, other FROM rows",
    "on_bad_row": "nonsense",
    "bins": 5,
    "max_distinct": 3,
    "delimiter": "|",
    "decimal": ",",
    "threshold": 0.3,
    "threshold_rule": "youden",
    "metrics": ["specificity"],
    "design": "case-control",
    "confidence_level": 0.8,
    "n_resamples": 300,
    "rng": 5,
    "reference": "odd",
    "name": "mine",
    "progress": lambda done, total: TOLD.append(done),
    "baselines": ["majority"],
    "margin": 0.5,
    "adjust": "nonsense",
    "costs": (1, 10),
    "prevalence": 0.1,
    "refer": True,
    "validation": None,
    "rules": ["top_left"],
    "min_precision": 0.6,
    "min_recall": 0.6,
    "min_specificity": 0.5,
    "predicted_positive_rate": 0.3,
    "capacity": 30,
    "betas": (2.0,),
    "b_levels": (0.45,),
    "maximise": ["jaccard"],
    "guarantees": ["precision>=0.5"],
    "metric": "sensitivity",
    "at_least": 0.6,
    "at_most": 0.2,
    "n_starts": 3,
    "depth": 1,
    "min_cases": 25,
    "max_slices": 1,
    "holdout_fraction": 0.3,
    "repeats": 2,
    "b_level": 0.4,
    "exclude_self": True,
    "side": "above",
    "method": "influence",
    "scale": "raw",
    "kind": "intercept",
    "clip": 0.2,
    "looks": "any",
}
# Words that mean something else for one verb.
OWN = {
    ("find_slices", "metric"): "balanced_accuracy",
    ("threshold_card", "folds"): 3,
    ("threshold_card", "metrics"): ["jaccard"],
    ("compare", "score"): ["p", "y2"],
}
# A parameter that acts only together with another one.
WITH = {
    ("evaluate", "reference"): {"by": HALF},
    **{
        (verb, word): {"sampling_weights" if word == "strata" else "sampling_weight": weight}
        for verb in ("evaluate", "compare")
        for word, weight in (("strata", np.arange(N) % 3 + 1), ("stratum", "w"))
    },
    ("find_slices", "n_resamples"): {"metric": "max_f1"},
    ("find_slices", "design"): {"metric": "f1"},
    ("threshold_card", "min_precision"): {"rules": None},
    ("threshold_card", "min_recall"): {"rules": None},
    ("threshold_card", "min_specificity"): {"rules": None},
    ("threshold_card", "predicted_positive_rate"): {"rules": None},
    ("threshold_card", "betas"): {"rules": None},
    ("evaluate", "ordered"): {"metrics": None},
    ("compare", "ordered"): {"metrics": ["cohen_kappa_quadratic"]},
    ("find_slices", "ordered"): {"metric": "cohen_kappa_quadratic"},
    ("threshold_card", "b_levels"): {"rules": None},
    ("threshold_card", "guarantees"): {"rules": None},
    ("threshold_card", "maximise"): {"rules": None},
}


def print_of(result):
    """Everything that a result says, as text."""
    if isinstance(result, uc.Empirical):
        return repr(result.table.as_dict()) + result.scale
    if hasattr(result, "as_dict"):
        said = json.dumps(plain_json(result.as_dict()), default=str, sort_keys=True)
    else:
        said = repr(vars(result))
    by = ""
    if isinstance(result, uc.Evaluation) and result.sample.by:
        by = repr(result.subgroups) + repr(result.subgroups.reference)
    return said + repr(result) + getattr(result, "name", "") + by + str(len(TOLD))


def call(verb, kind, places, /, **more):
    function, _ = VERBS[verb]
    args, words = KINDS[kind](places, verb == "compare")
    several = kind in ("matrix", "columns of classes", "predicted")
    metrics = OF_WHOLE.get(kind) or (OF_CLASSES if several else BASE_METRICS).get(verb)
    given = BASE.get(verb, {}) | ({"metrics": metrics} if metrics else {}) | words | more
    rules = given.pop("rules", None)
    if verb == "threshold_card":
        known = {"youden": 1, "top_left": 1} | ({"capacity": 1} if "capacity" in given else {})
        given["rules"] = (
            rules if rules is None or rules == ["top_left"] else [*known, *(["cost"] if "costs" in given else [])]
        )
        given["rules"] = given["rules"] if "threshold" not in given else [*(given["rules"] or []), "fixed"]
    for scores in {"s", "S"} & set(more):
        args, given = args[:1], {**given, scores: more[scores]}
    if "y" in more:
        args, given = (more["y"], *args[1:]), {key: value for key, value in given.items() if key != "y"}
    TOLD.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return print_of(function(*args, **given))


def cases():
    for verb, (function, kinds) in VERBS.items():
        for name in inspect.signature(function).parameters:
            for kind in sorted(kinds):
                yield pytest.param(verb, kind, name, id=f"{verb}-{kind}-{name}")


@pytest.fixture(scope="module")
def bases(places):
    known = {}

    def base(verb, kind, /, **beside):
        key = verb, kind, tuple(beside)
        if key not in known:
            known[key] = call(verb, kind, places, **beside)
        return known[key]

    return base


@pytest.mark.parametrize(("verb", "kind", "name"), list(cases()))
def test_every_parameter_acts_or_is_refused(verb, kind, name, places, bases):
    value = OWN.get((verb, name), VALUES[name])
    beside = WITH.get((verb, name), {})
    try:
        base = bases(verb, kind, **beside)
    except uc.UnconfuseError:
        return  # what the parameter needs is refused for this kind of data
    try:
        found = call(verb, kind, places, **beside, **{name: value})
    except uc.UnconfuseError as refusal:
        assert str(refusal).strip().endswith((".", "?")), str(refusal)
        return
    assert found != base, f"{verb}(<{kind}>, {name}={value!r}) changed nothing"


def test_every_word_of_data_is_tried():
    assert set(DataOptions.__annotations__) <= set(VALUES)


def test_unknown_words_are_refused():
    for function, _ in VERBS.values():
        with pytest.raises((TypeError, uc.UnconfuseError)):
            function(Y, S, nonsense=1)


def test_data_take_no_words_beside_them():
    data = uc.Data(FRAME, label="y", score="p")
    for verb, (function, _) in VERBS.items():
        with pytest.raises(uc.UnconfuseError, match="described already"):
            function(data, weight="w", **BASE.get(verb, {}))


OTHERS = {
    "prevalence": (
        uc.prevalence,
        {"y": [1, 0, None, None, 1, 0, 0, None], "judge": [1, 0, 1, 0, 1, 1, 0, 0]},
        {
            "y": [1, 0, None, None, 0, 0, 0, None],
            "judge": [1, 0, 1, 1, 1, 1, 0, 0],
            "sensitivity": (9, 10),
            "specificity": (9, 10),
            "positive": 0,
            "confidence_level": 0.8,
        },
    ),
    "evaluate_counts": (
        uc.evaluate_counts,
        {"tp": 30, "fp": 20, "fn": 10, "tn": 140},
        {
            "tp": 31,
            "fp": 21,
            "fn": 11,
            "tn": 141,
            "metrics": ["mcc"],
            "design": "case-control",
            "confidence_level": 0.8,
            "name": "mine",
        },
    ),
    "evaluate_confusion": (
        uc.evaluate_confusion,
        {"matrix": [[50, 3, 2], [10, 30, 5], [0, 4, 16]], "n_resamples": 200},
        {
            "matrix": [[51, 3, 2], [10, 30, 5], [0, 4, 16]],
            "classes": ["a", "b", "c"],
            "rows": "labels",
            "ordered": True,
            "positive": 1,
            "negative": [0, 2],
            "metrics": ["mcc"],
            "design": "case-control",
            "confidence_level": 0.8,
            "n_resamples": 300,
            "rng": 4,
            "name": "mine",
        },
    ),
    "bootstrap": (
        uc.bootstrap,
        {"table": uc.score_table(Y, S), "metrics": ["auroc"], "n_resamples": 50},
        {
            "table": uc.score_table(Y, OTHER),
            "metrics": ["max_f1"],
            "n_resamples": 60,
            "design": "case-control",
            "rng": 3,
            "threshold": "text",
            "progress": lambda done, total: TOLD.append(done),
            "n_threads": 0,
        },
    ),
    "band": (
        uc.band,
        {"table": uc.score_table(Y, S), "n_resamples": 100},
        {
            "table": uc.score_table(Y, OTHER),
            "curve": "gain",
            "metric": "mcc",
            "grid": [0.2, 0.4],
            "kind": "simultaneous",
            "confidence_level": 0.8,
            "n_resamples": 150,
            "design": "case-control",
            "rng": 3,
        },
    ),
    "shift_prevalence": (
        uc.shift_prevalence,
        {"evaluation": uc.evaluate_counts(tp=30, fp=20, fn=10, tn=140), "prevalence": 0.1},
        {"evaluation": uc.evaluate_counts(tp=30, fp=20, fn=10, tn=141), "prevalence": 0.2, "confidence_level": 0.8},
    ),
    "posterior": (
        uc.posterior,
        {"source": uc.Counts(tp=30, fp=20, fn=10, tn=140), "prior": 0.1},
        {"source": uc.Counts(tp=30, fp=20, fn=10, tn=141), "prior": 0.2, "results": "+-", "confidence_level": 0.8},
    ),
    "usefulness": (
        uc.usefulness,
        {"source": uc.Counts(tp=30, fp=20, fn=10, tn=140)},
        {"source": uc.Counts(tp=30, fp=20, fn=10, tn=141), "tp": 3, "fp": 3, "fn": 3, "tn": 3, "confidence_level": 0.8},
    ),
    "easy_negatives": (
        uc.easy_negatives,
        {"table": uc.score_table(Y, S)},
        {"table": uc.score_table(Y, S + 0.1 * Y), "factors": (0.0, 1.0)},
    ),
    "plan": (
        uc.plan,
        {"model": uc.Binormal(), "difference": 0.2, "prevalence": 0.3, "n_samples": 200},
        {
            "model": uc.Binormal(sd_ratio=1.5),
            "metric": "average_precision",
            "difference": 0.25,
            "width": 0.1,
            "power": 0.8,
            "margin": 0.1,
            "null": 0.6,
            "prevalence": 0.4,
            "quality": 0.8,
            "threshold": 0.5,
            "sensitivity": 0.8,
            "specificity": 0.8,
            "score_correlation": 0.5,
            "icc": 0.1,
            "group_size": 4,
            "method": "asymptotic",
            "n_samples": 300,
            "design": "nonsense",
            "confidence_level": 0.8,
            "rng": 3,
            "progress": lambda done, total: TOLD.append(done),
        },
    ),
    "resolving_power": (
        uc.resolving_power,
        {"model": uc.Binormal(), "n": 200, "prevalence": 0.3, "quality": 0.75, "n_samples": 100},
        {
            "model": uc.Binormal(sd_ratio=1.5),
            "metrics": ["max_f1"],
            "n": 300,
            "prevalence": 0.4,
            "quality": 0.8,
            "n_samples": 200,
            "method": "linear",
            "mapping": "nonsense",
            "reference": "gini",
            "grid_start": 0.6,
            "improvement": "tilt",
            "score_correlation": 0.5,
            "design": "cohort",
            "confidence_level": 0.8,
            "rng": 3,
            "progress": lambda done, total: TOLD.append(done),
        },
    ),
}


OTHERS["gate"] = (
    uc.gate,
    {"y": Y, "new": S, "baseline": OTHER, "n_resamples": 100, "metrics": ["auroc", "f1"]},
    {
        "y": 1 - Y,
        "new": OTHER,
        "baseline": S**2,
        "metrics": ["brier"],
        "margin": 0.3,
        "require": ["recall>=.5"],
        "threshold": 0.3,
        "error_rate": 0.1,
        "n_resamples": 150,
        "rng": 4,
        "looks": "any",
        "state": 3,
    }
    | {name: VALUES[name] for name in DataOptions.__annotations__ if name not in ("y", "s")},
)
OTHERS["forecast"] = (
    uc.forecast,
    {"reference": (Y, S), "new": OTHER, "n_resamples": 100},
    {
        "reference": (Y, OTHER),
        "new": S,
        "threshold": 0.3,
        "metrics": ["auroc"],
        "confidence_level": 0.8,
        "n_resamples": 150,
        "rng": 4,
    }
    | {name: VALUES[name] for name in DataOptions.__annotations__ if name not in ("y", "s")},
)


@functools.cache
def said_by_base(verb):
    """What a verb says before anything is changed: computed once for all of its parameters."""
    function, base, _ = OTHERS[verb]
    return said(function, base)


def said(function, given):
    TOLD.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = function(**given)
    if isinstance(result, dict):
        return repr({key: value.tolist() for key, value in result.items()}) + str(len(TOLD))
    if hasattr(result, "as_dict"):
        return (
            json.dumps(plain_json(result.as_dict()), default=str)
            + repr(result)
            + getattr(result, "name", "")
            + str(len(TOLD))
        )
    if hasattr(result, "rows"):
        return repr(result.rows()) + str(len(TOLD))
    return repr({key: np.asarray(value).tolist() for key, value in vars(result).items()}) + str(len(TOLD))


@pytest.mark.parametrize(("verb", "name"), [(verb, name) for verb, each in OTHERS.items() for name in each[2]])
def test_other_verbs_ignore_nothing(verb, name):
    function, base, others = OTHERS[verb]
    before = said_by_base(verb)
    try:
        after = said(function, base | {name: others[name]})
    except uc.UnconfuseError:
        return
    assert after != before, f"{verb}({name}={others[name]!r}) changed nothing"


@pytest.mark.parametrize("verb", OTHERS)
def test_no_parameter_of_other_verbs_is_forgotten(verb):
    function, _, others = OTHERS[verb]
    assert set(inspect.signature(function).parameters) == set(others)
