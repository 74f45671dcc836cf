"""The catalogue of situations: surfaces agree, verdicts rest on intervals, nothing is said that the design hides."""

import html
import importlib.util
import io
import math
import re
import sys
import warnings
from pathlib import Path

import pytest
from rich.console import Console

import unconfuse as uc
from unconfuse.cli._comparison_output import draw_comparison
from unconfuse.cli._evaluation_output import draw_findings
from unconfuse.cli.gate import _draw as draw_gate
from unconfuse.policy import INFORMATIVE, NARROW, Verdict
from unconfuse.report import payload_of
from unconfuse.results.gate import GateResult
from unconfuse.serve.result_summary import verdict_of

DOCS = Path(__file__).parents[2] / "docs"
_spec = importlib.util.spec_from_file_location("situations", DOCS / "situations.py")
situations = importlib.util.module_from_spec(_spec)
sys.modules["situations"] = situations
_spec.loader.exec_module(situations)
NAMES = list(situations.SITUATIONS)
WORSE = (Verdict.WORSE_THAN_GUESSING, Verdict.HARDLY_WORSE_THAN_GUESSING)
_NEVER = (
    r"\bsurely\b|\bhonest|\bnobody\b|\bwhoever\b|\bproves?\b|\buseful\b|worth it|\balarms?\b|told apart(?! by their)"
    r"|nothing tells|so that\b|is no \w|every alarm|all of them rightly| against "
)


@pytest.fixture(autouse=True)
def without_warnings():
    """That all scores are alike is one of the situations."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def evaluations():
    for name in NAMES:
        found = situations.made(name)
        if isinstance(found, uc.Evaluation):
            yield name, found


def comparisons():
    return [(name, found) for name in NAMES if isinstance(found := situations.made(name), uc.Comparison)]


def without_numbers(text):
    return re.sub(r"-?[\d][\d.,]*(e-?\d+)?", "#", text)


def test_there_are_many_situations():
    assert len(NAMES) >= 80


def test_the_page_is_what_is_said_apart_from_numbers():
    assert without_numbers(situations.PAGE.read_text(encoding="utf-8")) == without_numbers(situations.page())


@pytest.mark.parametrize("name", NAMES)
def test_words(name):
    found = situations.made(name)
    for _, sentence in situations.said(found):
        assert sentence[-1] in ".?" and not re.search(r"\b(nan|inf)\b|  |(?<!=\.)\.\.(?!\.)|\( |,,", sentence), sentence
        assert not re.search(_NEVER, sentence), sentence
    assert not re.search(_NEVER, situations.first_sentence(found))


def test_all_surfaces_say_the_same_of_one_classifier(monkeypatch):
    """Python, card, terminal, page and app: one first sentence; badge, usefulness and findings: one verdict."""
    # The page's paragraph on metrics that tell models apart is simulated, and says nothing of this one.
    monkeypatch.setattr(uc.Evaluation, "asymptotic_power_if_fast", None)
    compared = 0
    for name, found in evaluations():
        first = found.findings[0]
        assert first.sentence in html.unescape(found._repr_html_()), name
        assert verdict_of(found) == first.sentence[:600]
        drawn = Console(width=100, file=io.StringIO(), color_system=None)
        if found.sample.is_multiclass:
            continue
        draw_findings(drawn, found)
        assert " ".join(first.sentence.split()) in " ".join(drawn.file.getvalue().split()), name
        if not found.has_decisions or first.verdict is Verdict.ILLUSTRATION:
            continue
        assert uc.usefulness(found).verdict is first.verdict, name
        part = payload_of(found)["models"][0]
        assert part["findings"][0]["sentence"] == first.sentence
        assert part["findings"][0]["verdict"] == first.verdict.value
        stops = part["stops"]
        if "verdict" in stops:
            place = stops["threshold"].index(found.threshold) if found.threshold is not None else 0
            assert stops["verdict"][place] == first.verdict.value, name
            compared += 1
    assert compared > 40


def test_all_surfaces_say_the_same_of_several_classes():
    shown = [(name, found) for name, found in evaluations() if found.sample.is_multiclass]
    for _, found in shown:
        part = payload_of(found)["classes"]["findings"]
        assert [each["sentence"] for each in part] == [each.sentence for each in found.findings]
        assert part[0]["verdict"] == found.findings[0].verdict.value
    assert len(shown) >= 10


def test_all_surfaces_say_the_same_of_a_comparison():
    for name, found in comparisons():
        assert found.sentence in str(found) and verdict_of(found) == found.sentence[:600]
        assert html.unescape(found._repr_html_()).count(found.sentence[:100]) == 1, name
        drawn = Console(width=100, file=io.StringIO(), color_system=None)
        draw_comparison(drawn, found)
        assert " ".join(found.sentence.split()) in " ".join(drawn.file.getvalue().split()), name
        if found.same_cases:
            part = payload_of(found)["comparison"]
            assert part["sentence"] == found.sentence and part["verdict"] == found.verdict.value
            assert part["findings"] == list(found.findings)


def test_gates_say_the_same_on_the_terminal():
    for found in map(situations.made, NAMES):
        if isinstance(found, GateResult):
            drawn = Console(width=300, file=io.StringIO(), color_system=None)
            draw_gate(drawn, found)
            assert found.checks[0].sentence in " ".join(drawn.file.getvalue().split())
            assert drawn.file.getvalue().startswith(found.verdict.upper()) and found.sentence.startswith(
                found.verdict.upper()
            )


def test_every_verdict_against_guessing_rests_on_an_interval():
    seen = set()
    for name, found in evaluations():
        for each in found.findings:
            if each.verdict not in (*INFORMATIVE, *WORSE, Verdict.NO_BETTER_THAN_GUESSING):
                continue
            seen.add(each.verdict)
            chance = 0.5 if "auroc" in each.numbers else 0.0
            low, high = (each.numbers.get(end, math.nan) - chance for end in ("low", "high"))
            if each.verdict in INFORMATIVE:
                assert low > 0, (name, each)
            elif each.verdict in WORSE:
                assert high < 0, (name, each)
            else:  # surely close to chance, or one label for all
                assert (low <= 0 <= high and max(-low, high) < NARROW) or "carries no information" in each.sentence
            assert "interval" in each.sentence or "carries no information" in each.sentence, each.sentence
    assert len(seen) >= 5


def test_better_and_worse_than_the_majority_rest_on_an_interval():
    for name, found in evaluations():
        for each in found.findings:
            if each.verdict is Verdict.BETTER:
                assert each.numbers["low"] > 0.5 and each.numbers["accuracy"] > each.numbers["null_accuracy"], name
            elif each.verdict is Verdict.WORSE:
                assert each.numbers["high"] < 0.5 and each.numbers["accuracy"] < each.numbers["null_accuracy"], name


def test_cost_ratios_have_limits():
    for _, found in evaluations():
        for each in found.findings:
            if each.verdict is Verdict.CHEAPER:
                numbers = each.numbers
                assert numbers["least"] <= numbers["least_high"] < numbers["most_low"] <= numbers["most"]


def test_better_without_a_qualifier_is_better_on_something_and_worse_on_nothing():
    seen = set()
    for name, found in comparisons():
        for contest in found.contests:
            verdicts = {each.verdict for each in contest.pairs}
            seen.add(contest.verdict)
            for each in contest.pairs:
                sign = {"higher": 1, "lower": -1}.get(each.difference.better, 0)
                ends = sorted(sign * end for end in (each.difference.low, each.difference.high))
                assert (each.verdict is not Verdict.BETTER) or ends[0] > 0, name
                assert (each.verdict is not Verdict.WORSE) or ends[1] < 0, name
            if contest.verdict is Verdict.BETTER:
                assert Verdict.BETTER in verdicts and Verdict.WORSE not in verdicts, name
            if contest.verdict is Verdict.WORSE:
                assert Verdict.WORSE in verdicts and Verdict.BETTER not in verdicts, name
            assert ("on different metrics" in contest.sentence) == (contest.verdict is Verdict.MIXED)
    assert {Verdict.BETTER, Verdict.WORSE, Verdict.MIXED, Verdict.CANNOT_TELL} <= seen


def test_the_order_of_metrics_does_not_matter_and_accuracy_does_not_lead_under_imbalance():
    tables = {"detector": uc.Counts(tp=95, fp=990, fn=5, tn=98910), "never": uc.Counts(tp=0, fp=0, fn=100, tn=99900)}
    names = ["accuracy", "sensitivity", "specificity", "f1"]
    found = [uc.compare(tables, metrics=order) for order in (names, names[::-1])]
    assert found[0].sentence == found[1].sentence and found[0].verdict is found[1].verdict is Verdict.MIXED
    assert "accuracy" not in found[0].sentence
    assert uc.compare(tables, metrics=["net_benefit(0.01)", *names]).verdict is Verdict.BETTER


@pytest.mark.parametrize(
    "name", [name for name in NAMES if name.startswith("case-control") or name.endswith("tives only")]
)
def test_nothing_is_said_about_the_flagged_where_the_design_cannot_give_it(name):
    found = situations.made(name)
    words = " ".join([*(each.sentence for each in found.findings), situations.first_sentence(found)])
    assert not re.search(r"Among [\d,]+ cases|flagged cases, |costs less than|always predicting", words), words


def test_case_control_asks_for_the_prevalence():
    found = situations.made("case-control, good")
    assert Verdict.ASK_PREVALENCE in [each.verdict for each in found.findings]
    assert "set it." in situations.first_sentence(found)


def test_accuracy_is_warned_of_only_where_always_predicting_one_class_nearly_reaches_it():
    for name, found in evaluations():
        for each in found.findings:
            if each.verdict == "accuracy misleads":
                assert abs(each.numbers["accuracy"] - each.numbers["null_accuracy"]) <= 0.05, name
                assert Verdict.BETTER not in [other.verdict for other in found.findings], name


def test_roulette():
    fair, biased = (situations.made(f"a {kind} roulette wheel").findings[0] for kind in ("fair", "biased"))
    assert fair.verdict is Verdict.NO_BETTER_THAN_GUESSING
    assert biased.verdict is Verdict.BETTER_THAN_GUESSING
    assert fair.numbers["by_chance"] == pytest.approx(1 / 38, rel=0.02)


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("one positive, found", Verdict.CANNOT_TELL),
        ("twelve cases", Verdict.CANNOT_TELL),
        ("one positive in a million", Verdict.CANNOT_TELL),
        ("detectable, hardly useful", Verdict.HARDLY_BETTER_THAN_GUESSING),
        ("always negative", Verdict.NO_BETTER_THAN_GUESSING),
        ("reversed", Verdict.WORSE_THAN_GUESSING),
        ("positives only", Verdict.CANNOT_TELL),
    ],
)
def test_what_a_situation_is_called(name, verdict):
    assert situations.made(name).findings[0].verdict is verdict
