"""Several promises at once, with and without a zone that is referred to a person."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.special import ndtr

import unconfuse as uc
from unconfuse.cli import cli

CASES = json.loads((Path(__file__).parents[2] / "reference" / "several_promises.json").read_text())["cases"]


def drawn(seed, n=1000, shift=2.0, share=0.3):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, rng.normal(size=n) + shift * y


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["id"])
def test_ranks_that_two_promises_allow(case):
    given = {"np": np}
    exec(case["make"], given)
    y, s, data = given["y"], given["s"], case["data"]
    found = uc.guarantee(y, s, {"precision": data["a"], "sensitivity": data["b"]}, probability=1 - data["delta"])
    flagged = [int((s >= each).sum()) for each in (found.high, found.low, found.threshold)]
    assert flagged[:2] == [case["expect"]["both_first"], case["expect"]["both_last"]]
    assert abs(flagged[2] - sum(flagged[:2]) / 2) <= 1
    texts = [f"precision>={data['a']}", f"sensitivity>={data['b']}"]
    assert uc.guarantee(y, s, texts, probability=1 - data["delta"]).threshold == found.threshold


def test_promises_are_hardly_ever_broken():
    broken = made = 0
    for seed in range(60):
        found = uc.guarantee(*drawn(seed, shift=2.6), {"precision": 0.75, "sensitivity": 0.75})
        if not math.isnan(found.threshold):
            tpr, fpr = ndtr(2.6 - found.threshold), ndtr(-found.threshold)
            made += 1
            broken += tpr < 0.75 or 0.3 * tpr / (0.3 * tpr + 0.7 * fpr) < 0.75
    assert made >= 30 and broken <= 3


def test_a_zone_in_between_is_referred():
    y, s = drawn(0)
    found = uc.guarantee(y, s, {"precision": 0.9, "npv": 0.95}, refer=True)
    assert found.low < found.high and math.isnan(found.threshold)
    assert found.referred == np.mean((s >= found.low) & (s < found.high))
    assert found.observed["precision"].value == np.mean(y[s >= found.high])
    assert found.observed["npv"].value == 1 - np.mean(y[s < found.low])
    assert "refer those between (39.7% of these cases) to a person" in found.sentence
    parts = [uc.guarantee(y, s, name, at_least=bound, probability=0.975).threshold for name, bound in
             (("npv", 0.95), ("precision", 0.9))]  # fmt: skip
    assert [found.low, found.high] == parts


def test_nothing_is_referred_where_one_threshold_does():
    found = uc.guarantee(*drawn(0, shift=6.0), {"precision": 0.9, "sensitivity": 0.9}, refer=True)
    assert found.low == found.high == found.threshold and found.referred == 0 and "refer none" in found.sentence


def test_what_cannot_be_promised_says_what_could():
    y, s = drawn(2, n=80)
    found = uc.guarantee(y, s, {"precision": 0.6, "sensitivity": 0.6})
    assert math.isnan(found.threshold) and found.is_sufficient > 80 and "too few" in found.sentence
    never = uc.guarantee(y, -s, {"precision": 0.9, "sensitivity": 0.9})
    assert math.isinf(never.is_sufficient) and "no number of cases" in never.sentence
    half = uc.guarantee(y, s, {"precision": 0.99, "npv": 0.8}, refer=True)
    assert math.isnan(half.high) and not half.is_made


def test_groups_are_tested_by_whole_groups():
    y, s = drawn(2)
    group = np.arange(1000) // 10
    wanted = {"precision": 0.7, "sensitivity": 0.6}
    found = uc.guarantee(y, s, wanted, groups=group)
    assert "100 groups" in found.method and "approximate" in found.method and not math.isnan(found.threshold)
    assert uc.guarantee(y, s, "sensitivity", at_least=0.8, groups=group).threshold <= (
        uc.guarantee(y, s, "sensitivity", at_least=0.8).threshold
    )
    few = uc.guarantee(y[:60], s[:60], wanted, groups=group[:60])
    assert math.isnan(few.threshold) and "6 groups" in few.sentence


def test_another_prevalence_reaches_what_moves_with_it():
    y, s = drawn(3, shift=3.0)
    usual, rare = (uc.guarantee(y, s, {"precision": 0.5, "sensitivity": 0.6}, prevalence=p) for p in (0.3, 0.02))
    assert rare.low > usual.low or math.isnan(rare.low)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"metric": {}}, "at least one promise"),
        ({"metric": {"precision": 0.9, "ppv": 0.8}}, "each rate once"),
        ({"metric": {"precision": 0.9}, "at_least": 0.5}, "`at_least` cannot be combined"),
        ({"metric": {"precision": 0.9, "specificity": 0.8}, "refer": True}, "`refer` requires a promise"),
        ({"metric": "precision", "at_least": 0.9, "refer": True}, "`refer` requires a promise"),
        ({"metric": {"auroc": 0.9}}, "nothing can be promised of auroc"),
        ({"metric": {"precision": 1.2}}, "strictly between 0 and 1"),
        ({"metric": ["precision=.9"]}, "cannot read"),
        ({"metric": {"precision": 0.9}, "design": "case-control"}, "the study chose"),
        ({"metric": {"precision": 0.9}, "n_starts": 3, "groups": list(range(5)) * 10}, "`n_starts` cannot be combined"),
        ({"metric": {"precision": 0.9}, "weights": [0.5] * 50}, "counts whole cases"),
    ],
)
def test_refusals(words, why):
    y, s = drawn(4, n=50)
    with pytest.raises(ValueError, match=re.escape(why)):
        uc.guarantee(y, s, **words)


def test_several_classes_are_refused_with_what_to_do_instead():
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match="prediction_sets"):
        uc.guarantee(rng.integers(0, 3, 60), rng.dirichlet([1, 1, 1], 60), {"precision": 0.9})


def test_on_the_command_line(tmp_path):
    y, s = drawn(0)
    path = tmp_path / "cases.csv"
    path.write_text(
        "\n".join(["y,p,g", *(f"{int(a)},{b},{i // 4}" for i, (a, b) in enumerate(zip(y, s, strict=True)))])
    )
    data = [str(path), "--label", "y", "--score", "p"]
    both = ["--promise", "precision>=.9", "--promise", "npv>=95%"]
    done = CliRunner().invoke(cli, ["guarantee", *data, *both, "--refer", "--json"])
    assert done.exit_code == 0, done.output
    own = uc.guarantee(y, s, {"precision": 0.9, "npv": 0.95}, refer=True)
    said = json.loads(done.stdout)
    assert (said["low"], said["high"], said["referred"]) == pytest.approx((own.low, own.high, own.referred))
    text = CliRunner().invoke(cli, ["guarantee", *data, *both, "--refer", "--group", "g"])
    assert text.exit_code == 0 and "250 groups" in text.output
    assert "probability of about 0.95 (approximate:" in " ".join(text.output.split())
    markdown = CliRunner().invoke(cli, ["guarantee", *data, *both, "--refer", "--format", "markdown"])
    assert "| npv | &gt;= 0.95 | 0.591 | 0.970 |" in markdown.output
    refused = CliRunner().invoke(cli, ["guarantee", *data, "--metric", "npv", "--promise", "precision>=.9"])
    assert refused.exit_code == 2 and "--metric cannot be combined" in refused.output
