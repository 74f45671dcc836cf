"""Promises, gaps and bands: whether all that is claimed of a population comes true. Run by `questions.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr, ndtri

import unconfuse as uc

# There is no single number, so that an interval is stood in for by whether all of it holds.


@dataclass(frozen=True)
class Stood:
    """Ends that hold what is claimed, or a claim that came true (0 within 0 and 1) or did not (2)."""

    low: float = 0.0
    high: float = 1.0


def claimed(held: bool) -> float:
    return 0.0 if held else 2.0


PROMISES = (("precision", 0.6), ("npv", 0.9), ("sensitivity", 0.9), ("specificity", 0.9))


def of_guarantee(
    rng: np.random.Generator, samples: int, n: int, prevalence: float, apart: float, starts: int
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """A promise that is not made is not broken."""
    for _ in range(samples):
        y = rng.random(n) < prevalence
        s = rng.normal(size=n) + apart * y
        if not 0 < y.sum() < n:
            continue
        kept = {}
        for metric, least in PROMISES:
            how = {"n_starts": starts} if metric in ("precision", "npv") else {}
            cut = uc.guarantee(y, s, metric, at_least=least, **how).threshold
            tpr, fpr = ndtr(apart - cut), ndtr(-cut)
            called, passed = (prevalence * a + (1 - prevalence) * b for a, b in ((tpr, fpr), (1 - tpr, 1 - fpr)))
            true = {
                "sensitivity": tpr,
                "specificity": 1 - fpr,
                "precision": prevalence * tpr / called if called > 0 else 1.0,
                "npv": (1 - prevalence) * (1 - fpr) / passed if passed > 0 else 1.0,
            }
            kept[f"{metric} >= {least}"] = claimed(bool(not np.isfinite(cut) or true[metric] >= least))
        yield dict.fromkeys(kept, Stood()), kept


def of_gaps(
    rng: np.random.Generator, samples: int, groups: int, each: int, kind: str
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """Subgroups alike, one apart from the others, or all spread; half of each are positive."""
    apart = {"alike": np.full(groups, 1.5), "one apart": np.where(np.arange(groups) == 0, 0.7, 1.5)}
    own = (apart | {"spread": np.linspace(0.9, 2.1, groups)})[kind]
    by, cut = np.repeat(np.arange(groups), each), 0.75
    sensitivity, auroc = ndtr(own - cut), ndtr(own / np.sqrt(2))
    truth = {f"gap {name}": float(np.ptp(own)) for name, own in (("sensitivity", sensitivity), ("auroc", auroc))}
    truth |= {
        "ratio sensitivity": float(sensitivity.min() / sensitivity.max()),
        "equalised odds": truth["gap sensitivity"],
    }
    for _ in range(samples):
        y = rng.random(len(by)) < 0.5
        s = rng.normal(size=len(by)) + own[by] * y
        names = ["sensitivity", "false_positive_rate", "auroc"]
        found = uc.evaluate(y, s, by=by, threshold=cut, metrics=names).subgroups
        gaps = {f"gap {name}": found.largest_difference(name) for name in ("sensitivity", "auroc")}
        yield (
            gaps | {"ratio sensitivity": found.smallest_ratio("sensitivity"), "equalised odds": found.equalised_odds()},
            truth,
        )


def of_bands(
    rng: np.random.Generator, samples: int, n: int, prevalence: float, apart: float
) -> Iterator[tuple[dict[str, object], dict[str, float]]]:
    """Whether simultaneous bands hold the whole curve; two models for the difference of net benefits."""
    shares = np.linspace(0.05, 0.95, 19)
    odds = np.log(prevalence / (1 - prevalence))

    def rates(at: np.ndarray, apart: float) -> tuple[np.ndarray, np.ndarray]:
        cut = (np.log(at / (1 - at)) - odds + apart**2 / 2) / apart  # where the stated probability is `at`
        return ndtr(apart - cut), ndtr(-cut)

    def benefit(at: np.ndarray, apart: float) -> np.ndarray:
        tpr, fpr = rates(at, apart)
        return prevalence * tpr - (1 - prevalence) * fpr * at / (1 - at)

    def probability(x: np.ndarray, apart: float) -> np.ndarray:
        return expit(apart * x - apart**2 / 2 + odds)

    fpr_at = ndtr(-(apart - ndtri(shares)))
    curves = {
        "roc": ndtr(apart + ndtri(shares)),
        "precision_recall": prevalence * shares / (prevalence * shares + (1 - prevalence) * fpr_at),
        "net_benefit": benefit(shares, apart),
    }
    for _ in range(samples):
        y = rng.random(n) < prevalence
        if not 2 < y.sum() < n - 2:
            continue
        first, second = rng.normal(size=(2, n)) + np.array([[apart], [0.7 * apart]]) * y
        models = {"a": probability(first, apart), "b": probability(second, 0.7 * apart)}
        table, held = uc.score_table(y, models["a"]), {}
        for name, true in curves.items():
            found = uc.band(table, name, grid=shares, kind="simultaneous", n_resamples=500)
            held[name] = claimed(bool(((found.low <= true) & (true <= found.high)).all()))
        gap = uc.compare(y, models, metrics=["auroc"]).decision_curve("a", "b", threshold_probabilities=shares).band
        true = benefit(shares, apart) - benefit(shares, 0.7 * apart)
        held["difference of net benefits"] = claimed(bool(((gap.low <= true) & (true <= gap.high)).all()))
        yield dict.fromkeys(held, Stood()), held
