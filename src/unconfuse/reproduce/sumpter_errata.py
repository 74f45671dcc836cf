"""What is wrong in print in "Precision at the indistinguishability threshold", each with its numbers.

Where an equation is wrong, what it gives as it is printed stands beside what it should give, in one of the data sets.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import quad

from unconfuse._scipy_special import ndtr
from unconfuse.populations import NormalMixtures, queue_rate
from unconfuse.reproduce._report import ReproducedValue

AT = 8.0  # a threshold among the scores of both classes
AS_PRINTED = "as printed"


def errata(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """Every erratum of equations and sentences; those of figure 1 and of the numbers stand with these."""
    return [*_equations(sets["e"]), *_sentences(sets["e"]), *_data_sets(sets), *_areas(sets)]


def _wrong(quantity: str, printed: float, ours: float, note: str) -> ReproducedValue:
    return ReproducedValue.checked(quantity, printed, ours, AS_PRINTED, erratum=True, note=note)


def _equations(e: NormalMixtures) -> list[ReproducedValue]:
    pi, v, u = e.prevalence, float(e.sensitivity(AT)), float(e.false_positive_rate(AT))
    swapped, labelled = (1 - pi) * v + pi * u, float(queue_rate(v, u, pi))
    b, beaten = float(e.b(AT)), _integral(e, e.false_positive_rate, AT)
    everywhere = (pi / 2 + (1 - pi) * _integral(e, e.false_positive_rate, -np.inf)) / (pi + (1 - pi))
    return [
        _wrong("e, r = 8: equation 10, both shares added up", labelled / swapped, 1.0, "denominator Pv + Nu"),
        _wrong("e, r = 8: equation 15, B(r)", (pi * v**2 / 2 + (1 - pi) * beaten) / swapped, b, "f_N v and Pv + Nu"),
        _wrong("e: equation 15, B(-inf)", everywhere, float(e.b(-np.inf)), "with f_N u it is 1/2 for every classifier"),
        _wrong("e, r = 8: equation 18, B+", pi * v**2 / 2 / swapped, pi * v**2 / 2 / labelled, "denominator Pv + Nu"),
        _wrong(
            "e, r = 8: equation 19, B-",
            (1 - pi) * beaten / swapped,
            (1 - pi) * float(e.wins(AT)) / labelled,
            "f_N v and Pv + Nu",
        ),
        _wrong("e, r = 8: equation 14", beaten / u, float(e.wins(AT)) / u, "the integral is of f_N v"),
        _wrong("e, r = 8: equation 12", math.inf, v**2 / 2, "the integral runs from 0 to v(r), not from v(r) on"),
        ReproducedValue(
            "e, r = 8: equation 11",
            None,
            v / 2,
            erratum=True,
            note="its differentials are misplaced; equation 13 is right",
        ),
        ReproducedValue(
            "e: equation 5, A", None, e.auroc, erratum=True, note="the integral of v(u^-1(x)) over x, not over u at r"
        ),
        _wrong("section 3.2: chance at log-odds 1", 1 / (1 + math.e), 1 / (1 + 1 / math.e), "1/(1 + exp(-r))"),
    ]


def _integral(of: NormalMixtures, rate: Any, low: float) -> float:
    """Integrate f_N times a rate, above a score."""

    def density(t: float) -> float:
        return float(
            sum(w * math.exp(-(((t - m) / s) ** 2) / 2) / (s * math.sqrt(2 * math.pi)) for w, m, s in of.negatives)
        )

    return float(quad(lambda t: density(t) * float(rate(t)), max(low, -20), 30, limit=200)[0])


def _sentences(e: NormalMixtures) -> list[ReproducedValue]:
    population_crossing, pi = e.crossing(), e.prevalence
    v, c = population_crossing.sensitivity, population_crossing.precision
    only_positives = float(e.sensitivity(AT)) / 2
    with_negatives = _integral(e, e.precision, -np.inf)
    few, many = float(e.precision(12.0)), float(e.precision(4.0))
    swapped = "a high threshold labels few, with high precision; former and latter are swapped"
    return [
        _wrong("section 1: size of the set compared with the labelled, r = 67", 9.0, 6.0, "TP + FN, not TP + TN"),
        _wrong("e: chance that a random positive is labelled at r_b", 1.0, v, "only the labelled are, with certainty"),
        _wrong("e: precision at a high threshold, r = 12", many, few, swapped),
        _wrong("e, r = 8: B(r) if S_R were a positive", only_positives, float(e.b(AT)), "S_R is any labelled case"),
        _wrong("e, r_b: B+ as recall x TPR / 2", v * v / 2, v * c / 2, "precision x TPR / 2"),
        _wrong("e: area under the precision-recall curve", with_negatives, e.auprc(pi), "over f_P, not f_N"),
        _wrong("e, r_b: the axis 'Recall: C(r)'", v, c, "C(r) is the precision; ABC.py calls it Sensitivity"),
    ]


def _data_sets(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    as_text = NormalMixtures(sets["a"].positives, [(1000, 5, 2), (10_000, 2, 2)], 1 / 12)
    hard, easy = sets["f"].auroc, sets["h"].auroc
    overlap = float(ndtr((10 - 7) / math.hypot(2, 2)))
    return [
        _wrong("a: AUROC with the 10,000 easy cases of the text", as_text.auroc, sets["a"].auroc, "a, b, c have 100"),
        _wrong("section 3.1: AUROC of the second of 'c, h and i'", easy, hard, "c, f and i share the hard cases"),
        ReproducedValue(
            "b: AUROC among positives and hard negatives alone",
            None,
            overlap,
            erratum=True,
            note="scores are log-odds, not log-likelihoods; any increasing function of them gives the same",
        ),
    ]


def _areas(sets: dict[str, NormalMixtures]) -> list[ReproducedValue]:
    """Show that the released code, integrating the ROC curve from log-odds of -10 on, leaves out most of g."""
    g = sets["g"]
    start = float(_score_at_log_odds(g, -10.0))
    kept = float(g.wins(start))
    return [_wrong("g: AUROC integrated from log-odds -10 on", kept, g.auroc, "the code's grid starts there")]


def _score_at_log_odds(population: NormalMixtures, odds: float) -> float:
    """Return the input whose fitted log-odds are so large."""
    from unconfuse.reproduce.sumpter_easy_negatives import logistic_fit

    intercept, slope = logistic_fit(population, population.prevalence)
    return (odds - intercept) / slope
