"""What to expect of a classifier whose threshold is drawn at random from the scores."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from unconfuse._errors import InputError
from unconfuse._validate import check_both_classes, check_probability, check_whole
from unconfuse.metrics import METRICS
from unconfuse.table import ScoreTable


@dataclass(frozen=True)
class ExpectedRates:
    """Mean sensitivity, specificity and accuracy over random thresholds."""

    sensitivity: float
    specificity: float
    accuracy: float

    def as_dict(self) -> dict[str, float]:
        """The three by name."""
        return asdict(self)


def expected_rates(prevalence: float, auroc: float, *, n: int | None = None) -> ExpectedRates:
    r"""Mean sensitivity, specificity and accuracy when the threshold is the score of a randomly drawn case.

    .. math::
        E[Se] = \pi_0 A + \tfrac12 \pi_1, \quad E[Sp] = \pi_1 A + \tfrac12 \pi_0, \quad
        E[Acc] = 2 \pi_0 \pi_1 A + \tfrac12 (\pi_0^2 + \pi_1^2)

    They show what the area under the ROC curve A measures: performance over all operating points, not at any one.

    Parameters
    ----------
    prevalence, auroc : float
        :math:`\pi_1` and A.
    n : int, optional
        Size of a sample without ties. The formulas hold for continuous scores; in a sample, a case drawn as threshold
        is itself labelled positive, which adds 1/(2n) to E[Se], -1/(2n) to E[Sp] and (P - N)/(2n^2) to E[Acc].

    Examples
    --------
    >>> expected_rates(.5, .8)
    ExpectedRates(sensitivity=0.65, specificity=0.65, accuracy=0.65)
    """
    pi1, area = check_probability(prevalence, "prevalence"), check_probability(auroc, "auroc")
    shift = 0.0 if n is None else 1 / (2 * check_whole(n, "n", at_least=1))
    pi0 = 1 - pi1
    return ExpectedRates(
        sensitivity=pi0 * area + pi1 / 2 + shift,
        specificity=pi1 * area + pi0 / 2 - shift,
        accuracy=2 * pi0 * pi1 * area + (pi0**2 + pi1**2) / 2 + (pi1 - pi0) * shift,
    )


def expected_rates_of_sample(table: ScoreTable) -> ExpectedRates:
    """The same for one sample, ties and all: the mean over the scores of its own cases taken as thresholds.

    Examples
    --------
    >>> import unconfuse as uc
    >>> expected_rates_of_sample(uc.score_table([1, 0, 1, 0], [.8, .6, .3, .1]))
    ExpectedRates(sensitivity=0.75, specificity=0.5, accuracy=0.625)
    """
    if not isinstance(table, ScoreTable):
        raise InputError(f"expected a ScoreTable; got {type(table).__name__}. Hint: use `score_table(y, s)`.")
    check_both_classes(table.n_positives, table.n_negatives, "positive")
    table = table.exact("`expected_rates_of_sample`")
    share = (table.positives + table.negatives) / table.n
    counts = table.counts()
    means = {name: float(share @ METRICS[name](counts)) for name in ("sensitivity", "specificity", "accuracy")}
    return ExpectedRates(**means)
