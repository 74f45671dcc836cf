"""Odd arguments are refused by name, whichever library would have choked on them; what is asked for still works."""

import warnings

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc
from unconfuse._argument_types import fits
from unconfuse._errors import ArgumentError
from unconfuse._validate import public_api

LABELS = [0, 1, 1, 0, 1, 0, 0, 1] * 3
SCORES = [0.1, 0.9, 0.4, 0.4, 0.8, 0.2, 0.5, 0.6] * 3
HUGE = 10**5000  # more digits than Python writes out
SPAN = np.timedelta64(1, "D")  # which NumPy counts among its integers


@pytest.fixture(scope="module")
def judged():
    return uc.evaluate(LABELS, SCORES, n_resamples=100, by={"sex": ["a", "b", "b"] * 8}, metrics=["auroc"])


@pytest.mark.parametrize(
    ("word", "value", "said"),
    [
        ("progress", np.zeros(3), "`progress` must be a function"),
        ("name", np.zeros((3, 3)), "`name` must be text"),
        ("metrics", pd.NA, "`metrics` must be"),
        ("positive", pd.NA, "`positive` must be one label"),
        ("positive", np.void(b"ab"), "`positive` must be one label"),
        ("negative", [pd.NA], "`negative` must be one label"),
        ("groups", np, "one column of values"),
        ("weights", [1e308] * 24, "not a number of cases"),
        ("confidence_level", 1 - 1e-16, "strictly between 0 and 1"),
    ],
)
def test_words_of_a_verb(word, value, said):
    with pytest.raises(uc.UnconfuseError, match=said):
        uc.evaluate(LABELS, SCORES, n_resamples=100, **{word: value})


@pytest.mark.parametrize(
    "call",
    [
        lambda: uc.Empirical(LABELS, {}),
        lambda: uc.ModelSequence(LABELS, scores=pd.Series([{}] * 24)),
        lambda: uc.f_beta(1e308),
        lambda: uc.partial_auroc(max_tpr=5e-324),
        lambda: uc.evaluate_confusion([[10**400, 1], [1, 1]]),
        lambda: uc.BetaMixture(1j, 0.5),
        lambda: uc.ScoreTable.load("é" * 500),
        lambda: uc.plan(HUGE),
        lambda: uc.bayes(ranges=pd.DataFrame({"y": [1]})),
        lambda: uc.resolving_power(uc.Binormal(), pd.DataFrame({"a": [1]}), n=100, prevalence=0.2, at=0.7),
        lambda: uc.Counts(tp=1e308, fp=1, fn=1, tn=1),
        lambda: uc.Counts(tp=1, fp=1, fn=1, tn=1).at_prevalence(-1),
    ],
)
def test_other_public_names(call):
    with warnings.catch_warnings(), pytest.raises(uc.UnconfuseError):
        warnings.simplefilter("error")
        call()


def test_results_know_no_class_or_subgroup_of_such_a_name(judged):
    assert judged.subgroups.get(HUGE) is None
    with pytest.raises(uc.UnconfuseError, match="no subgroup"):
        judged.subgroups.difference("auroc", HUGE)
    with pytest.raises(uc.UnconfuseError, match="no class"):
        uc.evaluate(["a", "b", "c"] * 8, np.full((24, 3), 1 / 3), n_resamples=100).one_vs_rest(SPAN)


def test_labels_of_thousands_of_digits_are_told_apart():
    labels = [HUGE + each for each in LABELS]
    assert uc.evaluate(labels, SCORES, positive=HUGE + 1, metrics=["auroc"])["auroc"].value == pytest.approx(
        uc.evaluate(LABELS, SCORES, metrics=["auroc"])["auroc"].value
    )


def test_extreme_ratios_overflow_in_silence():
    with warnings.catch_warnings(), pytest.raises(uc.UnconfuseError, match="not determine"):
        warnings.simplefilter("error")
        uc.bayes(lr_positive=1e308)


def test_a_mistake_of_ours_stays_what_it_is():
    @public_api
    def broken(name: str) -> int:
        return {}[name]

    with pytest.raises(KeyError) as caught:
        broken("a")
    assert not isinstance(caught.value, uc.UnconfuseError)
    with pytest.raises(ArgumentError, match="`name` must be text; got 3"):
        broken(3)
    with pytest.raises(TypeError, match="`broken` requires `name`"):
        broken()


@pytest.mark.parametrize(
    ("value", "wanted", "fitting"),
    [
        (np.float32(1), float, True),
        (SPAN, float, False),
        (np.bool_(True), bool, True),
        ({"a": 1}, list[str], False),
        ((1, 2), tuple[int, int] | float, True),
        ((1, 2, 3), tuple[int, int], False),
        (np.arange(3), list[float], True),
        ([1, None], list[float], False),
    ],
)
def test_what_fits(value, wanted, fitting):
    assert fits(value, wanted) is fitting


def test_warnings_point_at_the_callers_line():
    with pytest.warns(uc.UnconfuseWarning) as caught:
        uc.evaluate(LABELS, [0.5] * 24, n_resamples=100, metrics=["auroc"])
    assert {each.filename for each in caught} == {__file__}


def test_a_span_of_time_is_no_label_among_numbers():
    with pytest.raises(uc.UnconfuseError, match="no row has the positive label"):
        uc.evaluate([1, 0, 1, 0], [0.9, 0.2, 0.6, 0.5], positive=SPAN)


VERBS = sorted(name for name in uc.__all__ if name[0].islower() and callable(getattr(uc, name)))


@pytest.mark.parametrize("name", VERBS)
def test_too_many_values_are_answered_with_a_call_as_it_is_meant(name):
    """Whoever guesses wrongly sees an example: ours for a likely guess, else the first of the docstring."""
    with pytest.raises(uc.UnconfuseError, match=rf"Hint: .*\b{name}\(|Hint: .*evaluate_counts\(|Hint: @metric\("):
        getattr(uc, name)(*[1] * 9)


@pytest.mark.parametrize("verb", [uc.guarantee, uc.find_slices, uc.gate, uc.evaluate, uc.threshold_card])
def test_an_argument_that_does_not_exist_is_refused_first_and_by_the_verb_that_was_called(verb):
    with pytest.raises(uc.UnconfuseError, match=rf"`{verb.__name__}` has no argument `nonsense`"):
        verb(LABELS, SCORES, nonsense=0.9)


def test_guesses_at_thresholds_and_rules():
    def refused(match, **words):
        for verb, scores in ((uc.evaluate, SCORES), (uc.compare, {"a": SCORES, "b": SCORES[::-1]})):
            with pytest.raises(ArgumentError, match=match):
                verb(LABELS, scores, **words)

    refused("`threshold` takes the number itself", at=0.5)
    refused("`threshold` takes the number itself", threshold_rule=".5")
    refused("name of one rule, such as 'youden'; got \\['youden'\\]", at=["youden"])
    refused("`threshold_rule='youden'` chooses it", threshold="youden")
    refused("several thresholds side by side", threshold=[0.3, 0.5])
    refused("pass a list of names, \\['auroc', 'f1'\\]", metrics="auroc, f1")


@pytest.mark.parametrize("scores", [[SCORES, SCORES], [SCORES] * 3, np.ones((2, 24)) / 2])
def test_a_row_for_each_model_is_told_from_a_column(scores):
    with pytest.raises(uc.UnconfuseError, match=r"rows and 24 columns\. Hint: to compare models, name them"):
        uc.evaluate(LABELS, scores)


def test_known_names_are_listed_once():
    with pytest.raises(uc.UnconfuseError) as refused:
        uc.threshold_card(LABELS, SCORES, rules="sens>=.9")
    listed = str(refused.value).partition("known names are ")[2].rstrip(".").split(", ")
    assert len(listed) == len(set(listed))
