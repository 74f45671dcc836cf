"""Every declared metric, and every factory with two settings, against values that its definition gives."""

from __future__ import annotations

import json
import math
import warnings
from functools import cache
from typing import Any

import make_metric_values as made
import numpy as np
import pytest

import unconfuse as uc
from unconfuse.metrics import FACTORIES, RARE

KINDS: dict[str, Any] = json.loads(made.VALUES.read_text(encoding="utf-8"))
TWO, THREE = KINDS["two classes"], KINDS["three classes"]
CLASS_FACTORIES = {"top_k_accuracy": uc.top_k_accuracy, "class_cost": uc.class_cost}
TOLERANCE = 1e-10


def called(text: str, factories: Any) -> Any:
    """What a name such as "f_beta(2)" stands for."""
    return eval(text, {"__builtins__": {}}, dict(factories)) if "(" in text else text


def weights(data: Any) -> Any:
    return np.array(data["weight"], dtype=float) if "weight" in data else None


@cache
def table(name: str) -> uc.ScoreTable:
    return uc.score_table(TWO[name]["label"], TWO[name]["score"], weights=weights(TWO[name]))


@cache
def evaluation(kind: str, name: str) -> Any:
    two = kind == "two classes"
    data, factories = KINDS[kind][name], FACTORIES if two else CLASS_FACTORIES
    wanted = [called(each, factories) for each in data["values"] if not each.startswith("class_cost")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", uc.UnconfuseWarning)  # so few cases, and swapped labels: it should say so
        return uc.evaluate(
            data["label"],
            np.array(data["score"]),
            weights=weights(data),
            metrics=wanted,
            threshold=0.5 if two else None,
            **({} if two else {"ordered": True}),
            n_resamples=100,
        )


def assert_is(ours: float, expected: Any) -> None:
    wanted = {None: math.nan, "inf": math.inf}.get(expected, expected)
    assert ours == pytest.approx(wanted, rel=TOLERANCE, abs=TOLERANCE, nan_ok=True)


@pytest.mark.parametrize("metric", TWO["ties"]["values"])
@pytest.mark.parametrize("name", TWO)
def test_two_classes(name: str, metric: str) -> None:
    declared = called(metric, FACTORIES) if "(" in metric else uc.METRICS[metric]
    data = table(name).counts_at(made.THRESHOLD) if declared.of == "counts" else table(name)
    assert_is(float(declared(data)), TWO[name]["values"][metric])
    wanted = TWO[name]["values"][metric]
    if (
        declared.requires.cut is not None
    ):  # a net benefit is at its own threshold probability, whatever the evaluation's
        wanted = float(declared(table(name).counts_at(declared.requires.cut)))
    assert_is(evaluation("two classes", name)[declared.name].value, wanted)


@pytest.mark.parametrize("metric", THREE["ties"]["values"])
@pytest.mark.parametrize("name", THREE)
def test_three_classes(name: str, metric: str) -> None:
    if metric.startswith("class_cost"):
        data = THREE[name]
        found = uc.evaluate(
            data["label"],
            np.array(data["score"]),
            weights=weights(data),
            metrics=[called(metric, CLASS_FACTORIES)],
            n_resamples=100,
        )["expected_cost"]
    else:
        found = evaluation("three classes", name)[metric]
    assert_is(found.value, THREE[name]["values"][metric])


@pytest.mark.parametrize("kind", KINDS)
def test_every_declared_metric_has_a_reference_value(kind: str) -> None:
    declared, factories = {
        "two classes": (uc.METRICS, FACTORIES.keys() - CLASS_FACTORIES),
        "three classes": (uc.MULTICLASS_METRICS, CLASS_FACTORIES),
    }[kind]
    for data in KINDS[kind].values():
        asked_for = set(RARE) if declared is uc.METRICS else set()
        assert {each for each in data["values"] if "(" not in each} == set(declared) | asked_for
        settings = [each.partition("(")[0] for each in data["values"] if "(" in each]
        assert {each: settings.count(each) >= 2 for each in settings} == dict.fromkeys(factories, True)


@pytest.mark.parametrize("kind", KINDS)
def test_every_metric_has_several_values(kind: str) -> None:
    """A metric that were the same on all data sets would be no test."""
    for metric in next(iter(KINDS[kind].values()))["values"]:
        assert len({data["values"][metric] for data in KINDS[kind].values()}) >= 3, metric


@pytest.mark.parametrize("name", ["ties", "weights", "reversed"])
def test_the_script_makes_these_values(name: str) -> None:
    """And no hand has changed them since."""
    for sets, data, judge in (
        (TWO, made.two_classes(), made.of_two_classes),
        (THREE, made.three_classes(), made.of_three_classes),
    ):
        assert {key: sets[name][key] for key in data[name]} == data[name]
        for metric, value in judge(data[name]).items():
            assert_is(value, sets[name]["values"][metric])
