"""What follows from models on the same items, in plain words that name to whom each number speaks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unconfuse._formatting import number_text
from unconfuse.policy import Verdict
from unconfuse.uncertainty.estimate import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.items import Items

_NAMED = 4  # models named in a sentence
_FEW = 20  # items or clusters: fewer were not simulated
_NARROWER = 0.95  # of the width of checked answers alone: above that, the judge is not worth its name


def findings_of(found: Items) -> tuple[Finding, ...]:
    """Return the findings, the answer first."""
    return tuple(
        finding for finding in (_first(found), *_runs(found), *_judges(found), *_few(found)) if finding is not None
    )


def _first(found: Items) -> Finding:
    best = found.models[0]
    estimate: Estimate = found[best]
    mean = f"{_score(found, best, estimate)} on new items like these {found.n_items:,}"
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    if len(found.models) == 1:
        return Finding("mean", "", f"{mean}.", numbers)
    told = {pair.second for pair in found.pairs if pair.first == best and pair.verdict == Verdict.BETTER}
    level = f"{found.confidence_level * 100:.4g}%"
    rest = [model for model in found.models[1:] if model not in told]
    what = "is right more often than" if found.is_binary else "scores higher than"
    together = "" if len(found.models) == 2 else f" (all {len(found.pairs)} pairs together at {level})"
    if not rest:
        others = "the other model" if len(told) == 1 else f"each of the other {len(told)}"
        other = found.models[1] if len(told) == 1 else others
        return Finding("leader", Verdict.BETTER, f"{mean}; it {what} {other}{together}.", numbers)
    behind = f" It {what} the other {len(told)}." if len(told) > 1 else f" It {what} {min(told)}." if told else ""
    sentence = f"{mean}, but these items cannot tell it from {_listed(rest)}{together}.{behind}"
    return Finding("leader", Verdict.CANNOT_TELL, sentence, numbers)


def _score(found: Items, model: str, own: Estimate) -> str:
    level = f"{own.confidence_level * 100:.4g}%"
    if found.is_binary:
        return (
            f"{model} is right in {_share(own.value)} of answers ({level} interval {_share(own.low)} to "
            f"{_share(own.high)})"
        )
    numbers = f"{number_text(own.low)} to {number_text(own.high)}"
    return f"{model} scores {number_text(own.value)} on average ({level} interval {numbers})"


def _share(value: float) -> str:
    return f"{100 * value:.1f}%"


def _listed(names: Sequence[str]) -> str:
    if len(names) > _NAMED:
        return f"{', '.join(names[: _NAMED - 1])} and {len(names) - _NAMED + 1} others"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _runs(found: Items) -> list[Finding]:
    if found.checks is not None:
        return []
    if not found.scores.has_runs:
        which = "some items have" if found.scores.runs.max() > 1 else "every item has"
        sentence = (
            "The intervals speak of new items, each asked as these were. How much a mean on the same items would vary "
            f"from run to run cannot be known: {which} one run."
        )
        return [Finding("runs", Verdict.CANNOT_TELL, sentence)]
    variance, runs = found.variance, float(found.scores.runs.mean())
    total = variance.items + variance.runs / runs
    if not total > 0:
        return []
    share, floor = variance.runs / runs / total, math.sqrt((variance.items + variance.runs / runs / 2) / total)
    advice = "More items." if floor > math.sqrt(0.5) + 0.05 else "More items or more runs do almost the same."
    sentence = (
        f"{_whole(1 - share)} of the variance of a mean comes from which items were asked, {_whole(share)} from the "
        f"runs. {advice} Twice the items narrow an interval for new items by 29%, twice the runs by "
        f"{_whole(1 - floor)}."
    )
    return [Finding("runs", "", sentence, {"items": variance.items, "runs": variance.runs, "share_of_runs": share})]


def _whole(share: float) -> str:
    return f"{100 * share:.0f}%"


def _judges(found: Items) -> list[Finding]:
    if found.checks is None:
        return []
    made = []
    for place, model in enumerate(found.models[:_NAMED]):
        judge, own = found.checks.of(place, found.confidence_level), found[model]
        adds = (
            f"its interval is {_whole(1 - judge.narrowing)} narrower than from the {judge.checked:,} checked alone"
            if judge.narrowing < _NARROWER
            else f"the rater adds nothing to the {judge.checked:,} checked"
        )
        sentence = (
            f"For {model} the rater alone gives {number_text(judge.judged)}; corrected by checks, "
            f"{number_text(own.value)} {own.interval_text}; {adds}. This holds if checked items were drawn at random."
        )
        made.append(Finding("judge", "", sentence, {"trust": judge.trust, "narrowing": judge.narrowing}))
    return made


def _few(found: Items) -> list[Finding]:
    groups = found.scores.n_clusters
    what = "items" if found.scores.cluster is None else "clusters"
    least = _FEW if found.scores.cluster is None else _FEW // 2
    if groups >= least:
        return []
    sentence = f"Only {groups} {what}: below {least} the intervals were not checked by simulation."
    return [Finding("few", "", sentence, {"n": float(groups)})]
