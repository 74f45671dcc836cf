"""Old spellings of public names give what the new ones give; those that will go say so, and name the new one."""

import warnings

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._deprecated import UNTIL
from unconfuse._errors import CallError, RenamedWarning
from unconfuse._formatting import plain_json

RNG = np.random.default_rng(4)
Y = (RNG.random(160) < 0.4).astype(int)
S = np.round(1 / (1 + np.exp(-(1.5 * Y - 0.7 + RNG.normal(size=160)))), 2)
T = np.round(RNG.random(160), 2)
HALF = np.where(np.arange(160) % 2, "odd", "even")
TABLE = uc.score_table(Y, S)


class ByFirstColumn:
    """A classifier whose probability is its first column, to some power."""

    def __init__(self, power=1):
        self.power = power

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        return np.column_stack([1 - X[:, 0] ** self.power, X[:, 0] ** self.power])


def evaluated(**words):
    return uc.evaluate(Y, S, metrics=["f1"], n_resamples=100, **words)


def compared(**words):
    return uc.compare(Y, {"a": S, "b": T}, metrics=["f1"], n_resamples=100, **words)


def carded(**words):
    return uc.threshold_card(Y, S, n_resamples=20, **words)


def resolved(**words):
    return uc.resolving_power(uc.Binormal(), ["auroc"], n=200, prevalence=0.3, method="asymptotic", **words)


def planned(**words):
    return uc.plan(uc.Binormal(), difference=0.1, prevalence=0.3, **words)


def promised(**words):
    return uc.guarantee(Y, S, "precision", at_least=0.5, **words)


def indistinguishable(**words):
    return uc.indistinguishability(Y, S, n_resamples=50, **words)


def searched(**words):
    return uc.find_slices(Y, S, by={"half": HALF}, metric="accuracy", **{"min_cases": 10, **words})


def searched_small(**words):
    return uc.find_slices(Y, S, by={"half": HALF}, metric="accuracy", **words)


def studied(**words):
    given = {"training_prevalences": (0.3,), "test_prevalences": (0.3,)}
    new = {"training": "training_prevalences", "test": "test_prevalences"}
    for name in words:
        given.pop(new.get(name, name))
    return uc.prevalence_study(ByFirstColumn(), S[:, None], Y, **given, **words)


def contested(**words):
    how = {"n_trials": 1, "n_candidates": 2, "metrics": ("auroc", "average_precision")}
    return uc.tournament(ByFirstColumn, {"power": [1, 2]}, np.tile(S, 4)[:, None], np.tile(Y, 4), **how, **words)


def banded(**words):
    return uc.band(TABLE, "roc", n_resamples=100, **words)


def curved(**words):
    return compared().decision_curve("a", "b", **words).band


# verb, old name, new name, value, whether the old name stays for good
PARAMETERS = [
    (evaluated, "at", "threshold_rule", "youden", True),
    (compared, "at", "threshold_rule", "youden", True),
    (resolved, "at", "quality", 0.8, True),
    (resolved, "paired", "score_correlation", 0.5, False),
    (planned, "at", "quality", 0.8, True),
    (planned, "paired", "score_correlation", 0.5, False),
    (banded, "at", "grid", [0.2, 0.4], False),
    (curved, "at", "threshold_probabilities", [0.2, 0.4], False),
    (carded, "honest", "validation", "crossfit", True),
    (carded, "fixed", "threshold", 0.3, False),
    (carded, "queue_rate", "predicted_positive_rate", 0.2, True),
    (carded, "levels", "b_levels", (0.45,), False),
    (carded, "promises", "guarantees", ["precision>=0.5"], True),
    (carded, "maximize", "maximise", ["jaccard"], True),
    (promised, "probability", "confidence_level", 0.8, True),
    (promised, "starts", "n_starts", 3, False),
    (indistinguishable, "level", "b_level", 0.4, True),
    (indistinguishable, "take", "side", "above", False),
    (searched_small, "smallest", "min_cases", 12, False),
    (searched, "most", "max_slices", 1, False),
    (searched, "held_out", "holdout_fraction", 0.4, False),
    (uc.lift_at, "share", "fraction", 0.2, False),
    (contested, "shares", "split_fractions", (0.3, 0.3, 0.4), False),
    (contested, "store", "checkpoint", None, False),
    (studied, "training", "training_prevalences", (0.2, 0.4), False),
    (studied, "test", "test_prevalences", (0.2, 0.4), False),
]


def told(call):
    """What a call gives, and what it warns of, whatever it is."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = call()
    return found, [each for each in said if issubclass(each.category, RenamedWarning)]


def shown(found):
    """A result as text: all of its numbers where it has them, else what it prints."""
    return plain_json(found.as_dict()) if hasattr(found, "as_dict") else repr(found)


def check_alike(old, new, names, permanent):
    (one, said), (other, silence) = told(old), told(new)
    assert shown(one) == shown(other) and not silence
    if permanent:
        assert not said
    else:
        (only,) = said
        assert str(only.message) == f"`{names[0]}` was renamed `{names[1]}`; the old name works until {UNTIL}."
        assert issubclass(only.category, uc.UnconfuseWarning) and issubclass(only.category, DeprecationWarning)
        assert only.filename == __file__  # the caller's line, not one of ours


@pytest.mark.parametrize(("verb", "old", "new", "value", "permanent"), PARAMETERS)
def test_an_old_parameter_is_the_new_one(verb, old, new, value, permanent):
    check_alike(lambda: verb(**{old: value}), lambda: verb(**{new: value}), (old, new), permanent)


@pytest.mark.parametrize(("verb", "old", "new", "value", "permanent"), PARAMETERS)
def test_both_spellings_at_once_are_refused(verb, old, new, value, permanent):
    if verb in (studied,):
        verb = lambda **words: uc.prevalence_study(ByFirstColumn(), S[:, None], Y, **words)  # noqa: E731
    with pytest.raises(CallError, match=f"`{old}` and `{new}` are one parameter"):
        verb(**{old: value, new: value})
