"""May a new model take the place of the old one? Three answers: pass, worse, cannot tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unconfuse import _cards
from unconfuse._plain import InRows, number_text, strict_json
from unconfuse._special import ndtr, ndtri
from unconfuse.uncertainty import Estimate

PASS, WORSE, CANNOT_TELL = "pass", "worse", "cannot tell"
_USUAL_POWER = 0.8


@dataclass(frozen=True)
class Check:
    """One condition of a gate, with its answer.

    Attributes
    ----------
    name, wanted : str
        What was looked at, and what it must show.
    verdict : {"pass", "worse", "cannot tell"}
    estimate : Estimate
        The difference of the two models (turned so that more is better), or the new model's own value.
    sentence : str
    power : float
        How often a new model passes that is as good as the old one; with a margin of 0 and for a requirement, one that
        is as good as this one looks. NaN where such a model ought not to pass.
    cases_needed : float
        About how many cases like these let such a model pass four times of five.
    """

    name: str
    wanted: str
    verdict: str
    estimate: Estimate
    sentence: str
    power: float = math.nan
    cases_needed: float = math.nan

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {key: value for key, value in vars(self).items() if key != "estimate"}
        return own | {"estimate": self.estimate.as_dict()}


@dataclass(frozen=True, repr=False)
class Gate(InRows):
    """The answer of a release gate, with all its checks.

    Attributes
    ----------
    checks : tuple of Check
    n : float
        Cases that both models scored.
    error_rate : float
        Of "pass" for a model that is worse by the margin, and of "worse" for one that is not worse.
    """

    checks: tuple[Check, ...]
    n: float
    error_rate: float = 0.05

    @property
    def verdict(self) -> str:
        """Worse if one check says so; else "cannot tell" if one does; else pass."""
        found = {each.verdict for each in self.checks}
        return WORSE if WORSE in found else CANNOT_TELL if CANNOT_TELL in found else PASS

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.verdict == PASS

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        decisive = [each.sentence for each in self.checks if each.verdict == self.verdict]
        return f"{self.verdict.capitalize()}: {' '.join(decisive)}"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each check."""
        columns = ("value", "low", "high")
        return [
            {"check": each.name, "wanted": each.wanted, "verdict": each.verdict}
            | {name: getattr(each.estimate, name) for name in columns}
            | {"power": each.power, "cases_needed": each.cases_needed}
            for each in self.checks
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        checks = [each.as_dict() for each in self.checks]
        whole = {"verdict": self.verdict, "sentence": self.sentence, "n": self.n, "error_rate": self.error_rate}
        return whole | {"checks": checks}

    def to_junit(self) -> str:
        """JUnit XML: each check is a test case; what does not pass is a failure."""
        failures = sum(each.verdict != PASS for each in self.checks)
        head = f'<testsuite name="unconfuse gate" tests="{len(self.checks)}" failures="{failures}">'
        return "\n".join(
            ['<?xml version="1.0" encoding="UTF-8"?>', head, *map(_test_case, self.checks), "</testsuite>\n"]
        )

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        lines = [
            [
                _cards.text(each.name),
                _cards.text(each.wanted),
                _cards.text(each.verdict),
                _cards.text(each.sentence, 200),
            ]
            for each in self.checks
        ]
        return _cards.card("Gate", _cards.table(["check", "wanted", "answer", "why"], lines), verdict=self.sentence)


def _test_case(each: Check) -> str:
    from xml.sax.saxutils import quoteattr  # brings network code along that nobody else needs

    head = f'  <testcase classname="gate" name={quoteattr(f"{each.name} {each.wanted}")}'
    if each.verdict == PASS:
        return f"{head}/>"
    return f"{head}><failure message={quoteattr(each.sentence)} type={quoteattr(each.verdict)}/></testcase>"


def not_worse(name: str, label: str, difference: Estimate, margin: float, n: float, *, lower_better: bool) -> Check:
    """Whether the new model is surely not worse by more than the margin, or surely worse.

    `difference` is new less old, with an interval that leaves the allowed error rate on each side.
    """
    d = _turned(difference) if lower_better else difference
    wanted = f"not worse by {margin:g} or more" if margin else "better"
    told = f"{label} of the new model less the old one is {number_text(difference.value)} {difference.interval_text}"
    if difference.undefined or math.isnan(d.low):
        why = difference.undefined or "it has no interval"
        return Check(name, wanted, CANNOT_TELL, d, f"{label} cannot be compared: {why}.")
    verdict = PASS if d.low > -margin else WORSE if d.high < 0 else CANNOT_TELL
    # A model that is as good passes a margin; to be called better, it must be better: by as much as this one looks.
    effect = margin or max(d.value, 0.0)
    power, needed = _power(d, effect, n)
    if verdict == CANNOT_TELL:
        whose = "an equally good model" if margin else f"a model better by {number_text(effect)}"
        told += "" if math.isnan(needed) else _told(whose, power, needed)
    return Check(name, wanted, verdict, d, f"{told}.", power, needed)


def _told(whose: str, power: float, needed: float) -> str:
    return f"; {whose} would pass {power:.0%} of the time here, and 80% of the time with about {needed:,.0f} cases"


def _turned(difference: Estimate) -> Estimate:
    """The same on a scale on which more is better."""
    return replace(difference, value=-difference.value, low=-difference.high, high=-difference.low, ask=None)


def _power(each: Estimate, effect: float, n: float) -> tuple[float, float]:
    """How often an effect of this size passes, and with how many cases four times of five."""
    reach = float(ndtri((1 + each.confidence_level) / 2))
    error = (each.high - each.low) / (2 * reach)
    if not (error > 0 and effect > 0):
        return math.nan, math.nan
    power = float(ndtr(effect / error - reach))
    needed = n * ((reach + float(ndtri(_USUAL_POWER))) * error / effect) ** 2
    return power, math.ceil(needed) if math.isfinite(needed) else math.nan


def required(estimate: Estimate, relation: str, bound: float, n: float) -> Check:
    """Whether the new model's own value surely meets a bound, or surely misses it."""
    wanted = f"{relation} {bound:g}"
    told = f"{estimate.label} is {number_text(estimate.value)} {estimate.interval_text}"
    if estimate.undefined or math.isnan(estimate.low):
        why = estimate.undefined or "it has no interval"
        return Check(estimate.name, wanted, CANNOT_TELL, estimate, f"{estimate.label} is not known: {why}.")
    met, missed = estimate.low >= bound, estimate.high < bound
    if relation == "<=":
        met, missed = estimate.high <= bound, estimate.low > bound
    verdict = PASS if met else WORSE if missed else CANNOT_TELL
    words = {PASS: "as required", WORSE: "which surely misses", CANNOT_TELL: "which may or may not meet"}[verdict]
    ahead = estimate.value - bound if relation == ">=" else bound - estimate.value
    power, needed = _power(estimate, ahead, n)
    told += f", {words} {wanted}"
    if verdict == CANNOT_TELL:
        told += "" if math.isnan(needed) else _told("a model that is what this one looks like", power, needed)
    return Check(estimate.name, wanted, verdict, estimate, f"{told}.", power, needed)


def worst_first(checks: Sequence[Check]) -> tuple[Check, ...]:
    """In the order in which people need them."""
    order = (WORSE, CANNOT_TELL, PASS)
    return tuple(sorted(checks, key=lambda each: order.index(each.verdict)))
