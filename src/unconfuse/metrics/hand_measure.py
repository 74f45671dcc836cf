"""The H-measure: expected loss over a stated distribution of what errors cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from unconfuse import _kernels
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_number, public_api
from unconfuse.metrics._metric import Metric, ratio
from unconfuse.metrics._tie_blocks import RankingPieces, constant, hulls_of, rank_metric
from unconfuse.table import Array

Shape = tuple[Array, Array]
_USUAL = "hand2014"
_HAND = "Hand (2009), Machine Learning 77:103"


# The cost c is that of a false positive, 1 - c that of a false negative; pi is the prevalence.
_PRIORS: dict[str, tuple[str, Callable[[Array], Shape]]] = {
    "hand2014": ("Beta(1+π1, 1+π0)", lambda pi: (1 + pi, 2 - pi)),
    "beta22": ("Beta(2, 2)", lambda pi: (np.full_like(pi, 2), np.full_like(pi, 2))),
    "severity_ratio": ("Beta(2, 1+π0/π1)", lambda pi: (np.full_like(pi, 2), 1 + (1 - pi) / pi)),
}


@public_api
def h_measure(prior: str | tuple[float, float] = _USUAL) -> Metric:
    """Share of the loss of the best trivial classifier that the ranking saves, averaged over costs.

    Parameters
    ----------
    prior : {"hand2014", "beta22", "severity_ratio"} or (a, b)
        The distribution of the cost c of a false positive (1 - c is that of a false negative):
        Beta(1 + π1, 1 + π0) of Hand & Anagnostopoulos (2014), the default; Beta(2, 2) of Hand (2009);
        Beta(2, 1 + π0/π1), the default of the R package hmeasure (severity ratio π1/π0); or any Beta(a, b).

    Examples
    --------
    >>> from unconfuse.metrics._tie_blocks import PHOTOS
    >>> h_measure("beta22")(PHOTOS).item(), h_measure((2, 2)).label
    (0.5, 'H-measure, Beta(2, 2)')
    """
    words, shape_at = _prior(prior)
    return rank_metric(
        f"h_measure({prior if isinstance(prior, str) else tuple(prior)!r})",
        label=f"H-measure, {words}",
        question="How much of the loss of giving all cases one label does the ranking save, over a spread of costs?",
        straight=True,
        function=None if prior == _USUAL else lambda table: _saved(shape_at, hulls_of(table)),
        kernel="h_measure" if prior == _USUAL else "",
        formula=r"1-\frac{\int L_{\min}(c)\,w(c)\,dc}{\int\min(c\,\pi_0,(1-c)\,\pi_1)\,w(c)\,dc},"
        r"\ w=\mathrm{" + words.replace("π1", r"\pi_1").replace("π0", r"\pi_0") + "}",
        chance=constant(0.0),
        interval="own_scale",
        misleads="It means nothing without its prior: three usual ones gave 0.27, 0.12 and 0.06 on the same data.",
        references=(_HAND, "Hand & Anagnostopoulos (2014), Pattern Recognition Letters 40:41"),
        example=0.5 if prior in _PRIORS else None,
    )


def _prior(prior: Any) -> tuple[str, Callable[[Array], Shape]]:
    if isinstance(prior, str) and prior in _PRIORS:
        return _PRIORS[prior]
    if isinstance(prior, tuple | list) and len(prior) == 2:
        a, b = (check_number(each, "prior") for each in prior)
        if min(a, b) > 0:
            return f"Beta({a:g}, {b:g})", lambda pi: (np.full_like(pi, a), np.full_like(pi, b))
    raise ArgumentError(
        f"`prior` must be one of {', '.join(map(repr, _PRIORS))}, or a pair (a, b) above 0; got {prior!r}."
    )


def _saved(shape_at: Callable[[Array], Shape], hulls: RankingPieces) -> Array:
    """1 - loss/trivial loss; a segment of the hull is called positive when c is below its share of positives."""
    from unconfuse._scipy_special import betaln

    positives, negatives = hulls.total(hulls.positives), hulls.total(hulls.negatives)
    a, b = shape_at(ratio(positives, positives + negatives))
    spread = a, b, np.asarray(betaln(a, b))
    of_segments = _loss(hulls.positives, hulls.negatives, *(hulls.each(each) for each in spread))
    return 1 - ratio(hulls.total(of_segments), _loss(positives, negatives, *spread))


def _loss(positives: Array, negatives: Array, a: Array, b: Array, log_beta: Array) -> Array:
    """Mean loss over costs: a segment's negatives cost c below its share of positives, its positives 1 - c above it."""
    false_alarm, miss = _kernels.beta_tails(a, b, log_beta, ratio(positives, positives + negatives))
    return np.asarray((negatives * a * false_alarm + positives * b * miss) / (a + b))


h_measure_2014 = replace(h_measure(), name="h_measure")
