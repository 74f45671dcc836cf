"""Policies that hold on every surface: what a verdict is called, when cases are few, which metrics speak first.

Code compares members of `Verdict`, never their text; sentences are made from them and are not read back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType

FEW = 10  # cases of a class below which an interval is said before anything else
TOO_FEW = 5  # cases of a class below which nothing is concluded
IMBALANCED = 0.9  # share of the larger class from which on accuracy says little, and does not lead
NEAR_MAJORITY = 0.05  # an accuracy this close to the larger class's share is nearly reached by always predicting it
NARROW = 0.05  # Youden's J, or a chance-corrected agreement, known to be this close to 0 is as good as 0
SAME_ODDS = 1.5  # and so is an odds ratio known to lie between this and its inverse: both must hold
DEFAULT_THRESHOLD = 0.5  # of probabilities, where none was given; other scores have none

# What decides between models where a user asked for it, because it states what errors cost.
BY_COSTS = ("net_benefit", "standardized_net_benefit", "expected_cost", "class_cost")
# The order in which metrics are named, whatever the order they were asked for in; others follow by name.
HEADLINES = (
    *("auroc", "auroc_ovr_macro", "average_precision", "sensitivity", "specificity", "balanced_accuracy", "precision"),
    *("mcc", "f1", "f1_macro", "brier", "log_loss", "auroc_hand_till", "accuracy"),
)
# What every surface shows first of one classifier, as far as a result holds it; of several classes; of subgroups; and
# what is said of a binned table.
SHOWN_FIRST: tuple[str, ...] = (
    *("auroc", "average_precision", "sensitivity", "specificity", "precision", "mcc"),
    *("npv", "f1", "youden_j", "accuracy"),
)
# What says again what another metric said: one minus it (or a share of the 2x2 table), a function of it, or another
# definition of it. Tables leave these out unless they are asked for.
RESTATED = {
    "false_positive_rate": "specificity",
    "false_negative_rate": "sensitivity",
    "false_discovery_rate": "precision",
    "false_omission_rate": "npv",
    "misclassification_rate": "accuracy",
    "null_error_rate": "prevalence",
    "null_accuracy": "prevalence",
    "negative_queue_rate": "queue_rate",
    **dict.fromkeys(("joint_true_positive", "joint_false_positive"), "queue_rate"),
    **dict.fromkeys(("joint_false_negative", "joint_true_negative"), "queue_rate"),
    "balanced_accuracy": "youden_j",
    "jaccard": "f1",
    "gini": "auroc",
    "max_youden": "ks",
    **dict.fromkeys(("auprc_trapezoid", "auprc_davis_goadrich", "auprc_integral"), "average_precision"),
}
SHOWN_FIRST_OF_CLASSES: tuple[str, ...] = (
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "mcc",
    "auroc_ovr_macro",
    "brier",
)
OF_SUBGROUPS = ("sensitivity", "specificity", "precision", "auroc", "queue_rate")
OF_BINNED = ("auroc", "average_precision", "brier", "sensitivity", "precision")


class Verdict(StrEnum):
    """What was concluded: a label, with one meaning each.

    Examples
    --------
    >>> Verdict.CANNOT_TELL, Verdict.BETTER.opposite, Verdict.WORSE_THAN_GUESSING.tone
    ('cannot tell', 'worse', 'bad')
    """

    BETTER_THAN_GUESSING = "better than guessing"  # the interval of Youden's J (or AUROC - 1/2, or MCC) lies above 0
    HARDLY_BETTER_THAN_GUESSING = "hardly better than guessing"  # above 0, and surely too small to matter much
    NO_BETTER_THAN_GUESSING = "no better than guessing"  # surely close to 0, or every case has the same label
    HARDLY_WORSE_THAN_GUESSING = "hardly worse than guessing"
    WORSE_THAN_GUESSING = "worse than guessing"  # the interval lies below 0
    BETTER = "better"
    WORSE = "worse"
    MIXED = "better and worse"  # on some headline metrics better, on others worse
    EQUIVALENT = "equivalent"  # surely within the margin
    DIFFERENT = "different"  # where neither direction is better
    SAME = "the same"
    CANNOT_TELL = "cannot tell"  # the data exclude neither answer
    UNDEFINED = "undefined"
    PASS = "pass"
    CHEAPER = "cheaper than labelling none or all"  # for the cost ratios that the finding names
    DEARER = "dearer than labelling none or all"  # at the costs that the finding names
    TOO_FEW = "too few cases"
    ILLUSTRATION = "for illustration"  # nothing is concluded
    REVERSED = "reversed"
    ASK_PREVALENCE = "prevalence of use needed"
    DIFFER_BY_PLACE = "places differ"

    @property
    def opposite(self) -> Verdict:
        """Return what holds of the second, if this holds of the first."""
        return _OPPOSITES.get(self, self)

    @property
    def tone(self) -> str:
        """Return "good", "bad", "open" or "" (nothing concluded): how a surface colours it."""
        return TONES.get(self, "")

    def __repr__(self) -> str:
        return repr(self.value)


_OPPOSITES = {
    Verdict.BETTER: Verdict.WORSE,
    Verdict.WORSE: Verdict.BETTER,
    Verdict.BETTER_THAN_GUESSING: Verdict.WORSE_THAN_GUESSING,
    Verdict.WORSE_THAN_GUESSING: Verdict.BETTER_THAN_GUESSING,
    Verdict.HARDLY_BETTER_THAN_GUESSING: Verdict.HARDLY_WORSE_THAN_GUESSING,
    Verdict.HARDLY_WORSE_THAN_GUESSING: Verdict.HARDLY_BETTER_THAN_GUESSING,
}
TONES: Mapping[str, str] = MappingProxyType(
    {
        Verdict.BETTER_THAN_GUESSING: "good",
        Verdict.BETTER: "good",
        Verdict.PASS: "good",
        Verdict.HARDLY_BETTER_THAN_GUESSING: "open",
        Verdict.CANNOT_TELL: "open",
        Verdict.MIXED: "open",
        Verdict.ASK_PREVALENCE: "open",
        Verdict.NO_BETTER_THAN_GUESSING: "bad",
        Verdict.HARDLY_WORSE_THAN_GUESSING: "bad",
        Verdict.WORSE_THAN_GUESSING: "bad",
        Verdict.REVERSED: "bad",
        Verdict.WORSE: "bad",
    }
)
INFORMATIVE = (Verdict.BETTER_THAN_GUESSING, Verdict.HARDLY_BETTER_THAN_GUESSING)
Limits = tuple[float, float]


def against_guessing(
    j: Limits, ratio: Limits, *, labelled: Limits = (1.0, 1.0), sizes: Limits = (math.inf, math.inf)
) -> Verdict:
    """Return the verdict on labels from the limits of Youden's J and of the odds ratio.

    `labelled` says how many cases were labelled positive and negative, `sizes` how many are.

    >>> against_guessing((0.2, 0.4), (2.0, 9.0)), against_guessing((0.001, 0.009), (1.01, 1.04))
    ('better than guessing', 'hardly better than guessing')
    >>> against_guessing((0.2, 0.9), (2.0, 99.0), sizes=(4, 900)), against_guessing((0, 0), (1, 1), labelled=(0, 9))
    ('cannot tell', 'no better than guessing')
    """
    if min(sizes) == 0:
        return Verdict.CANNOT_TELL
    if not min(labelled):
        return Verdict.NO_BETTER_THAN_GUESSING
    if math.isnan(j[0]) or min(sizes) < TOO_FEW:
        return Verdict.CANNOT_TELL
    close = max(map(abs, j)) < NARROW and ratio[0] > 1 / SAME_ODDS and ratio[1] < SAME_ODDS
    if j[0] > 0:
        return Verdict.HARDLY_BETTER_THAN_GUESSING if close else Verdict.BETTER_THAN_GUESSING
    if j[1] < 0:
        return Verdict.HARDLY_WORSE_THAN_GUESSING if close else Verdict.WORSE_THAN_GUESSING
    return Verdict.NO_BETTER_THAN_GUESSING if close else Verdict.CANNOT_TELL


def overall(verdicts: Iterable[str]) -> Verdict:
    """Return one verdict for several metrics: better only if better on something and worse on nothing.

    >>> overall(["better", "cannot tell"]), overall(["better", "worse"]), overall(["cannot tell", "equivalent"])
    ('better', 'better and worse', 'cannot tell')
    """
    given = set(verdicts)
    if {Verdict.BETTER, Verdict.WORSE} <= given:
        return Verdict.MIXED
    for each in (Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERENT, Verdict.CANNOT_TELL, Verdict.EQUIVALENT):
        if each in given:
            return each
    return Verdict.UNDEFINED


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of metrics in the order in which they speak, whatever the order they came in.

    >>> in_order(["accuracy", "zeta", "mcc", "auroc", "alpha"])
    ['auroc', 'mcc', 'accuracy', 'alpha', 'zeta']
    """
    return sorted(names, key=lambda name: (HEADLINES.index(name) if name in HEADLINES else len(HEADLINES), name))


def leading(names: Iterable[str], largest_share: float) -> list[str]:
    """Return the metrics that decide between models: those of costs if there are any, never accuracy under imbalance.

    >>> leading(["accuracy", "sensitivity", "specificity"], 0.99), leading(["accuracy"], 0.99)
    (['sensitivity', 'specificity'], ['accuracy'])
    >>> leading(["auroc", "net_benefit(0.1)"], 0.8)
    ['net_benefit(0.1)']
    """
    ordered = in_order(names)
    by_costs = [name for name in ordered if name.split("(")[0] in BY_COSTS]
    if by_costs:
        return by_costs
    others = [name for name in ordered if name != "accuracy" or largest_share < IMBALANCED]
    return others or ordered
