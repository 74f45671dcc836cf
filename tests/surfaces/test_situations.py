"""The page of ten situations is what is said, and what is said is true."""

import importlib.util
import re
import warnings
from pathlib import Path

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("situations", DOCS / "situations.py")
situations = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(situations)


@pytest.fixture(autouse=True)
def without_warnings():
    """That all scores are alike is one of the situations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def said(name):
    return situations.SITUATIONS[name](), " ".join(each.sentence for each in situations.SITUATIONS[name]().findings)


def test_the_page_is_what_is_said():
    assert situations.PAGE.read_text(encoding="utf-8") == situations.page()
    assert len(situations.SITUATIONS) == 10


@pytest.mark.parametrize("name", list(situations.SITUATIONS))
def test_sentences_are_finite_and_say_what_the_counts_are(name):
    found, words = said(name)
    assert words and not re.search(r"\b(nan|inf)\b", words, re.I)
    counts = found.counts if found.has_decisions else None
    for share, base in re.findall(r"finds ([\d,]+) of ([\d,]+) positives", words):
        assert int(share.replace(",", "")) == round(float(counts.tp / counts.positives) * int(base.replace(",", "")))
    for share, base in re.findall(r"alarms ([\d,]+) of ([\d,]+) negatives", words):
        assert int(share.replace(",", "")) == round(float(counts.fp / counts.negatives) * int(base.replace(",", "")))


def test_what_each_situation_is_called():
    expected = {
        "useless": "cannot tell whether this is better than guessing",
        "inverted": "are the labels swapped",
        "tiny": "too few to judge by",
        "perfect": "look for leakage",
        "majority better": "always saying negative would be more accurate",
        "imbalanced": "Accuracy misleads here",
        "constant": "No better than guessing",
        "one positive": "only 1 positive, too few",
        "ties": "nobody chose a threshold",
        "shifted": "more likely right than wrong only where more than",
    }
    assert {name: words in said(name)[1] for name, words in expected.items()} == dict.fromkeys(expected, True)


def test_nothing_is_called_useful_that_costs_have_not_shown():
    for name in situations.SITUATIONS:
        assert "useful" not in said(name)[1].lower(), name


def test_costs_between_which_labels_pay():
    """At the bounds that are said, acting costs as much as labelling everybody or nobody."""
    found, words = said("majority better")
    low, high = (
        float(each.replace(",", "")) for each in re.search(r"between ([\d.,]+) and ([\d.,]+) times", words).groups()
    )
    c = found.counts
    assert low == pytest.approx(float(c.fp / c.tp), rel=0.05)
    assert high == pytest.approx(float(c.tn / c.fn), rel=0.05)
    for ratio, other in ((low, c.positives), (high, c.negatives)):
        own = float(c.fp + ratio * c.fn)
        assert own == pytest.approx(float(other) * (ratio if other is c.positives else 1), rel=0.05)


def test_where_a_positive_label_is_more_likely_right():
    found, words = said("shifted")
    at = float(re.search(r"more than ([\d.]+) of the cases", words).group(1))
    sensitivity, specificity = 180 / 200, 190 / 200
    assert at * sensitivity == pytest.approx((1 - at) * (1 - specificity), rel=0.01)
    assert np.isfinite(found["precision"].value) and found["precision"].value < 0.5
