"""The declared expression of a metric is the metric: pages compute the one, Python the other."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unconfuse as uc
from unconfuse import METRICS, Counts, expected_cost, f_beta, net_benefit
from unconfuse._errors import InputError
from unconfuse.bayesian import break_even_prevalence
from unconfuse.explorer import COUNTS, SHARED, javascript

DECISIONS = [each for each in METRICS.values() if each.of == "counts"]
MADE = [f_beta(2), f_beta(0.5), expected_cost(fp=1, fn=10), net_benefit(0.2)]
CELL = st.one_of(st.just(0), st.integers(0, 50), st.integers(0, 10**7), st.floats(0, 1000))
FUNCTIONS = {"sqrt": np.sqrt, "max": np.maximum, "min": np.minimum, "__builtins__": {}}


def value_of(expression, names):
    with np.errstate(all="ignore"):
        return float(eval(expression, FUNCTIONS, {name: np.float64(each) for name, each in names.items()}))


def test_every_decision_metric_declares_one():
    assert [each.name for each in DECISIONS if not each.expression] == []


@pytest.mark.parametrize("metric", DECISIONS + MADE, ids=lambda each: each.name)
@given(tp=CELL, fp=CELL, fn=CELL, tn=CELL)
def test_expression_is_the_function(metric, tp, fp, fn, tn):
    counts = Counts(tp=tp, fp=fp, fn=fn, tn=tn)
    value = value_of(metric.expression, {name: getattr(counts, name) for name in COUNTS})
    expected = float(metric(counts))
    assert (math.isnan(value) and math.isnan(expected)) or value == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert javascript(metric.expression, COUNTS, "c.")


@pytest.mark.parametrize("metric", DECISIONS + MADE, ids=lambda each: each.name)
def test_formula_is_the_function(metric):
    for tp, fp, fn, tn in np.random.default_rng(0).integers(1, 200, (20, 4)).astype(float):
        names = {"TP": tp, "FP": fp, "FN": fn, "TN": tn, "P": tp + fn, "N": fp + tn, "n": tp + fp + fn + tn}
        value = latex_value(metric.formula, names)
        assert value == pytest.approx(float(metric(Counts(tp=tp, fp=fp, fn=fn, tn=tn))), rel=1e-12), metric.formula


WORDS = {r"\cdot": "*", r"\left": "", r"\right": "", r"\,": "", "^": "**", "{": "(", "}": ")", r"\tfrac12": "(1/2)"}
TOKENS = re.compile(r"\\tfrac12|\\[a-z]+|\\,|\d+(?:\.\d+)?|[A-Za-z]+|\S")


def latex_value(text, names):
    """The number that a formula in LaTeX says; ", x=2" at its end gives the value of a letter."""
    text, *given = text.split(r",\ ")
    letters = {name.strip("\\"): float(value) for name, value in (each.split("=") for each in given)}
    parts, ended = [], False
    for token in TOKENS.findall(text):
        word = WORDS.get(token, token.strip("\\"))
        if ended and token != "{" and re.match(r"[\w(]", word):  # side by side: a product
            parts.append("*")
        parts.append(word)
        ended = ended if not word else bool(re.search(r"[\w)]$", word)) and word not in ("frac", "sqrt", "max", "min")
    calls = {**FUNCTIONS, "frac": lambda above: lambda below: above / below}
    return float(eval("".join(parts), calls, {**names, **letters}))


@given(
    tp=st.integers(1, 500),
    fp=st.integers(1, 500),
    fn=st.integers(1, 500),
    tn=st.integers(1, 500),
    prior=st.floats(1e-4, 0.99),
)
def test_shared_formulas_are_those_of_bayes(tp, fp, fn, tn, prior):
    counts = Counts(tp=tp, fp=fp, fn=fn, tn=tn)
    person = uc.posterior(counts, prior=prior)
    for name, found in (("lr_positive", person.after_positive), ("lr_negative", person.after_negative)):
        value = value_of(SHARED["probability_after"][1], {"prior": prior, "ratio": float(METRICS[name](counts))})
        assert value == pytest.approx(found.value, rel=1e-12)
    even = value_of(SHARED["break_even"][1], {"odds": 1, "ratio": float(METRICS["lr_positive"](counts))})
    assert even == pytest.approx(break_even_prevalence(counts).value, rel=1e-12)
    there = counts.at_prevalence(prior)
    benefit = value_of(SHARED["net_benefit"][1], {"tp": there.tp, "fp": there.fp, "worth": 4})
    assert benefit == pytest.approx(float(net_benefit(0.2)(there)), abs=1e-12)
    cost = value_of(SHARED["expected_cost"][1], {"fp": there.fp, "fn": there.fn, "cost_fp": 3, "cost_fn": 7})
    assert cost == pytest.approx(float(expected_cost(fp=3, fn=7)(there)), abs=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "alert(1)",
        "tp.constructor",
        "[tp]",
        "tp if fp else tn",
        "'x'",
        "__import__('os')",
        "tp ** 9",
        "(lambda: tp)()",
        "tp;fp",
        "max(tp, key=fp)",
        "1e999",
        "tp" + "+tp" * 900,
        "",
    ],
)
def test_nothing_but_arithmetic_reaches_a_script(text):
    with pytest.raises(InputError):
        javascript(text, COUNTS, "c.")
