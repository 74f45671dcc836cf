"""Which of several models is best, in one sentence: by the verdicts on all pairs of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unconfuse._plain import number_text

if TYPE_CHECKING:
    from unconfuse.results.comparison import PairedDifference

_MOST = 4  # names in one sentence


def best_first(pairs: Sequence[PairedDifference], models: Sequence[str]) -> tuple[str, ...]:
    """The models by their value in one metric, best first; as given where neither direction is better."""
    sign = {"higher": -1.0, "lower": 1.0}.get(pairs[0].difference.better, 0.0) if pairs else 0.0
    values = {name: math.inf if math.isnan(value) else sign * value for name, value in _values(pairs).items()}
    return tuple(sorted(models, key=lambda name: values.get(name, math.inf))) if sign else tuple(models)


def winner(pairs: Sequence[PairedDifference], models: Sequence[str]) -> str:
    """The model that is better than every other; else those that none beats, and what could tell them apart."""
    if len(pairs) < 2:
        return pairs[0].sentence if pairs else ""
    models = best_first(pairs, models)
    sure = [(each.first, each.second) for each in pairs if each.verdict == "better"]
    sure += [(each.second, each.first) for each in pairs if each.verdict == "worse"]
    best = [name for name in models if {(name, other) for other in models if other != name} <= set(sure)]
    if best:
        others = _listed(_with_values(pairs, [name for name in models if name not in best]))
        return f"{best[0]} is better than every other model by {pairs[0].label}: {_own(pairs, best)} against {others}."
    behind = {worse for _, worse in sure}
    left = [name for name in models if name not in behind]
    open_pairs = [each for each in pairs if each.first in left and each.second in left]
    told = f"These data cannot tell which is best by {pairs[0].label}: {_listed(_with_values(pairs, left))}"
    others = _listed(_with_values(pairs, [name for name in models if name in behind]))
    return f"{told}{f'; surely behind: {others}' if behind else ''}{_needed(open_pairs)}."


def _own(pairs: Sequence[PairedDifference], names: Sequence[str]) -> str:
    return number_text(_values(pairs)[names[0]])


def _with_values(pairs: Sequence[PairedDifference], names: Sequence[str]) -> list[str]:
    values = _values(pairs)
    return [f"{name} {number_text(values[name])}" for name in names]


def _values(pairs: Sequence[PairedDifference]) -> dict[str, float]:
    return {name: value for each in pairs for name, value in _both(each)}


def _both(pair: PairedDifference) -> list[tuple[str, float]]:
    return [(pair.first, pair.first_value), (pair.second, pair.second_value)]


def _listed(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = list(names[:_MOST]) + ([f"{len(names) - _MOST} more"] if len(names) > _MOST else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _needed(pairs: Sequence[PairedDifference]) -> str:
    """How many cases could tell the widest difference."""
    known = [each for each in pairs if math.isfinite(each.cases_needed)]
    if not known:
        return ""
    widest = max(known, key=lambda each: abs(each.difference.value))
    return f"; about {widest.cases_needed:,.0f} cases could tell {widest.first} and {widest.second}"
