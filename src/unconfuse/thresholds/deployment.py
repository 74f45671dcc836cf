"""Save, load and apply threshold cards, and check new cases for drift."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._deprecated import renamed
from unconfuse._errors import InputError, UnconfuseWarning, warn
from unconfuse._formatting import share_words
from unconfuse._labels import as_is_positive
from unconfuse._saved import SavedKind
from unconfuse._scipy_special import chdtrc, ndtri
from unconfuse._validate import as_builtin, as_numbers, check_probability, check_same_length, public_api
from unconfuse.table import Counts
from unconfuse.thresholds.card import HONEST, FlatRegion, OperatingPoint, ThresholdCard
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.method import NoInterval

FORMAT = "unconfuse threshold card"
SAVED = SavedKind(FORMAT, 1, "threshold card", "`unconfuse thresholds FILE --export card.json`", "export it again")
_BINS = 10  # of the card's scores, about equally full: what drift of scores is measured by


def card_to_json(card: ThresholdCard, path: Any = None) -> str:
    """Strict JSON with its version; written whole or not at all if a path is given."""
    said, content = [str(finding) for finding in card.findings], card.as_dict()
    bins = bins_of(card)
    if bins is not None:
        content["data"]["score_bins"] = bins.as_dict()
    return SAVED.text_of({"findings": said, **content}, path)


@public_api
def read_card(source: Any) -> ThresholdCard:
    """Read the card in a file (or in JSON text, or in a mapping) and check it.

    Examples
    --------
    >>> import unconfuse as uc
    >>> card = uc.threshold_card([0, 1, 0, 1], [.1, .4, .35, .8], rules=["youden"], n_resamples=20)
    >>> uc.read_card(card.to_json())["youden"].threshold.value
    0.4
    """
    return SAVED.read(source, _card)


def _card(content: Mapping[str, Any]) -> ThresholdCard:
    points = {name: _point(name, each) for name, each in content["rules"].items()}
    settings, stated = dict(content["settings"]), content["prevalence"]
    prevalence = None if stated is None else _within(stated, "prevalence", 0.0, 1.0)
    honest = content["honest"]
    if not points or not (honest is None or honest in HONEST):
        raise ValueError("no rules, or measured in an unknown way")
    costs = {who: (float(fp), float(fn)) for who, (fp, fn) in settings.get("costs", {}).items()}
    return ThresholdCard(points, _data(content["data"]), honest, prevalence, settings, costs=costs)


def _data(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the card knows of its data, each number within its bounds."""
    size = _within(saved["n"], "n", 1.0, 1e300)
    bounds = {"n": (1.0, 1e300), "positives": (0.0, size), "prevalence": (0.0, 1.0)}
    bounds |= dict.fromkeys(("lowest_score", "highest_score"), (-math.inf, math.inf))
    label = saved["positive_label"]
    if not isinstance(label, str | int | float | None):
        raise ValueError("positive_label")
    if "score_bins" in saved:
        Bins.read(saved["score_bins"])
    return dict(saved) | {key: _within(saved[key], key, *ends) for key, ends in bounds.items()}


def _within(saved: Any, name: str, low: float, high: float) -> float:
    if isinstance(saved, bool) or not isinstance(saved, int | float) or not low <= saved <= high:
        raise ValueError(f"{name} is {str(saved)[:40]!r}")
    return float(saved)


def _point(name: str, saved: Mapping[str, Any]) -> OperatingPoint:
    metrics, apparent, shifted = (
        {key: _estimate(key, each) for key, each in saved[part].items()}
        for part in ("metrics", "apparent", "at_prevalence")
    )
    threshold = _estimate("threshold", saved["threshold"])
    if math.isnan(threshold.value):
        raise InputError(f"the threshold card is damaged: rule {name!r} has no threshold. Hint: export it again.")
    _within(apparent["queue_rate"].value, "queue_rate", 0.0, 1.0)  # which labelling new cases is held against
    return OperatingPoint(
        rule=name,
        label=str(saved["label"]),
        rationale=str(saved["why"]),
        threshold=threshold,
        next_score=_number(saved["next_score"]),
        flat_region=FlatRegion(*(_number(each) for each in saved["flat_region"])),
        metrics=metrics,
        apparent=apparent,
        optimism={key: _number(each) for key, each in saved["optimism"].items()},
        at_prevalence=shifted,
        counts=Counts(**saved["counts"]) if saved["counts"] else None,
        infeasible_reason=saved["unreachable"],
    )


def _estimate(name: str, saved: Mapping[str, Any]) -> Estimate:
    value, low, high, baseline = (_number(saved[key]) for key in ("value", "low", "high", "baseline"))
    level, method, undefined = float(saved["confidence_level"]), str(saved["method"]), saved["undefined"]
    method = NoInterval(method) if math.isnan(low) else method
    return Estimate(name, name.replace("_", " "), value, low, high, level, method, undefined, baseline=baseline)


def _number(saved: Any) -> float:
    """Null stands for NaN; infinities are text."""
    return np.nan if saved is None else float(saved)


@dataclass(frozen=True)
class Bins:
    """The scores of a card in bins, from the lowest: where each but the first begins, and what share each holds."""

    edges: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, scores: npt.NDArray[np.float64], weights: npt.NDArray[np.float64]) -> Bins:
        """Return bins that are about equally full; equal scores stay together."""
        order = np.argsort(scores, kind="stable")
        below = np.cumsum(weights[order]) - weights[order]
        wanted = np.searchsorted(below, below[-1] * np.arange(1, _BINS) / _BINS)
        edges = np.unique(scores[order][wanted])
        edges = edges[edges > scores.min()]
        held = np.bincount(np.searchsorted(edges, scores, side="right"), weights, len(edges) + 1)
        return cls(tuple(edges.tolist()), tuple((held / held.sum()).tolist()))

    @classmethod
    def read(cls, saved: Mapping[str, Any]) -> Bins:
        """Return the bins of a saved card, checked."""
        edges = tuple(_within(each, "score_bins", -math.inf, math.inf) for each in saved["edges"])
        shares = tuple(_within(each, "score_bins", 0.0, 1.0) for each in saved["shares"])
        if len(shares) != len(edges) + 1 or list(edges) != sorted(set(edges)) or abs(sum(shares) - 1) > 1e-6:
            raise ValueError("score_bins")
        return cls(edges, shares)

    def as_dict(self) -> dict[str, list[float]]:
        """Plain values."""
        return {"edges": list(self.edges), "shares": list(self.shares)}

    def counted(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """How many new scores lie in each bin."""
        return np.bincount(np.searchsorted(self.edges, scores, side="right"), minlength=len(self.shares)).astype(float)

    def p_of_none(self, counts: npt.NDArray[np.float64], size: float) -> float:
        """Return the p-value of the chi-square test that new scores are distributed like the card's `size` cases."""
        rows, old = counts.sum(), np.array(self.shares) * size
        if len(counts) < 2 or not rows:
            return math.nan
        both = (counts + old) / (rows + size)
        known = both > 0
        expected = both[known] * np.array([[rows], [size]])
        statistic = ((np.array([counts[known], old[known]]) - expected) ** 2 / expected).sum()
        return float(chdtrc(known.sum() - 1, statistic)) if known.sum() > 1 else math.nan


def bins_of(card: ThresholdCard) -> Bins | None:
    """Return the bins of a card's scores; None of a card that was saved without."""
    if card.table is not None:
        return Bins.of(card.table.score, card.table.positives + card.table.negatives)
    saved = card.data.get("score_bins")
    return None if saved is None else Bins.read(saved)


class DriftWarning(UnconfuseWarning):
    """New cases do not look like those the threshold was chosen on."""


@dataclass(frozen=True, repr=False)
class AppliedCard:
    """New cases labelled by one rule of a card.

    Attributes
    ----------
    labels : array of bool
        Labelled positive or not.
    rule : str
    threshold : float
    queue_rate : float
        Share of the new cases that is labelled positive.
    drift : tuple of Finding
        What no longer looks like the data of the card; empty if nothing does.
    """

    labels: npt.NDArray[np.bool_]
    rule: str
    threshold: float
    predicted_positive_rate: float
    drift: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        said = "; ".join(map(str, self.drift)) or "no drift seen"
        return f"Applied {self.rule}: {int(self.labels.sum())} of {len(self.labels)} labelled positive; {said}"

    queue_rate = renamed("predicted_positive_rate")


@public_api
def apply_card(
    card: ThresholdCard | Mapping[str, Any] | Any,
    scores: Any,
    *,
    rule: str,
    y: Any = None,
    positive: object = None,
    negative: object = None,
    confidence_level: float = 0.99,
) -> AppliedCard:
    """Label new scores with the threshold of one rule, and warn when they drift.

    Parameters
    ----------
    card : ThresholdCard, path, JSON text or mapping
    scores : array_like
    rule : str
        Which rule of the card to use.
    y : array_like, optional
        True labels of the new cases, if they are known: then the prevalence is watched too.
    positive, negative : optional
        The positive label, that of the card by default; and the negative ones where there are several, as in `Data`.
    confidence_level : float
        A drift is reported when the difference is larger than this share of random samples would show.

    Warns
    -----
    DriftWarning
        If the share labelled positive, the prevalence or the range of the scores has moved.

    Examples
    --------
    >>> import unconfuse as uc
    >>> card = uc.threshold_card([0, 1, 0, 1], [.1, .4, .35, .8], rules=["youden"], n_resamples=20)
    >>> uc.apply_card(card, [.2, .5, .41], rule="youden").labels
    array([False,  True,  True])
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    read, _, labels, _, found = labelled_new(card, scores, rule, y, positive, negative, level=level)
    for finding in found:
        warn(finding.sentence, DriftWarning)
    return AppliedCard(labels, read[rule].rule, read[rule].threshold.value, float(labels.mean()), found)


New = tuple[
    ThresholdCard, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_] | None, tuple[Finding, ...]
]


def labelled_new(card: Any, scores: Any, rule: str, y: Any, positive: object, negative: object, *, level: float) -> New:
    """Return the card, the new scores, their labels, the truth if it is known, and what has drifted."""
    read = card if isinstance(card, ThresholdCard) else read_card(card)
    point, new = read[rule], as_numbers(as_builtin(scores), "scores")
    if not len(new):
        raise InputError("there are no rows to label.")
    labels, truth = new >= point.threshold.value, None
    # The very threshold that is deployed labels this share of the card's data: the same-data value is to be expected.
    expected = point.apparent["queue_rate"].value
    drift = [_moved("the share labelled positive", labels, expected, read.data["n"], level), _range_drift(read, new)]
    if y is not None:
        own = read.data["positive_label"] if positive is None and negative is None else positive
        truth, _ = as_is_positive(as_builtin(y), own, negative=negative)
        check_same_length({"scores": len(new), "labels": len(truth)})
        share, size = read.data["prevalence"], read.data["n"]
        if read.prevalence is not None:
            share, size = read.prevalence, math.inf  # as exactly as stated
        drift.append(_moved("the prevalence", truth, share, size, level))
    return read, new, labels, truth, tuple(finding for finding in drift if finding is not None)


def _moved(what: str, labels: npt.NDArray[np.bool_], expected: float, size: float, level: float) -> Finding | None:
    """Whether a new share lies outside of what this many rows should show.

    That is Wilson's interval about the expected share. It is known from a sample itself, so that both sizes count.
    """
    seen, rows = float(labels.mean()), len(labels)
    n = 1 / (1 / rows + 1 / size)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (expected + z2 / (2 * n)) / (1 + z2 / n)
    reach = math.sqrt(z2 * (expected * (1 - expected) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    low, high = max(middle - reach, 0.0), min(middle + reach, 1.0)
    if low <= seen <= high:
        return None
    sentence = (
        f"{what} is {share_words(seen)} among these {rows:,} rows; expected {share_words(expected)} "
        f"({share_words(low)} to {share_words(high)}). The card may no longer fit: measure it again."
    )
    numbers = {"seen": seen, "expected": expected, "low": low, "high": high}
    said = sentence[0].upper() + sentence[1:]
    return Finding(f"a new share outside its {share_words(level)} range", "drift", said, numbers)


def _range_drift(card: ThresholdCard, scores: npt.NDArray[np.float64]) -> Finding | None:
    """Probabilities that stop being probabilities, or a whole other scale."""
    low, high = card.data["lowest_score"], card.data["highest_score"]
    outside = int(((scores < low) | (scores > high)).sum())
    if outside <= 0.05 * len(scores) + 3:
        return None
    sentence = (
        f"{outside:,} of {len(scores):,} scores lie outside the card's range, {low:.4g} to {high:.4g}. Check that the "
        "model and its scale are the same."
    )
    rule = "more than 5% of the scores beyond the card's range"
    return Finding(rule, "drift", sentence, {"outside": float(outside)})
