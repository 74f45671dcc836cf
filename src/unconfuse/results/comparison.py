"""What a comparison says: paired differences with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy.typing as npt

from unconfuse import _cards
from unconfuse._doors import Drawable, room
from unconfuse._errors import ArgumentError, nearest
from unconfuse._plain import InRows, brief, number_text, p_text, strict_json, with_numbers
from unconfuse._refusals import Skipped
from unconfuse._sayings import times
from unconfuse._validate import check_text, in_words
from unconfuse.metrics import find_metric, key_of
from unconfuse.metrics.needs import no_threshold
from unconfuse.results.class_findings import assumed_columns
from unconfuse.results.decision_difference import DecisionDifference, decision_difference
from unconfuse.results.judged import Evaluations, evaluation_of_model
from unconfuse.results.leaderboard import Leaderboard, leaderboard_of
from unconfuse.results.subgroup_difference import Difference
from unconfuse.results.winner import best_first, winner
from unconfuse.table import Apart, Design, Sample
from unconfuse.table.sample import positives_of

_BY_CURVES = 4  # models up to which every pair's decision curves are compared without asking


@dataclass(frozen=True)
class PairedDifference(Difference):
    """How two models differ in one metric, on the same cases.

    Attributes
    ----------
    metric, label, first, second : str
    difference : Estimate
        Value of the first model less that of the second.
    p_value : float
        Of no difference at all; never 0. With several pairs of models it is adjusted: it holds for all at once.
    unadjusted_p_value : float
        As if this were the only pair.
    test : str
        Where the p-value comes from.
    verdict : {"better", "worse", "equivalent", "different", "cannot tell", "undefined"}
        Of the first model against the second.
    within_margin : bool or None
        Whether the difference is surely smaller than the margin; None without one.
    not_worse : bool or None
        Whether the first model is surely not worse by more than the margin; None without one.
    cases_needed : float
        About how many cases like these would tell a difference of this size in four of five studies, at the level of
        its interval: among several pairs, the adjusted one.
    """

    within_margin: bool | None = None
    not_worse: bool | None = None
    cases_needed: float = math.nan

    @property
    def sentence(self) -> str:
        """The verdict in plain words."""
        evidence = f" {self.difference.interval_text}, {self.p_words}"
        if math.isnan(self.difference.low):  # a p-value alone would claim more than the data show
            evidence = ", without an interval"
        numbers = (
            f"{self.label}: {number_text(self.first_value)} against {number_text(self.second_value)}, difference "
            f"{number_text(self.difference.value)}{evidence}"
        )
        if self.verdict == "undefined":
            return f"{self.first} and {self.second} cannot be compared by {self.label}: {self.difference.undefined}."
        if self.verdict == "cannot tell" and self.difference.low == 0 == self.difference.high:
            what = f"{self.label}: {number_text(self.first_value)} for both"
            return f"Nothing tells {self.first} and {self.second} apart here ({what})."
        if self.verdict == "cannot tell":
            return f"These data cannot tell {self.first} and {self.second} apart ({numbers}){self._needed()}."
        if self.verdict == "equivalent":
            return f"{self.first} and {self.second} are equivalent within the margin ({numbers})."
        words = f"{self.first} is {self.verdict} than {self.second}"
        if self.verdict == "different":
            words = f"{self.first} and {self.second} differ"
        return f"{words} ({numbers})" + (", though by less than the margin." if self.within_margin else ".")

    def _needed(self) -> str:
        if math.isnan(self.cases_needed):
            return ""
        return f"; to tell a difference of this size takes about {times(self.cases_needed)} cases"

    def reversed(self) -> PairedDifference:
        """The second model against the first."""
        d = self.difference
        swapped = {"better": "worse", "worse": "better"}.get(self.verdict, self.verdict)
        gap = replace(d, value=-d.value, low=-d.high, high=-d.low, ask=None)
        turned = replace(self, difference=gap, verdict=swapped, not_worse=None, first=self.second, second=self.first)
        return replace(turned, first_value=self.second_value, second_value=self.first_value)


@in_words
@dataclass(frozen=True, repr=False)
class Comparison(InRows, Drawable, Mapping[tuple[str, str, str], PairedDifference]):
    """All paired differences, by (metric, first model, second model) in either order.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.compare([1, 0, 1, 0], {"a": [.9, .2, .8, .1], "b": [.2, .9, .8, .1]}, metrics=["auroc"])
    >>> found["auroc", "a", "b"].difference.value, found["auroc", "b", "a"].difference.value
    (0.5, -0.5)
    """

    differences: Mapping[tuple[str, str, str], PairedDifference]
    metrics: tuple[str, ...]
    sample: Sample | Apart
    design: Design
    adjust: str = "max-t"
    margin: float | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.sample.models

    @property
    def paired(self) -> bool:
        """Whether all models were judged on the same cases."""
        return not isinstance(self.sample, Apart)

    @property
    def n(self) -> float:
        """Number of cases (sum of weights)."""
        return self.sample.n

    @property
    def positives(self) -> float:
        """Number of positives; NaN with several classes."""
        return math.nan if self.sample.several else self.sample.positives

    @property
    def skipped(self) -> Skipped:
        """Rows that were left out because they could not be used, by reason."""
        return self.sample.skipped

    @property
    def settings(self) -> dict[str, Any]:
        """How differences were made."""
        sample = self.sample
        what: dict[str, Any] = {"classes": list(sample.classes)}
        if not sample.several:
            origins = {name: sample.origins.get(name, "given") for name in sample.thresholds}
            what = {"thresholds": dict(sample.thresholds), "threshold_origins": origins}
        kind, how = sample.design_word(self.design), self.design
        sizes = {"confidence_level": how.confidence_level, "n_resamples": how.n_resamples, "seed": how.seed}
        return {"design": kind, "paired": self.paired, **sizes, "adjust": self.adjust, "margin": self.margin, **what}

    def decision_curve(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        at: npt.ArrayLike | None = None,
        kind: str = "simultaneous",
    ) -> DecisionDifference:
        """Net benefit of one model less that of another over threshold probabilities, with its band.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(0)
        >>> logit = rng.normal(size=2000)
        >>> y = rng.random(2000) < 1 / (1 + np.exp(-2 * logit))
        >>> good, poor = (1 / (1 + np.exp(-2 * logit - noise * rng.normal(size=2000))) for noise in (.2, 2))
        >>> cmp = uc.compare(y, {"good": good, "poor": poor}, metrics=["auroc"])
        >>> cmp.decision_curve("good", "poor").wins["poor"]
        []
        """
        names = [self.models[place] if name is None else name for place, name in enumerate((first, second))]
        for name in names:
            if check_text(name, "a model") not in self.models:
                raise ArgumentError(f"no model {brief(name)} in this comparison. {nearest(name, self.models)}")
        if isinstance(self.sample, Apart):
            raise ArgumentError("a decision curve of two models needs the same cases. Hint: draw each model's own.")
        return decision_difference(self.sample, names[0], names[1], self.design, at=at, kind=kind)

    @cached_property
    def decision_curves(self) -> tuple[DecisionDifference, ...]:
        """Every pair of the best four models by their decision curves; none where these cannot be compared."""
        best = self.best_first[:_BY_CURVES]
        pairs = combinations([name for name in self.models if name in best], 2)
        try:
            return tuple(self.decision_curve(*pair) for pair in pairs)
        except ArgumentError:  # no probabilities, groups, weights, or not the same cases
            return ()

    def __getitem__(self, key: tuple[str, str, str]) -> PairedDifference:
        if not isinstance(key, tuple) or len(key) != 3:
            raise ArgumentError(f"ask for (metric, first model, second model); got {brief(key)}.")
        metric, first, second = self._metric(key[0]), key[1], key[2]
        if (metric, first, second) in self.differences:
            return self.differences[metric, first, second]
        if (metric, second, first) in self.differences:
            return self.differences[metric, second, first].reversed()
        for name, known in ((metric, self.metrics), (first, self.models), (second, self.models)):
            if name not in known:
                raise ArgumentError(f"no {brief(name)} in this comparison. {nearest(name, known)}")
        raise ArgumentError(f"{first!r} and {second!r} were not compared with each other.")

    def _metric(self, name: str) -> str:
        """A metric's own name, from that or another of its names."""
        if name in self.metrics:
            return name
        alike = [own for own in self.metrics if isinstance(name, str) and key_of(own) == key_of(name)]
        if alike:
            return alike[0]
        try:
            return find_metric(name, several=self.sample.several).name
        except ArgumentError:
            return name

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __getstate__(self) -> dict[str, Any]:
        own = {key: vars(self)[key] for key in self.__dataclass_fields__}
        needs_rows = {"decision_curves": self.decision_curves}
        return {**own, "design": self.design.quietly(), "sample": self.sample.settled(), **needs_rows}

    @cached_property
    def evaluations(self) -> Evaluations:
        """Each model by itself, under the same design."""
        return Evaluations(self.models, lambda model: evaluation_of_model(self.sample, model, self.design))

    @property
    def cuts(self) -> str:
        """Where each model decides, and whose choice that was; of several classes, which column is which."""
        sample = self.sample
        if sample.several:
            return "" if isinstance(sample, Apart) else assumed_columns(sample)
        if not any(map(sample.is_scored, self.models)):
            return ""
        said = [f"{name} {sample.threshold_text(name).removeprefix('threshold ') or 'none'}" for name in self.models]
        cuts, undecided = f"Thresholds: {'; '.join(said)}.", [name for name in self.models if not sample.decides(name)]
        if not undecided:
            return cuts
        own = sample.only(undecided[0]) if isinstance(sample, Apart) else sample
        why, hint = no_threshold(own, own.only_model if isinstance(sample, Apart) else undecided[0])
        return f"{cuts} Decisions are not compared, because {why}. {hint[0].upper()}{hint[1:]}."

    @property
    def sentence(self) -> str:
        """The winner by the first metric, or that nobody can tell and how many cases could.

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, good = [1, 0] * 50, [.9, .2] * 50
        >>> cmp = uc.compare(y, {"good": good, "poor": [.4, .5] * 50, "other": good}, metrics=["sensitivity"])
        >>> print(cmp.sentence)
        These data cannot tell which is best by Sensitivity (recall, TPR): good 1.000 and other 1.000; surely behind: \
poor 0.000.
        """
        return winner(self._of_first_metric, self.models)

    @property
    def best_first(self) -> tuple[str, ...]:
        """Names of the models, best first by the first metric; as given if it says of no value that it is better."""
        return best_first(self._of_first_metric, self.models)

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """The models by the first metric, best first, in tiers that these data cannot tell apart."""
        return leaderboard_of(self._of_first_metric, self.models)

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """Draw the models' values and, of each, the difference from the best, best first; saved if a path is given."""
        plots = room("plots")
        drawn = plots.plot_leaderboard(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)

    @property
    def _of_first_metric(self) -> list[PairedDifference]:
        return [each for each in self.differences.values() if each.metric == self.metrics[0]]

    @property
    def findings(self) -> tuple[str, ...]:
        """One sentence for each pair, from the first metric."""
        return tuple(each.sentence for each in self._of_first_metric)

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each difference."""
        return [with_numbers(each) for each in self.differences.values()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """The whole comparison as plain values."""
        size = {"models": list(self.models), "n": self.n, "positives": self.positives}
        found = {"differences": self.rows(), "findings": list(self.findings), "skipped": self.skipped.as_dict()}
        return {**size, **self.settings, **found}

    def _standings_html(self) -> list[list[str]]:
        return [[_cards.text(cell, 40) for cell in line] for line in self.leaderboard.lines()]

    def __repr__(self) -> str:
        cases = f"{self.n:g} cases" if math.isnan(self.positives) else positives_of(self.positives, self.n)
        return f"Comparison of {', '.join(self.models)}: {len(self.metrics)} metrics, {cases}"

    def __str__(self) -> str:
        return "\n".join(
            [self.sentence, "", str(self.leaderboard), "", repr(self), *([self.cuts] if self.cuts else [])]
        )

    def _repr_html_(self) -> str:
        first = next(iter(self.differences.values()), None)
        ends = [abs(end) for each in self.differences.values() for end in (each.difference.low, each.difference.high)]
        reach = max((end for end in ends if math.isfinite(end)), default=0.0)
        rows = []
        for each in self.differences.values():
            _, *numbers = each.difference.cells_html((-reach, reach), 0.0)
            names = [f"{_cards.text(each.first, 16)} - {_cards.text(each.second, 16)}", *numbers]
            label = _cards.text(each.label.split(" (")[0], 28)
            rows.append([label, *names, p_text(each.p_value), each.verdict])
        return _cards.card(
            repr(self),
            _cards.table(["Tier", "Model", "Value", "Behind the best", "p"], self._standings_html(), numbers=[2]),
            _cards.table([], rows, numbers=[2]),
            _cards.quiet(f"Bars: from {number_text(-reach)} to {number_text(reach)}; tick: no difference. {self.cuts}"),
            verdict=self.sentence,
            tone=_cards.TONES.get(first.verdict if first and len(self.models) == 2 else "", ""),
        )
