"""Ten situations in which tools mislead, and what unconfuse says in each: `python docs/situations.py` writes the page.

`tests/surfaces/test_situations.py` makes the same table and checks each sentence against the numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import unconfuse as uc

PAGE = Path(__file__).with_name("situations.md")
_START = """# Ten situations that mislead

What unconfuse says where a bare number would mislead: its findings, word for word. This page is written by
`python docs/situations.py`, and a test holds it.
"""


def _rows(seed: int = 3, n: int = 400, share: float = 0.3, clear: float = 1.2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    return y, 1 / (1 + np.exp(-(rng.normal(size=n) + clear * y - 0.6)))


def useless() -> Any:
    """Scores that know nothing."""
    return uc.evaluate(*_rows(clear=0.0))


def inverted() -> Any:
    """Scores that are high for negatives: labels or signs swapped."""
    return uc.evaluate(*_rows(clear=-2.5))


def tiny() -> Any:
    """Four cases."""
    return uc.evaluate([1, 1, 0, 0], [0.9, 0.6, 0.4, 0.2])


def perfect() -> Any:
    """Every positive above every negative."""
    y = np.arange(200) % 4 == 0
    return uc.evaluate(y, np.where(y, 0.8, 0.2) + np.arange(200) / 2000)


def majority_better() -> Any:
    """A model that ranks well, and is less accurate than always saying no."""
    return uc.evaluate(*_rows(n=2000, share=0.05, clear=2.0), threshold=0.5)


def imbalanced() -> Any:
    """Six positives in a thousand, an AUROC of 0.95."""
    return uc.evaluate(*_rows(n=20_000, share=0.005, clear=2.3), threshold=0.5)


def constant() -> Any:
    """The same score for everyone."""
    y, _ = _rows()
    return uc.evaluate(y, np.full(len(y), 0.3))


def one_positive() -> Any:
    """One positive among a hundred."""
    s = np.linspace(0, 1, 100)
    return uc.evaluate(np.arange(100) == 97, s)


def ties() -> Any:
    """A points rule of five values, without a threshold."""
    y, s = _rows()
    return uc.evaluate(y, np.floor(5 * s))


def shifted() -> Any:
    """A good test, tried where half were ill, used where 1% are."""
    test = uc.evaluate_counts(tp=180, fp=10, fn=20, tn=190, design="case-control")
    return uc.shift_prevalence(test, prevalence=0.01)


SITUATIONS: dict[str, Callable[[], Any]] = {
    "useless": useless,
    "inverted": inverted,
    "tiny": tiny,
    "perfect": perfect,
    "majority better": majority_better,
    "imbalanced": imbalanced,
    "constant": constant,
    "one positive": one_positive,
    "ties": ties,
    "shifted": shifted,
}


def page() -> str:
    """The page: each situation with its data and its sentences."""
    parts = [_START]
    for name, make in SITUATIONS.items():
        said = "\n".join(f"- {finding.sentence}" for finding in make().findings)
        parts.append(f"## {name.capitalize()}\n\n*{make.__doc__}*\n\n{said}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
