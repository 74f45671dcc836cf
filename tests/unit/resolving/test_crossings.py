"""Qualities are sought in few steps and found exactly; redraws get as many samples as their answer needs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.resolving import redraws
from unconfuse.resolving.crossings import Bracket, crossing, narrowed
from unconfuse.resolving.empirical import ShiftedClasses
from unconfuse.resolving.improvements import IMPROVEMENTS, Improved
from unconfuse.resolving.model_sequence import TablePopulation


def rows(seed: int, n: int = 60, digits: int = 8) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = np.arange(n) < n // 3
    return y, np.round(random.normal(size=n) + y, digits)


def counted(function: Callable[[float], float]) -> tuple[Callable[[float], float], list[float]]:
    asked: list[float] = []

    def call(x: float) -> float:
        asked.append(x)
        return function(x)

    return call, asked


@pytest.mark.parametrize("root", [-7.3, -1e-3, 1e-3, 0.4, 55.0])
@pytest.mark.parametrize("shape", [np.tanh, np.cbrt, np.sinh, np.sign])
def test_a_crossing_is_found_on_either_side_in_few_steps(root: float, shape: Callable[[float], float]) -> None:
    function, asked = counted(lambda x: float(shape((x - root) / 8)))
    found = narrowed(function, crossing(function, 0.25, 60.0), lambda ends: ends.high - ends.low < 1e-10)
    assert found.low - 1e-10 <= root <= found.high + 1e-10
    assert len(asked) < 70


def test_a_function_that_crosses_nowhere_says_what_it_reached() -> None:
    assert crossing(lambda x: np.tanh(x) - 2, 1.0, 10.0) == Bracket(8.0, 10.0, np.tanh(8.0) - 2, np.tanh(10.0) - 2)
    assert crossing(lambda x: np.tanh(x) + 2, 1.0, 10.0).low == -10.0


@pytest.mark.parametrize("digits", [0, 1, 8])
@pytest.mark.parametrize("seed", range(4))
def test_a_shift_is_the_smallest_that_reaches_the_quality(seed: int, digits: int) -> None:
    y, score = rows(seed, digits=digits)
    classes = uc.Empirical(y, score, scale="raw")._classes
    gaps = np.subtract.outer(classes.negative, classes.positive).ravel()
    candidates = np.unique([gaps, np.nextafter(gaps, np.inf)])
    areas = np.array([classes.auroc(float(each)) for each in candidates])
    for wanted in (0.3, 0.6, 0.75, 0.9, 0.999, classes.auroc(0.0)):
        least = candidates[np.flatnonzero(areas >= wanted)[0]]
        assert classes.shift_for(wanted) == pytest.approx(least, rel=0, abs=1e-17)


def test_a_shift_is_found_with_few_looks_at_all_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    model, asked = uc.Empirical(*rows(0, 2000)), []
    auroc = ShiftedClasses.auroc
    monkeypatch.setattr(ShiftedClasses, "auroc", lambda self, shift: asked.append(shift) or auroc(self, shift))
    model.smooth.shift_for(0.8)
    assert len(asked) < 32  # bisection to the last bit took 64


@pytest.mark.parametrize("how", [each for each in IMPROVEMENTS if each != "shift"])
@pytest.mark.parametrize("digits", [1, 8])
def test_the_auroc_of_a_moved_table_needs_no_table(how: str, digits: int) -> None:
    y, score = rows(1, digits=digits)
    model = Improved(uc.Empirical(y, 1 / (1 + np.exp(-score))), how, 0.8)
    for by in (-3.0, -0.1, 0.0, 0.2, 5.0):
        moved = model._moved(by)
        assert isinstance(moved, TablePopulation)
        assert model._auroc(by) == pytest.approx(moved.auroc, abs=1e-9)


@pytest.mark.parametrize(("n", "expected"), [(60, {250}), (1000, {250, 1000})])
def test_redraws_are_sampled_again_only_where_that_may_decide(
    n: int, expected: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: set[int] = set()
    signals = redraws.signals

    def noted(*args: Any, n_samples: int, **how: Any) -> dict[str, float]:
        taken.add(n_samples)
        return signals(*args, n_samples=n_samples, **how)

    monkeypatch.setattr(redraws, "signals", noted)
    random = np.random.default_rng(1)
    y = random.random(n) < 0.3
    model = uc.Empirical(y, random.normal(size=n) + 1.2 * y)
    metrics = ["auroc", "h_measure", "precision_at_indistinguishability"]
    uc.resolving_power(model, metrics, method="asymptotic", improvement="shift").recommendation  # noqa: B018
    assert taken == expected


def test_a_page_loads_no_package_of_scipy() -> None:
    code = """
import sys
import numpy as np
import unconfuse as uc

random = np.random.default_rng(0)
y = random.random(60) < 0.4
uc.evaluate(y, random.random(60)).report(sys.argv[1])
print([each for each in ("scipy.optimize", "scipy.special") if each in sys.modules])
"""
    with TemporaryDirectory() as folder:
        run = subprocess.run(
            [sys.executable, "-c", code, f"{folder}/page.html"], check=True, capture_output=True, text=True
        )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("tiny", [0.0, 5e-324])
def test_a_search_ends_where_a_rise_is_nothing(tiny: float) -> None:
    found = narrowed(lambda x: tiny if x >= 1 else -tiny, Bracket(0.0, 3.0, -tiny, tiny), lambda _: False)
    assert found.high - found.low <= 1e-15


def test_a_search_ends_where_a_step_is_nothing() -> None:
    """An attack found it: scores that are all alike."""
    assert crossing(lambda x: x - 1, 0.0, 10.0) == Bracket(0.0, 10.0, -1.0, 9.0)
    alike = uc.Empirical([1, 0, 1, 0], [0.5, 0.5, 0.5, 0.5], scale="raw")
    assert alike._classes.shift_for(0.9) > 0


def test_a_shift_beyond_a_tie_is_a_number_to_reckon_with() -> None:
    model = uc.Empirical([1, 1, 1, 0, 0, 0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0])
    assert model.shift_for(0.9) > 1e-20
