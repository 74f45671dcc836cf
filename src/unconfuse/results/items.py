"""What `items` returns: models on the same items, with intervals for new items, all pairs, tiers, runs and planning."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, InputError, UnknownNameError, argument_name, did_you_mean
from unconfuse._formatting import FrozenMapping, TabularResult, number_text, p_text, short_repr, strict_json, whole
from unconfuse._render_mixins import PlotMixin, Reported
from unconfuse._validate import check_number, check_whole, public_api
from unconfuse.multilevel import items as levels
from unconfuse.multilevel.items import ItemScores, ItemVarianceSplit
from unconfuse.multilevel.pairs import Differences, differences, tiers
from unconfuse.policy import Verdict
from unconfuse.results.item_plan import ItemPlan, planned
from unconfuse.results.item_raters import VerifiedItems
from unconfuse.table import Array
from unconfuse.uncertainty.estimate import Estimate, Finding


@dataclass(frozen=True)
class ItemVariance:
    """Variance of one answer's score: between items, and between runs of one item; averaged over models, or of one."""

    models: Mapping[str, ItemVarianceSplit]

    @property
    def items(self) -> float:
        """Variance between items (of clusters of items too), averaged over models."""
        return float(np.mean([model.items for model in self.models.values()]))

    @property
    def runs(self) -> float:
        """Variance between runs of one item, averaged over models."""
        return float(np.mean([model.runs for model in self.models.values()]))

    def __getitem__(self, model: str) -> ItemVarianceSplit:
        return self.models[model]

    def __repr__(self) -> str:
        return f"ItemVariance(items={number_text(self.items)}, runs={number_text(self.runs)})"


@dataclass(frozen=True)
class ItemPair:
    """Two models on the same items: first minus second, which holds together with all other pairs."""

    first: str
    second: str
    difference: Estimate
    p_value: float
    unadjusted_p_value: float
    sentence: str

    @property
    def verdict(self) -> Verdict:
        """Whether the first is better, worse, or the data cannot tell."""
        estimate = self.difference
        return Verdict.BETTER if estimate.low > 0 else Verdict.WORSE if estimate.high < 0 else Verdict.CANNOT_TELL

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        own = {"first": self.first, "second": self.second, "verdict": self.verdict, "sentence": self.sentence}
        tests = {"p_value": self.p_value, "unadjusted_p_value": self.unadjusted_p_value}
        return own | tests | self.difference.as_dict()

    def __str__(self) -> str:
        return self.sentence


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Items(TabularResult, PlotMixin, Reported):
    """Models on the same items.

    `it["a"]` is the mean of a model with its interval for new items like these; `it["a", "b"].difference` the paired
    difference, simultaneous over all pairs.

    Attributes
    ----------
    models : tuple of str
        Highest mean first.
    scores : ItemScores
        Means, variances and numbers of runs, of items by models; of judged answers what the judge said.
    confidence_level : float
    is_binary : bool
        Whether every answer is right or wrong.
    checks : VerifiedItems or None
        What people said of some judged answers.
    """

    models: tuple[str, ...]
    scores: ItemScores = field(repr=False)
    confidence_level: float = 0.95
    is_binary: bool = True
    checks: VerifiedItems | None = field(default=None, repr=False)
    picture = "plot_items"

    @property
    def n_items(self) -> int:
        """Number of items."""
        return self.scores.n_items

    @property
    def name(self) -> str:
        """What is averaged: accuracy of right or wrong answers, or the mean score."""
        return "accuracy" if self.is_binary else "mean_score"

    @property
    def size_words(self) -> str:
        """How many items, clusters, runs and checks there are."""
        runs = self.scores.runs
        some = f"{runs.min()} to {runs.max()}" if runs.min() < runs.max() else f"{runs.min()}"
        words = [f"{self.n_items:,} items"]
        words += [f"{self.scores.n_clusters:,} clusters"] if self.scores.cluster is not None else []
        words += [f"{some} runs each"] if runs.max() > 1 else []
        return ", ".join(words)

    def __getitem__(self, model: Any) -> Any:
        if isinstance(model, tuple):
            if len(model) != 2:
                raise ArgumentError(f"a pair must be two models; got {short_repr(model)}.")
            first, second = map(self._place, model)
            return self._pair(first, second, self.confidence_level)
        return self._estimates[self.models[self._place(model)]]

    def __iter__(self) -> Any:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def _place(self, model: object) -> int:
        if model not in self.models:
            raise UnknownNameError(f"there is no model {short_repr(model)}. {did_you_mean(str(model), self.models)}")
        return self.models.index(str(model))

    @cached_property
    def _estimates(self) -> dict[str, Estimate]:
        return {model: self.estimate(model) for model in self.models}

    def estimate(self, model: str, *, confidence_level: float | None = None, method: str | None = None) -> Estimate:
        """Return the mean of a model with its interval for new items (and new runs) like these."""
        _refuse_method(method)
        level = self.confidence_level if confidence_level is None else confidence_level
        again = partial(self.estimate, model)
        if self.checks is not None:
            return self.checks.estimate(self._place(model), model, self.name, level, again)
        values = self.scores.mean[:, self._place(model)]
        error = math.sqrt(levels.clustered_variance(values, self.scores))
        limits = levels.mean_limits(values, self.scores, level)
        return self._made(model, self.name, values, limits, level, error, "new items like these", again)

    def _made(
        self,
        model: str,
        name: str,
        values: Array,
        limits: tuple[float, float, str],
        level: float,
        error: float,
        new: str,
        ask: Callable[..., Estimate] | None = None,
    ) -> Estimate:
        context = f"{short_repr(model)} on {self.size_words}; for {new}"
        low, high, method = limits
        return Estimate(
            name,
            model,
            levels.mean_of(values),
            low,
            high,
            level,
            method,
            conditions=context,
            standard_error=error,
            recompute=ask,
        )

    def same_items(self, model: str) -> Estimate:
        """Return the mean of a model with its interval for new runs of these very items."""
        self._require_runs("how much a mean on the same items varies from run to run")
        place = self._place(model)
        low, high, error = levels.same_items_limits(self.scores, place, self.confidence_level)
        values, level = self.scores.mean[:, place], self.confidence_level
        new = "new runs of the same items"
        return self._made(model, self.name, values, (low, high, levels.WILSON), level, error, new)

    def _require_runs(self, what: str) -> None:
        if self.checks is not None:
            raise InputError(f"rated answers do not support this: {what} is not known from checks on some of them.")
        if not self.scores.has_runs:
            once = int((self.scores.runs < 2).any(axis=1).sum())
            each = "every item has one run" if once == self.n_items else f"{once:,} items have one run"
            raise InputError(
                f"{each}: {what} cannot be known. Hint: run every item at least twice, and name the column of runs, "
                f"{argument_name('run', 'name')}."
            )

    @cached_property
    def variance(self) -> ItemVariance:
        """Variance between items and between runs; refused where items have one run."""
        self._require_runs("the variance between runs")
        found = {model: levels.split(self.scores, (place,)) for place, model in enumerate(self.models)}
        return ItemVariance(FrozenMapping(found))

    def pass_at(self, k: int) -> Mapping[str, Estimate]:
        """Return pass@k of each model: the chance that at least one of k runs is right (unbiased)."""
        return self._passes(k, levels.pass_at, "pass_at")

    def pass_hat(self, k: int) -> Mapping[str, Estimate]:
        """Return pass^k of each model: the chance that all of k runs are right (unbiased)."""
        return self._passes(k, levels.pass_hat, "pass_hat")

    def _passes(self, k: int, share: Callable[..., Array], name: str) -> Mapping[str, Estimate]:
        k = check_whole(k, "k", at_least=1)
        if self.checks is not None:
            raise InputError("pass@k does not support a rater: it counts right answers. Hint: leave `judge` out.")
        if not self.is_binary:
            raise InputError("pass@k requires answers that are right or wrong; these are scores between 0 and 1.")
        fewest = int(self.scores.runs.min())
        if k > fewest:
            raise InputError(
                f"pass@{k} requires at least {k} runs of every item; some have {fewest}. Hint: choose k of at most "
                f"{fewest}, or run every item more often and name the column, {argument_name('run', 'name')}."
            )
        return FrozenMapping(
            {model: self._pass(place, k, share, f"{name}_{k}") for place, model in enumerate(self.models)}
        )

    def _pass(self, place: int, k: int, share: Callable[..., Array], name: str) -> Estimate:
        runs = self.scores.runs[:, place]
        values = share(np.rint(self.scores.mean[:, place] * runs).astype(np.int64), runs, k)
        limits = levels.mean_limits(values, self.scores, self.confidence_level)
        error = math.sqrt(levels.clustered_variance(values, self.scores))
        model, level = self.models[place], self.confidence_level
        return self._made(model, name, values, limits, level, error, "new items like these")

    @cached_property
    def _differences(self) -> Differences:
        return differences(self.scores)

    @cached_property
    def _critical(self) -> float:
        return self._differences.critical(self.confidence_level)

    def _pair(self, first: int, second: int, level: float) -> ItemPair:
        if first == second:
            raise ArgumentError(f"a pair must be two different models; got {short_repr(self.models[first])} twice.")
        names = self.models[first], self.models[second]
        n_pairs = len(self.models) * (len(self.models) - 1) // 2
        if self.checks is not None:
            label = f"{self.name}_difference", f"{names[0]} minus {names[1]}"
            estimate, p, alone = self.checks.difference(first, second, label, level, n_pairs)
        else:
            estimate, p, alone = self._paired(first, second, level, n_pairs)
        return ItemPair(*names, estimate, p, alone, _pair_sentence(names, estimate, p, n_pairs, self.is_binary))

    def _paired(self, first: int, second: int, level: float, n_pairs: int) -> tuple[Estimate, float, float]:
        every = self._differences
        value, error = float(every.value[first, second]), float(every.error[first, second])
        critical = self._critical if level == self.confidence_level else every.critical(level)
        low, high = max(-1.0, value - critical * error), min(1.0, value + critical * error)
        together = "" if n_pairs == 1 else f", all {n_pairs} pairs together"
        method = "paired t" if n_pairs == 1 else "paired max-t"
        p, alone = (every.p_value(value / error, adjusted=each) for each in (True, False))
        label = f"{self.models[first]} minus {self.models[second]}"
        context = f"{self.size_words}{together}; for new items like these"
        estimate = Estimate(
            f"{self.name}_difference", label, value, low, high, level, method, conditions=context, standard_error=error
        )
        return estimate, p, alone

    @cached_property
    def pairs(self) -> tuple[ItemPair, ...]:
        """Every pair of models, the one with the higher mean first."""
        return tuple(
            self._pair(*combination, self.confidence_level) for combination in combinations(range(len(self.models)), 2)
        )

    @cached_property
    def _told(self) -> Any:
        told = np.zeros((len(self.models), len(self.models)), dtype=bool)
        for pair in self.pairs:
            first, second = self._place(pair.first), self._place(pair.second)
            told[first, second] = told[second, first] = pair.verdict != Verdict.CANNOT_TELL
        return told

    @cached_property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """Every largest set of models of which no two are told apart, best first; they overlap."""
        return tuple(tuple(self.models[place] for place in tier) for tier in tiers(self._told))

    @cached_property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """Between which ranks each model lies, all together: 1 + how many are better, to all less those worse."""
        better = dict.fromkeys(self.models, 0)
        worse = dict(better)
        for pair in self.pairs:
            if pair.verdict != Verdict.CANNOT_TELL:
                ahead, behind = (
                    (pair.first, pair.second) if pair.verdict == Verdict.BETTER else (pair.second, pair.first)
                )
                better[behind] += 1
                worse[ahead] += 1
        return FrozenMapping({model: (1 + better[model], len(self.models) - worse[model]) for model in self.models})

    def plan(self, width: float, *, of: Any = None, item_cost: float = 0.0) -> ItemPlan:
        """Return how many items, and how many runs of each, an interval of this width needs.

        Parameters
        ----------
        width : float
            From the lower to the upper limit, such as 0.05.
        of : str or (str, str), optional
            A model, or two whose difference is meant. By default the model whose mean varies most.
        item_cost : float
            What a new item costs besides its runs, in units of one run: 20 if writing one costs as much as 20 answers.
        """
        if self.checks is not None:
            raise InputError("`plan` does not support a rater. Hint: plan from answers that people scored.")
        width, cost = check_number(width, "width"), check_number(item_cost, "item_cost")
        if not 0 < width < 1:
            raise ArgumentError(f"`width` must lie between 0 and 1; got {width:g}.")
        if not 0 <= cost < math.inf:
            raise ArgumentError(f"`item_cost` must be at least 0; got {cost:g}.")
        if of is None:
            own = (levels.clustered_variance(self.scores.mean[:, place], self.scores) for place in range(len(self)))
            of = self.models[int(np.argmax(list(own)))]
        names = of if isinstance(of, tuple) else (of,)
        return planned(self.scores, tuple(map(self._place, names)), names, width, self.confidence_level, cost)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What follows, in plain words: who leads, for whom the numbers speak, items or runs, what the judge adds."""
        from unconfuse.results.item_findings import findings_of

        return findings_of(self)

    @property
    def sentence(self) -> str:
        """The first finding."""
        return self.findings[0].sentence

    def rows(self) -> list[dict[str, Any]]:
        """One row for each model, best first."""
        return [self._row(model) for model in self.models]

    def _row(self, model: str) -> dict[str, Any]:
        found, ranks = self[model], self.ranks[model]
        split = self.variance[model] if self.scores.has_runs and self.checks is None else None
        return {
            "model": model,
            self.name: found.value,
            "low": found.low,
            "high": found.high,
            "best_rank": ranks[0],
            "worst_rank": ranks[1],
            "items": self.n_items,
            "runs": whole(float(self.scores.runs[:, self._place(model)].mean())),
            "variance_items": math.nan if split is None else split.items,
            "variance_runs": math.nan if split is None else split.runs,
            "method": found.method,
        }

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "n_items": self.n_items,
            "n_clusters": None if self.scores.cluster is None else self.scores.n_clusters,
            "confidence_level": self.confidence_level,
            "models": self.rows(),
            "pairs": [pair.as_dict() for pair in self.pairs],
            "tiers": [list(tier) for tier in self.tiers],
            "judge": None if self.checks is None else self.checks.as_dict(self.models, self.confidence_level),
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __str__(self) -> str:
        return "\n".join([*(finding.sentence for finding in self.findings), *map(str, self._estimates.values())])

    def __repr__(self) -> str:
        return f"Items({len(self.models)} models, {self.size_words}): {self.sentence}"

    def _repr_html_(self) -> str:
        lines = [
            [*_cells(model, estimate), "-".join(map(str, dict.fromkeys(self.ranks[model])))]
            for model, estimate in self._estimates.items()
        ]
        level = f"{self.confidence_level * 100:.4g}%"
        table = _html_repr.table(["model", self.name.replace("_", " "), level, "", "rank"], lines, numbers=[1])
        return _html_repr.card("Models on the same items", table, verdict=self.sentence, notes=[self.size_words])


def _cells(model: str, found: Estimate) -> list[str]:
    bar = _html_repr.bar(found.value, found.low, found.high, (0.0, 1.0))
    return [_html_repr.text(model, 28), number_text(found.value), found.interval_text, bar]


def _refuse_method(method: str | None) -> None:
    if method is not None:
        raise ArgumentError(f"a mean over items has one interval; `method` must be left out; got {short_repr(method)}.")


def _pair_sentence(names: tuple[str, str], found: Estimate, p: float, n_pairs: int, is_binary: bool) -> str:
    """State the difference with its sign and interval, and whether the interval excludes 0."""
    if math.isnan(found.value):
        return f"{names[0]} vs {names[1]}: not estimable, {found.undefined}."
    what = "is right more often than" if is_binary else "scores higher than"
    numbers = f"difference {number_text(found.value)} {found.interval_text}"
    tests = f"{'' if n_pairs == 1 else 'adjusted '}{p_text(p)}"
    if found.low > 0:
        return f"On new items like these, {names[0]} {what} {names[1]}: {numbers}, {tests}."
    if found.high < 0:
        return (
            f"On new items like these, {names[1]} {what} {names[0]}: {numbers} ({names[0]} minus {names[1]}), {tests}."
        )
    return f"These items cannot tell {names[0]} from {names[1]}: {numbers}, {tests}."
