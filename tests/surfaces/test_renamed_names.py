"""Old names of classes, functions, methods and fields give what the new ones give, and say so unless they stay."""

from importlib import import_module
from inspect import getattr_static

import pytest

import unconfuse as uc
from unconfuse._deprecated import UNTIL, renamed
from unconfuse._errors import RenamedWarning

# module, class, old name, new name, whether the old name stays for good
MEMBERS = [
    ("unconfuse.bayesian.post_test", "PostTestProbability", "after", "after_results", False),
    ("unconfuse.bayesian.post_test", "PostTestProbability", "steps", "updates", False),
    ("unconfuse.curves._curve", "Curve", "thinned", "downsampled", False),
    ("unconfuse.indistinguish.result", "Indistinguishability", "alike", "distribution_difference", False),
    ("unconfuse.indistinguish.result", "Indistinguishability", "at", "at_level", False),
    ("unconfuse.indistinguish.result", "Indistinguishability", "b_at_all", "b_if_all_labelled", False),
    ("unconfuse.indistinguish.result", "Indistinguishability", "is_tied", "has_ties", False),
    ("unconfuse.indistinguish.result", "Indistinguishability", "labelled", "labelled_set", False),
    ("unconfuse.metrics.definitions", "DefinitionComparison", "spread", "largest_difference", False),
    ("unconfuse.populations", "Population", "indistinguishable", "indistinguishability_crossing", False),
    ("unconfuse.resolving.power_result", "ResolvingPower", "caution", "caveat", False),
    ("unconfuse.resolving.power_result", "ResolvingPower", "tells_apart", "is_resolved", False),
    ("unconfuse.resolving.power_result", "ResolvingPower", "wins", "win_probabilities", True),
    ("unconfuse.resolving.signal_curve", "SignalCurve", "problem", "not_invertible_reason", False),
    ("unconfuse.resolving.signal_curve", "SignalCurve", "rises", "is_increasing", False),
    ("unconfuse.results.comparison", "Comparison", "cuts", "thresholds", False),
    ("unconfuse.results.comparison", "Comparison", "paired", "same_cases", False),
    ("unconfuse.results.confusion", "ConfusionMatrix", "of_class", "one_vs_rest", False),
    ("unconfuse.results.confusion", "ConfusionMatrix", "ordered", "reordered", False),
    ("unconfuse.results.confusion", "ConfusionMatrix", "worst", "largest_confusions", False),
    ("unconfuse.results.contrast", "Contrast", "p_words", "p_value_text", False),
    ("unconfuse.results.estimate_mapping", "EstimateMapping", "threshold_origin", "threshold_source", False),
    ("unconfuse.results.evaluation", "Evaluation", "card", "default_card", False),
    ("unconfuse.results.evaluation", "Evaluation", "explain", "definitions", False),
    ("unconfuse.results.evaluation", "Evaluation", "labels_to_buy", "plan_verification", False),
    ("unconfuse.results.evaluation", "Evaluation", "power", "asymptotic_power", False),
    ("unconfuse.results.class_questions", "ClassQuestions", "of_class", "one_vs_rest", True),
    ("unconfuse.results.subgroups", "Subgroups", "compared_with", "with_reference", False),
    ("unconfuse.results.subgroups", "Subgroups", "gap", "largest_difference", True),
    ("unconfuse.results.subgroups", "Subgroups", "ratio", "smallest_ratio", True),
    ("unconfuse.table.cells", "ClassMargins", "missed", "fn", False),
    ("unconfuse.table.cells", "ClassMargins", "right", "tp", False),
    ("unconfuse.table.cells", "ClassMargins", "wrong", "fp", False),
    ("unconfuse.table.counts", "Counts", "by_chance", "expected_by_chance", False),
    ("unconfuse.table.counts", "Counts", "of_rates", "from_rates", False),
    ("unconfuse.table.counts", "Counts", "times", "scaled", False),
    ("unconfuse.table.score_table", "ScoreTable", "at_middles", "at_midpoints", False),
    ("unconfuse.table.score_table", "ScoreTable", "of_rows", "from_rows", False),
    ("unconfuse.table.score_table", "ScoreTable", "tops", "upper_edges", False),
    ("unconfuse.table.score_table", "ScoreTable", "why_not_probabilities", "probability_problem", False),
    ("unconfuse.thresholds._guarantee", "GuaranteedThreshold", "enough", "is_sufficient", False),
    ("unconfuse.thresholds.card", "OperatingPoint", "unreachable", "infeasible_reason", False),
    ("unconfuse.thresholds.card", "OperatingPoint", "why", "rationale", False),
    ("unconfuse.thresholds.card", "ThresholdCard", "honest", "validation", False),
    ("unconfuse.thresholds.deployment", "AppliedCard", "queue_rate", "predicted_positive_rate", False),
    ("unconfuse.thresholds.joint_guarantees", "JointGuarantee", "enough", "is_sufficient", False),
    ("unconfuse.uncertainty.estimate", "Estimate", "bound", "binning_bounds", False),
    ("unconfuse.uncertainty.estimate", "Estimate", "context", "conditions", False),
    ("unconfuse.uncertainty.estimate", "Estimate", "of", "from_interval", False),
    ("unconfuse.uncertainty.estimate", "Estimate", "p_against", "p_value_against", False),
]
# package, old name, new name
NAMES = [
    ("unconfuse", "Confusion", "ConfusionMatrix"),
    ("unconfuse", "Path", "ModelSequence"),
    ("unconfuse", "explain", "definitions"),
    ("unconfuse.bayesian", "Prevalence", "PrevalenceEstimate"),
    ("unconfuse.bayesian", "TwelveQuantities", "BinaryQuantities"),
    ("unconfuse.indistinguish", "Alike", "ScoreSetDifference"),
    ("unconfuse.plots", "plot_against_b", "plot_metrics_against_b"),
    ("unconfuse.plots", "plot_metric_of_classes", "plot_multiclass_metric"),
    ("unconfuse.plots", "plot_prg", "plot_precision_recall_gain"),
    ("unconfuse.resolving", "Path", "ModelSequence"),
    ("unconfuse.resolving", "Plan", "DifferencePlan"),
    ("unconfuse.results", "Confusion", "ConfusionMatrix"),
    ("unconfuse.thresholds", "Applied", "AppliedCard"),
    ("unconfuse.thresholds", "Guarantee", "GuaranteedThreshold"),
    ("unconfuse.thresholds", "Rule", "ThresholdRule"),
    ("unconfuse.thresholds", "StudyRow", "PrevalenceStudyRow"),
]


@pytest.mark.parametrize(("module", "owner", "old", "new", "permanent"), MEMBERS)
def test_an_old_member_is_the_new_one(module, owner, old, new, permanent):
    kind = getattr(import_module(module), owner)
    alias = getattr_static(kind, old)
    assert isinstance(alias, renamed) and (alias.old, alias.new, alias.permanent) == (old, new, permanent)
    assert new in kind.__dict__ or new in kind.__dataclass_fields__ or hasattr(kind, new)


@pytest.mark.parametrize(("package", "old", "new"), NAMES)
def test_an_old_name_is_the_new_one(package, old, new):
    home = import_module(package)
    assert old not in home.__all__ and new in home.__all__
    with pytest.warns(RenamedWarning, match=f"`{old}` was renamed `{new}`; the old name works until {UNTIL}"):
        assert getattr(home, old) is getattr(home, new)


def test_old_members_of_results_work():
    ev = uc.evaluate([0, 1, 2, 0, 1, 2], predicted=[0, 1, 2, 1, 1, 0])
    assert ev.of_class(1)["sensitivity"].value == ev.one_vs_rest(1)["sensitivity"].value == 1
    with pytest.warns(RenamedWarning, match="`worst` was renamed `largest_confusions`"):
        assert ev.confusion.worst(1) == ev.confusion.largest_confusions(1)
    estimate = uc.evaluate_counts(tp=9, fp=1, fn=2, tn=20)["sensitivity"]
    with pytest.warns(RenamedWarning, match="`context` was renamed `conditions`"):
        assert estimate.context == estimate.conditions
