"""May a new model take the place of the old one? Three answers: pass, worse, cannot tell."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, number_text, short_label, strict_json
from unconfuse._phrases import times
from unconfuse._render_mixins import PlotMixin
from unconfuse._scipy_special import ndtr, ndtri
from unconfuse.policy import Verdict
from unconfuse.uncertainty import Estimate

_USUAL_POWER = 0.8


@dataclass(frozen=True)
class GateCheck:
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
    subgroup : str
        The subgroup that was looked at; empty for all cases.
    """

    name: str
    wanted: str
    verdict: Verdict
    estimate: Estimate
    sentence: str
    power: float = math.nan
    cases_needed: float = math.nan
    subgroup: str = ""

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        left_out = ("estimate",) if self.subgroup else ("estimate", "subgroup")
        own = {key: value for key, value in vars(self).items() if key not in left_out}
        return own | {"estimate": self.estimate.as_dict()}


@dataclass(frozen=True, repr=False)
class GateResult(TabularResult, PlotMixin):
    """The answer of a release gate, with all its checks.

    Attributes
    ----------
    checks : tuple of Check
    n : float
        Cases that both models scored.
    error_rate : float
        At most so often a model passes that is worse by the margin in a metric, and one that is worse in none is called
        worse, however many metrics, requirements and subgroups there are.
    looks : str
        How often data are looked at, if more than once: the error rate is that over all looks together.
    look : int
        Which look this is, where a state counts them; else 0.
    kept : {"pass", "worse"} or None
        The verdict of an earlier look, which stays; None if there was none.
    decided : str
        When it was reached, in words.
    """

    picture = "plot_estimates"

    checks: tuple[GateCheck, ...]
    n: float
    error_rate: float = 0.05
    looks: str = ""
    look: int = 0
    kept: Verdict | None = None
    decided: str = ""

    @property
    def drawn_estimates(self) -> dict[str, Estimate]:
        """What each check looked at, by its name, as the picture shows it."""
        return {f"{check.name} {check.subgroup} ({check.verdict})": check.estimate for check in self.checks}

    @property
    def verdict(self) -> Verdict:
        """Worse if one check says so; else "cannot tell" if one of all cases does; else pass.

        A subgroup for which the data are inconclusive does not hold up a release; it is listed. The first verdict of
        several looks stays.
        """
        if self.kept is not None:
            return self.kept
        verdicts = {check.verdict for check in self.checks}
        everyone = {check.verdict for check in self.checks if not check.subgroup}
        if Verdict.WORSE in verdicts:
            return Verdict.WORSE
        return Verdict.CANNOT_TELL if Verdict.CANNOT_TELL in everyone else Verdict.PASS

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return self.verdict is Verdict.PASS

    @property
    def sentence(self) -> str:
        """The answer in plain words."""
        if self.kept is not None:
            now = " ".join(check.sentence for check in self.checks)
            return f"{self.verdict.upper()}, {self.decided}. Now: {now}"
        decisive = [
            check.sentence
            for check in self.checks
            if check.verdict == self.verdict and (not check.subgroup or self.verdict is Verdict.WORSE)
        ]
        return f"{self.verdict.upper()}. {' '.join(decisive)}{self._unknown()}"

    @property
    def cannot_tell_subgroups(self) -> tuple[str, ...]:
        """Subgroups for which it is inconclusive whether the new model is worse by the margin."""
        return tuple(
            dict.fromkeys(
                check.subgroup for check in self.checks if check.subgroup and check.verdict is Verdict.CANNOT_TELL
            )
        )

    def _unknown(self) -> str:
        listed = self.cannot_tell_subgroups
        return (
            f" Inconclusive for the {'subgroup' if len(listed) == 1 else 'subgroups'} {', '.join(listed)}."
            if listed
            else ""
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each check."""
        columns = ("value", "low", "high")
        return [
            {"check": check.name, "wanted": check.wanted, "verdict": check.verdict}
            | {name: getattr(check.estimate, name) for name in columns}
            | {"power": check.power, "cases_needed": check.cases_needed}
            | ({"subgroup": check.subgroup} if any(gate_check.subgroup for gate_check in self.checks) else {})
            for check in self.checks
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        checks = [check.as_dict() for check in self.checks]
        whole = {"verdict": self.verdict, "sentence": self.sentence, "n": self.n, "error_rate": self.error_rate}
        decided = "" if self.kept is None else f"{self.kept}, {self.decided}"
        watched = {"looks": self.looks, "look": self.look, "decided": decided} if self.looks else {}
        return whole | watched | {"checks": checks}

    def to_junit(self) -> str:
        """JUnit XML: each check is a test case; what does not pass is a failure."""
        failures = sum(
            check.verdict is Verdict.WORSE or (check.verdict is not Verdict.PASS and not check.subgroup)
            for check in self.checks
        )
        head = f'<testsuite name="unconfuse gate" tests="{len(self.checks)}" failures="{failures}">'
        return "\n".join(
            ['<?xml version="1.0" encoding="UTF-8"?>', head, *map(_test_case, self.checks), "</testsuite>\n"]
        )

    def __repr__(self) -> str:
        return self.sentence

    def _repr_html_(self) -> str:
        lines = [
            [
                _html_repr.text(check.name),
                _html_repr.text(check.wanted),
                _html_repr.text(check.verdict),
                _html_repr.text(check.sentence, 200),
            ]
            for check in self.checks
        ]
        return _html_repr.card(
            "Gate", _html_repr.table(["check", "wanted", "answer", "why"], lines), verdict=self.sentence
        )


def _test_case(each: GateCheck) -> str:
    from xml.sax.saxutils import quoteattr  # brings network code along that nobody else needs

    where = f" ({each.subgroup})" if each.subgroup else ""
    head = f'  <testcase classname="gate" name={quoteattr(f"{each.name} {each.wanted}{where}")}'
    if each.verdict is Verdict.PASS:
        return f"{head}/>"
    if each.subgroup and each.verdict is Verdict.CANNOT_TELL:  # listed, but no failure
        return f"{head}><skipped message={quoteattr(each.sentence)}/></testcase>"
    return f"{head}><failure message={quoteattr(each.sentence)} type={quoteattr(each.verdict)}/></testcase>"


def not_worse(
    name: str,
    label: str,
    difference: Estimate,
    margin: float,
    n: float,
    *,
    lower_better: bool,
    worse: bool,
    reach: float | None = None,
) -> GateCheck:
    """Return whether the new model is not worse by more than the margin, or worse, beyond the allowed error.

    `difference` is new minus old, with an interval that leaves the allowed error rate on each side: all checks must
    pass, so none of them needs an adjustment (intersection-union). `worse` says whether it is worse among all checks,
    any of which may fail. `reach` says how many standard errors the interval reaches at one of several looks.
    """
    d = _turned(difference) if lower_better else difference
    wanted = f"not worse by {margin:g} or more" if margin else "better"
    told = f"Required: {_required(label, margin)}. New minus old: {difference.value_text} {difference.interval_text}"
    if difference.undefined or math.isnan(d.low):
        why = difference.undefined or "it has no interval"
        return GateCheck(name, wanted, Verdict.CANNOT_TELL, d, f"{label} cannot be compared: {why}.")
    verdict = Verdict.PASS if d.low > -margin else Verdict.WORSE if worse else Verdict.CANNOT_TELL
    # A model that is as good passes a margin; to be called better, it must be better: by as much as this one looks.
    effect = margin or max(d.value, 0.0)
    power, needed = _power(d, effect, n, reach)
    if verdict is Verdict.CANNOT_TELL:
        whose = "an equally good model" if margin else f"a model better by {number_text(effect)}"
        told += ", inconclusive" + ("" if math.isnan(needed) else _told(whose, power, needed))
    return GateCheck(name, wanted, verdict, d, f"{told}.", power, needed)


def _required(label: str, margin: float) -> str:
    return f"{short_label(label)} not worse by {margin:g} or more" if margin else f"better {short_label(label)}"


def _told(whose: str, power: float, needed: float) -> str:
    return f"; {whose} would pass {power:.0%} of the time here, and 80% of the time with about {times(needed)} cases"


def _turned(difference: Estimate) -> Estimate:
    """Return a difference on a scale on which more is better."""
    return replace(difference, value=-difference.value, low=-difference.high, high=-difference.low, recompute=None)


def _power(each: Estimate, effect: float, n: float, at_look: float | None = None) -> tuple[float, float]:
    """How often an effect of this size passes, and with how many cases four times of five."""
    reach = float(ndtri((1 + each.confidence_level) / 2)) if at_look is None else at_look
    error = (each.high - each.low) / (2 * reach) if at_look is None else each.standard_error
    if not (error > 0 and effect > 0):
        return math.nan, math.nan
    power = float(ndtr(effect / error - reach))
    needed = n * ((reach + float(ndtri(_USUAL_POWER))) * error / effect) ** 2
    return power, math.ceil(needed) if math.isfinite(needed) else math.nan


def required(
    estimate: Estimate, relation: str, bound: float, n: float, *, missed: bool, reach: float | None = None
) -> GateCheck:
    """Return whether the new model's own value meets a bound, or (`missed`, among all checks) misses it."""
    wanted = f"{relation} {bound:g}"
    label = short_label(estimate.label)
    told = f"Required: {label} {wanted}. New model: {number_text(estimate.value)} {estimate.interval_text}"
    if estimate.undefined or math.isnan(estimate.low):
        why = estimate.undefined or "it has no interval"
        return GateCheck(
            estimate.name, wanted, Verdict.CANNOT_TELL, estimate, f"{estimate.label} is not estimable: {why}."
        )
    met = estimate.high <= bound if relation == "<=" else estimate.low >= bound
    verdict = Verdict.PASS if met else Verdict.WORSE if missed else Verdict.CANNOT_TELL
    ahead = estimate.value - bound if relation == ">=" else bound - estimate.value
    power, needed = _power(estimate, ahead, n, reach)
    if verdict is Verdict.CANNOT_TELL:
        as_seen = _told("a model with this value", power, needed)
        told += ", inconclusive" + ("" if math.isnan(needed) else as_seen)
    return GateCheck(estimate.name, wanted, verdict, estimate, f"{told}.", power, needed)


def in_subgroup(contrast: Estimate, subgroup: str, margin: float, *, lower_better: bool, worse: bool) -> GateCheck:
    """Whether the new model is worse by the margin in a subgroup: surely (`worse`, among all subgroups), or not.

    `contrast` is new minus old, with the interval of this subgroup alone.
    """
    d = _turned(contrast) if lower_better else contrast
    wanted = f"not worse by {margin:g} or more" if margin else "not worse"
    told = f"{contrast.label} for {subgroup}: new minus old {number_text(contrast.value)} {contrast.interval_text}"
    if contrast.undefined or math.isnan(contrast.low):
        told = f"{contrast.label} for {subgroup}: {contrast.undefined or 'too few cases for an interval'}"
    verdict = Verdict.WORSE if worse else Verdict.PASS if d.low > -margin else Verdict.CANNOT_TELL
    return GateCheck(contrast.name, wanted, verdict, d, f"{told}.", subgroup=subgroup)


def worst_first(checks: Sequence[GateCheck]) -> tuple[GateCheck, ...]:
    """In the order in which people need them."""
    order = (Verdict.WORSE, Verdict.CANNOT_TELL, Verdict.PASS)
    return tuple(sorted(checks, key=lambda each: order.index(each.verdict)))
