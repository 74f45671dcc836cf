"""Over eighty situations and what unconfuse says in each: `python docs/situations.py` writes the page.

`tests/surfaces/test_situations.py` makes the same page, and checks that all surfaces agree and that each verdict is
backed by its interval.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

import unconfuse as uc
from unconfuse.policy import Verdict
from unconfuse.results.natural_frequencies import answer

PAGE = Path(__file__).with_name("situations.md")
FEW = {"n_resamples": 200}
_START = """# Situations, and what is said in each

What unconfuse says, word for word, with the label of each verdict: the same in Python, on the terminal, in a notebook,
on the page and in the app. Where a page has a first sentence of its own, it is shown too. This page is written by
`python docs/situations.py`; a test makes it again and compares everything but the numbers.
"""
Make = Callable[[], Any]


def _rows(seed: int = 3, n: int = 400, share: float = 0.3, clear: float = 1.2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, 1 / (1 + np.exp(-(rng.normal(size=n) + clear * y - 0.6)))


def _counts(tp: float, fp: float, fn: float, tn: float, **more: Any) -> Make:
    return partial(uc.evaluate_counts, tp=tp, fp=fp, fn=fn, tn=tn, **more)


def _scores(threshold: float | None = None, shape: Callable[[Any], Any] = lambda s: s, **how: Any) -> Make:
    def make() -> Any:
        y, s = _rows(**how)
        return uc.evaluate(y, shape(s), threshold=threshold, **FEW)

    return make


def _with(words: Callable[[Any], dict[str, Any]], **how: Any) -> Make:
    def make() -> Any:
        y, s = _rows(**how)
        return uc.evaluate(y, s, **words(len(y)), **FEW)

    return make


def _perfect() -> Any:
    y = np.arange(200) % 4 == 0
    return uc.evaluate(y, np.where(y, 0.8, 0.2) + np.arange(200) / 2000)


def _one_positive() -> Any:
    return uc.evaluate(np.arange(100) == 97, np.linspace(0, 1, 100))


def _classes(truth: Any, predicted: Any) -> Any:
    return uc.evaluate(truth, predicted=predicted, **FEW)


def _confused(n: int, k: int, right: float, seed: int = 0, shares: Any = None) -> Make:
    """Labels of k classes, so many of them right and the others drawn at random."""

    def make() -> Any:
        rng = np.random.default_rng(seed)
        y = rng.choice(k, n, p=shares)
        return _classes(y, np.where(rng.random(n) < right, y, rng.choice(k, n, p=shares)))

    return make


def _wheel(tilt: float) -> Make:
    """A roulette wheel with 38 slots, whose outcomes a player predicts: right more often by `tilt`."""

    def make() -> Any:
        rng = np.random.default_rng(38)
        slot = rng.integers(38, size=8000)
        return _classes(slot, np.where(rng.random(8000) < tilt, slot, rng.integers(38, size=8000)))

    return make


def _models(metrics: Any = None, share: float = 0.2, n: int = 800, **strengths: float) -> Make:
    def make() -> Any:
        rng = np.random.default_rng(5)
        y = rng.random(n) < share
        common = rng.normal(size=n)
        s = {
            name: 1 / (1 + np.exp(-(0.8 * common + 0.6 * rng.normal(size=n) + clear * y - 1.2)))
            for name, clear in strengths.items()
        }
        return uc.compare(y, s, metrics=metrics, **FEW)

    return make


def _apart(metrics: Any = None, **counts: tuple[int, int, int, int]) -> Make:
    names = ("tp", "fp", "fn", "tn")
    tables = {name: uc.Counts(**dict(zip(names, cells, strict=True))) for name, cells in counts.items()}
    return lambda: uc.compare(tables, metrics=metrics)


def _shifted_threshold() -> Any:
    y, s = _rows(n=2000, share=0.2)
    return uc.compare(y, {"low": s, "high": s}, threshold={"low": 0.3, "high": 0.7}, **FEW)


def _majority(several: bool) -> Make:
    def make() -> Any:
        rng = np.random.default_rng(2)
        if not several:
            y, s = _rows(n=800, share=0.1, clear=2.0)
            return uc.compare(y, {"m": s}, baselines=["majority"], **FEW)
        y = rng.choice(3, 500, p=[0.6, 0.3, 0.1])
        s = np.eye(3)[y] * 0.4 + rng.random((500, 3))
        return uc.compare(y, {"m": s / s.sum(1, keepdims=True)}, baselines=["majority"], **FEW)

    return make


def _gate(noise: float, **asked: Any) -> Make:
    def make() -> Any:
        rng = np.random.default_rng(9)
        y = rng.random(1500) < 0.3
        old = y + rng.normal(size=1500)
        return uc.gate(y, old + noise * rng.normal(size=1500), old, **asked)

    return make


def _by(gap: float, n: int = 900) -> Make:
    def make() -> Any:
        rng = np.random.default_rng(4)
        y, place = rng.random(n) < 0.3, np.arange(n) % 3
        s = 1 / (1 + np.exp(-(rng.normal(size=n) + np.where(place == 2, 1.5 - gap, 1.5) * y - 0.7)))
        site = np.array(["North", "South", "West"])[place]
        return uc.evaluate(y, s, by={"site": site}, metrics=["sensitivity", "auroc"], **FEW)

    return make


def _shift(prevalence: float, *cells: int) -> Make:
    return lambda: uc.shift_prevalence(_counts(*cells, design="case-control")(), prevalence=prevalence)  # type: ignore[arg-type]


def _real(clear: float, share: float = 0.1) -> Make:
    return lambda: uc.indistinguishability(*_rows(n=600, share=share, clear=clear), **FEW)


def _grouped(n: int) -> dict[str, Any]:
    return {"groups": np.arange(n) // 4}


def _folded(n: int) -> dict[str, Any]:
    return {"folds": np.arange(n) % 5}


def _sampled(n: int) -> dict[str, Any]:
    return {"sampling_weights": 1 + np.arange(n) % 3}


SITUATIONS: dict[str, Make] = {
    # four counts
    "a good test": _counts(30, 20, 10, 140),
    "an excellent test": _counts(195, 4, 5, 796),
    "a weak test": _counts(60, 120, 40, 180),
    "no false positive": _counts(141, 0, 67, 31),
    "no error": _counts(40, 0, 0, 160),
    "no error in twenty cases": _counts(8, 0, 0, 12),
    "one positive, found": _counts(1, 0, 0, 99),
    "one positive, missed": _counts(0, 3, 1, 96),
    "twelve cases": _counts(3, 1, 1, 7),
    "one positive in a million": _counts(1, 1000, 0, 998_999),
    "nine positives": _counts(8, 3, 1, 188),
    "five positives": _counts(5, 10, 0, 485),
    "rare, detected": _counts(95, 990, 5, 98_910),
    "rare, mostly missed": _counts(10, 5, 90, 99_895),
    "a hundred in a million": _counts(70, 9000, 30, 990_900),
    "detectable, hardly useful": _counts(50_500, 50_000, 49_500, 50_000),
    "hardly worse": _counts(49_500, 50_000, 50_500, 50_000),
    "guessing, many cases": _counts(5000, 5000, 5000, 5000),
    "guessing, few cases": _counts(20, 50, 20, 50),
    "inconclusive": _counts(33, 80, 82, 205),
    "reversed": _counts(5, 60, 45, 90),
    "finds none": _counts(0, 30, 100, 270),
    "always negative": _counts(0, 0, 10, 90),
    "always positive": _counts(10, 90, 0, 0),
    "positives only": _counts(30, 0, 10, 0),
    "negatives only": _counts(0, 5, 0, 95),
    "accuracy near the majority": _counts(20, 30, 80, 1870),
    "accuracy above the majority": _counts(80, 20, 20, 880),
    "accuracy of one percent": _counts(1, 980, 10, 9),
    "positives in the majority": _counts(900, 30, 20, 50),
    "J of one half, half positive": _counts(75, 25, 25, 75),
    "very sensitive": _counts(99, 400, 1, 500),
    "very specific": _counts(30, 1, 70, 899),
    "accuracy 0.9999": _counts(99_950, 5, 5, 40),
    "a level of 99%": _counts(30, 20, 10, 140, confidence_level=0.99),
    # designs
    "case-control, good": _counts(109, 29, 11, 211, design="case-control"),
    "case-control, no false positive": _counts(60, 0, 40, 100, design="case-control"),
    "case-control, guessing": _counts(50, 100, 50, 100, design="case-control"),
    "case-control, four cases": _counts(2, 0, 0, 2, design="case-control"),
    "clustered": _with(_grouped),
    "clustered, guessing": _with(_grouped, clear=0.0),
    "cross-validated": _with(_folded),
    "sampled": _with(_sampled),
    # scores
    "useless": _scores(clear=0.0),
    "inverted": _scores(clear=-2.5),
    "tiny": lambda: uc.evaluate([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.2]),
    "perfect": _perfect,
    "majority better": _scores(threshold=0.5, n=2000, share=0.05, clear=2.0),
    "imbalanced": _scores(threshold=0.5, n=20_000, share=0.005, clear=2.3),
    "constant": _scores(shape=lambda s: np.full(len(s), 0.3)),
    "one positive": _one_positive,
    "ties": _scores(shape=lambda s: np.floor(5 * s)),
    "ties, useless": _scores(shape=lambda s: np.floor(5 * s), clear=0.0),
    "a low threshold": _scores(threshold=0.05),
    "a threshold above every score": _scores(threshold=0.9999),
    "predictions as scores": _scores(shape=np.round),
    "too high probabilities": _scores(n=1500, shape=lambda s: s**0.3),
    "too extreme probabilities": _scores(n=1500, clear=1.5, shape=lambda s: 1 / (1 + ((1 - s) / s) ** 4)),
    "seven positives": _scores(n=60, share=0.12),
    # several classes
    "three classes": _confused(400, 3, 0.6),
    "three classes, perfect": _confused(300, 3, 1.0),
    "three classes, guessing": _confused(400, 3, 0.0),
    "ten classes, weak": _confused(500, 10, 0.15),
    "classes, one rare": _confused(600, 3, 0.5, shares=[0.9, 0.08, 0.02]),
    "classes, always the largest": lambda: _classes([0] * 60 + [1] * 30 + [2] * 10, [0] * 100),
    "classes, less accurate than the majority": _confused(600, 3, 0.1, shares=[0.8, 0.1, 0.1]),
    "a fair roulette wheel": _wheel(0.0),
    "a biased roulette wheel": _wheel(0.05),
    "six cases of three classes": lambda: _classes([0, 0, 1, 1, 2, 2], [0, 0, 1, 2, 2, 2]),
    # comparisons
    "detector and never": _apart(detector=(95, 990, 5, 98_910), never=(0, 0, 100, 99_900)),
    "one model better": _models(good=2.0, poor=0.5),
    "one model worse": _models(poor=0.5, good=2.0),
    "two alike": _models(one=1.5, other=1.5),
    "close models": _models(one=1.6, other=1.4, n=300),
    "one metric": _models(["auroc"], good=2.0, poor=0.5),
    "accuracy asked for first": _models(["accuracy", "auroc"], share=0.05, good=2.0, poor=0.5),
    "by net benefit": _models(["net_benefit(0.1)", "accuracy"], good=2.0, poor=0.5),
    "three models": _models(first=2.0, second=1.9, third=0.2),
    "one of three is best": _models(best=3.0, second=1.0, third=0.2),
    "same scores, other thresholds": _shifted_threshold,
    "against the majority": _majority(False),
    "classes against the majority": _majority(True),
    "independent cases": _apart(a=(90, 30, 10, 170), b=(70, 10, 30, 190)),
    "one metric, independent": _apart(["sensitivity"], a=(90, 30, 10, 170), b=(88, 30, 12, 170)),
    # gates
    "gate passes": _gate(0.05, margin=0.02),
    "gate is worse": _gate(3.0, margin=0.02),
    "gate cannot tell": _gate(0.4, margin=1e-4),
    "gate asks for better": _gate(1.0, margin=0.0),
    "gate requires": _gate(0.05, margin=0.02, require=["auroc >= 0.99"]),
    # prevalence of use, subgroups, indistinguishability
    "used where 1% are positive": _shift(0.01, 180, 10, 20, 190),
    "used where 60% are positive": _shift(0.6, 180, 10, 20, 190),
    "no false positive, used elsewhere": _shift(0.001, 60, 0, 40, 100),
    "subgroups alike": _by(0.0),
    "one subgroup worse": _by(1.4),
    "few cases in subgroups": _by(0.0, n=45),
    "indistinguishable, good": _real(3.0),
    "indistinguishable, weak": _real(0.8),
}


@cache
def made(name: str) -> Any:
    """Return the result of one situation, made once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return SITUATIONS[name]()


def said(result: Any) -> list[tuple[str, str]]:
    """Return what a result says: the label of each verdict, and its sentence."""
    if isinstance(result, uc.Comparison):
        more = [(each.verdict.value, each.sentence) for each in result.contests] if len(result.models) > 2 else []
        return [(result.verdict.value if not more else "", result.sentence), *more]
    if hasattr(result, "checks"):
        return [(result.verdict.value, result.sentence)]
    if hasattr(result, "beside"):
        return [("", result.full_sentence)]
    divided = result.subgroups if result.sample.by else None
    told = [("", divided.sentence), *((str(f.verdict), f.sentence) for f in divided.findings)] if divided else []
    return told or [(str(each.verdict), each.sentence) for each in result.findings]


def first_sentence(result: Any) -> str:
    """Return the first sentence of the page of one yes-or-no question with decisions; else nothing."""
    if not isinstance(result, uc.Evaluation) or result.sample.is_multiclass or not result.has_decisions:
        return ""
    if result.sample.by or result.findings[0].verdict == Verdict.ILLUSTRATION:  # at another prevalence: none of its own
        return ""
    asks = result.design == "case-control"
    right = result["precision"]
    limits = (right.low, right.high) if not right.undefined else (math.nan, math.nan)
    return answer(result.counts, None, limits, level=result.confidence_level, asks=asks)


def page() -> str:
    """Return the page: each situation with its verdicts and sentences."""
    parts = [_START]
    for name in SITUATIONS:
        result = made(name)
        lines = [f"- {f'*{verdict}*: ' if verdict else ''}{sentence}" for verdict, sentence in said(result)]
        first = first_sentence(result)
        lines += [f"- The page begins: {first}"] if first else []
        parts.append(f"## {name[0].upper()}{name[1:]}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
