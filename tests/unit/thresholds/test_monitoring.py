"""A card in use: the report of each batch, what batches show together, and the rate of false alarms."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse.cli import cli
from unconfuse.uncertainty.change_detection import gains_of_losses, log_statistic, log_wealth
from unconfuse.uncertainty.sequential import proportion_limits, widened

CASES = json.loads((Path(__file__).parents[2] / "reference" / "watching.json").read_text())["cases"]


def drawn(rng, n, shift=2.0, share=0.4):
    y = rng.random(n) < share
    return y, rng.normal(size=n) + shift * y


@pytest.fixture(scope="module")
def card():
    y, s = drawn(np.random.default_rng(1), 500)
    return uc.read_card(uc.threshold_card(y, s, rules=["youden"], n_resamples=200).to_json())


@pytest.mark.parametrize("case", [each for each in CASES if each["group"] == "change"], ids=lambda each: each["id"])
def test_the_detector_of_change_against_a_plain_loop(case):
    given = {"np": np}
    exec(case["make"], given)
    x, mu0, expected = given["x"], case["data"]["mu0"], case["expect"]
    gains = gains_of_losses(x, mu0)
    first = log_wealth(gains[:, :150])
    found = log_statistic(np.hstack([first, log_wealth(gains[:, 150:], first[:, -1])]))  # in two batches
    assert found[99] == pytest.approx(expected["log_statistic_at_100"], abs=1e-9)
    assert found[299] == pytest.approx(expected["log_statistic_at_300"], abs=1e-9)
    reached = np.flatnonzero(found >= np.log(1000))
    assert (int(reached[0]) + 1 if len(reached) else 0) == expected["alarm_at"]


@pytest.mark.parametrize("case", [each for each in CASES if each["group"] == "repeated_looks"], ids=lambda c: c["id"])
def test_widened_critical_values(case):
    data = case["data"]
    assert widened(data["n"], data["n_star"], data["alpha"], one_sided=True) == pytest.approx(
        case["expect"]["z"], abs=1e-10
    )


def test_limits_hold_at_every_look():
    rng, missed = np.random.default_rng(0), 0
    for _ in range(200):
        right = np.cumsum(rng.random(600) < 0.9)
        missed += any(proportion_limits(right[n - 1], n, 100, 0.05)[1] < 0.9 for n in range(10, 601, 10))
    assert missed <= 16  # 5% of 200, and two standard errors


def test_a_card_that_fits_is_not_called_worse_and_one_that_does_not_is(card):
    rng, worse = np.random.default_rng(2), 0
    for _ in range(20):
        state = None
        for _ in range(5):
            y, s = drawn(rng, 150)
            state = uc.watch_card(card, s, rule="youden", y=y, state=state)
        worse += state.verdict == "worse"
    assert worse <= 2
    y, s = drawn(rng, 400, shift=0.3)
    found = uc.watch_card(card, s, rule="youden", y=y, state=state)
    assert found.verdict == "worse" and "worse than the card" in found.sentence
    assert found.seen.batches == 6 and found.seen.rows == 1150 == sum(found.seen.counts)


def test_enough_labelled_cases_are_fine(card):
    y, s = drawn(np.random.default_rng(3), 6000)
    found = uc.watch_card(card, s, rule="youden", y=y)
    assert found.verdict == "fine" and {each.verdict for each in found.performance} == {"fine"}


def test_without_labels_drift_makes_it_unknown(card):
    rng = np.random.default_rng(4)
    assert uc.watch_card(card, drawn(rng, 300)[1], rule="youden").verdict == "fine"
    found = uc.watch_card(card, drawn(rng, 300)[1] - 1.5, rule="youden")
    assert found.verdict == "cannot tell" and found.score_p < 0.001 and found.performance == ()


def test_few_labels_say_so(card):
    found = uc.watch_card(card, [0.1, 3.0, 2.0], rule="youden", y=[0, 1, 1])
    assert found.verdict == "cannot tell" and "Only 2 labelled positives so far" in found.sentence


def test_a_card_saved_without_bins_is_read(card):
    old = json.loads(uc.threshold_card([0, 1] * 30, np.arange(60.0), rules=["youden"], n_resamples=20).to_json())
    del old["data"]["score_bins"]
    found = uc.watch_card(old, np.arange(60.0), rule="youden")
    assert np.isnan(found.score_p) and json.dumps(found.as_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"margin": 2}, "`margin` must lie"),
        ({"error_rate": 0}, "error_rate"),
        ({"horizon": 0}, "horizon"),
        ({"state": "{}"}, "this is not a state of a watched card"),
        ({"state": '{"format": "unconfuse card watch", "version": 1}'}, "damaged"),
        ({"state": '{"format": "unconfuse card watch", "version": 7}'}, "version 7"),
        ({"state": "/nowhere/state.json"}, "cannot be read"),
    ],
)
def test_refusals(card, words, why):
    with pytest.raises(ValueError, match=why):
        uc.watch_card(card, [0.1, 3.0], rule="youden", **words)


def test_a_state_belongs_to_its_threshold(card):
    y, s = drawn(np.random.default_rng(5), 60)
    other = uc.threshold_card(y, s, rules=["top_left"], n_resamples=20)
    found = uc.watch_card(other, s, rule="top_left")
    with pytest.raises(ValueError, match="begin a new state"):
        uc.watch_card(card, s, rule="youden", state=found)


def test_on_the_command_line(card, tmp_path):
    rng, place = np.random.default_rng(6), tmp_path / "card.json"
    y, s = drawn(rng, 500)
    uc.threshold_card(y, s, rules=["youden"], n_resamples=100).to_json(place)
    codes = []
    for shift in (2.0, 0.2):
        y, s = drawn(rng, 500, shift)
        lines = [f"{int(a)},{b}" for a, b in zip(y, s, strict=True)]
        (tmp_path / "week.csv").write_text("\n".join(["outcome,risk", *lines]) + "\n")
        data = [str(place), str(tmp_path / "week.csv"), "--score", "risk", "--label", "outcome"]
        written = ["--report", str(tmp_path / "week.json"), "--state", str(tmp_path / "state.json")]
        done = CliRunner().invoke(cli, ["apply", *data, *written, "-o", str(tmp_path / "out.csv")])
        codes.append(done.exit_code)
        report = json.loads((tmp_path / "week.json").read_text())
        assert {"verdict", "rows", "labelled_positive", "score_drift", "prevalence", "performance", "change"} <= set(
            report
        )
    assert codes[0] in (0, 4) and codes[1] == 3 and report["so_far"]["batches"] == 2
    with (tmp_path / "out.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 500
    refused = CliRunner().invoke(cli, ["apply", *data, "--state", str(tmp_path / "state.json")])
    assert refused.exit_code == 2 and "--report" in refused.output
