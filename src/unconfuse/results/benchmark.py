"""Models over many data sets: differences, the next data set, ranks, and the classical tests beside them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult, number_text, p_text, places_text, short_repr, strict_json
from unconfuse._render_mixins import PlotMixin, Reported
from unconfuse._validate import check_number, check_seed, public_api
from unconfuse.multilevel import benchmarks as tests
from unconfuse.multilevel.pooling import chance_above, pool
from unconfuse.multilevel.random_effects import Heterogeneity, spread
from unconfuse.policy import Verdict
from unconfuse.table import Array
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.method import NoInterval

FEWEST = 3  # data sets: two say nothing about others
_FEW = 10  # data sets below which a table without standard errors cannot tell
_FOR_SURE = 20  # data sets below which a chance of over 0.95 was true in 92 to 95% of such claims
_CAPPED = 0.9


@dataclass(frozen=True)
class ModelPair:
    """How two models differ over data sets.

    Attributes
    ----------
    first, second : str
    difference : Estimate
        Mean of the first model's values less the second's over data sets like these. Of this pair alone.
    p_value : float
        Of no mean difference; it fits `difference`.
    wins_next : Estimate
        The probability that the first model is truly better on a new data set like these.
    simultaneous : Estimate
        The plain mean difference with limits that hold for all pairs of models at once; they hold those of
        `difference`, so that no pair is told apart that its own interval does not tell.
    adjusted_p_value : float
        It fits `simultaneous`, on which the verdict rests.
    verdict : {"better", "worse", "cannot tell", "undefined"}
    spread : Heterogeneity or None
        How the true difference varies between data sets; None without standard errors.
    """

    first: str
    second: str
    difference: Estimate
    p_value: float
    wins_next: Estimate
    simultaneous: Estimate
    adjusted_p_value: float
    verdict: Verdict
    spread: Heterogeneity | None
    data_sets: int

    @property
    def sentence(self) -> str:
        """The verdict in plain words, with the chance on the next data set."""
        gap = self.simultaneous
        numbers = f"mean difference {number_text(gap.value)} {gap.interval_text}".rstrip()
        numbers += f", {'adjusted ' if not math.isnan(self.adjusted_p_value) else ''}{p_text(self.adjusted_p_value)}"
        if self.verdict in (Verdict.BETTER, Verdict.WORSE):
            words = (
                f"{self.first} is {self.verdict} than {self.second} on average over data sets like these ({numbers})"
            )
        else:
            words = f"These {self.data_sets} data sets cannot tell {self.first} and {self.second} apart ({numbers})"
        if math.isnan(self.wins_next.value):
            return f"{words}: they differ by the same on all of them, so nothing shows how new ones vary."
        return f"{words}. On a new data set like these, {self._next()}."

    def _next(self) -> str:
        chance, first, second = self.wins_next.value, self.first, self.second
        if chance < 0.5:
            chance, first, second = 1 - chance, second, first
        if self.data_sets < _FOR_SURE and chance > _CAPPED:
            return f"{first} beats {second} with a probability of at least 9 in 10, as far as so few can say"
        return f"{first} beats {second} with a probability of {min(chance, 0.999):.2f}"

    def reversed(self) -> ModelPair:
        """Return the second model against the first."""
        chance = replace(self.wins_next, value=1 - self.wins_next.value)
        names = replace(self, first=self.second, second=self.first, verdict=self.verdict.opposite, wins_next=chance)
        return replace(names, difference=_turned(self.difference), simultaneous=_turned(self.simultaneous))

    def __str__(self) -> str:
        return self.sentence

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = {name: getattr(self, name) for name in ("first", "second", "p_value", "adjusted_p_value", "verdict")}
        estimates = {name: getattr(self, name).as_dict() for name in ("difference", "simultaneous", "wins_next")}
        return {**plain, **estimates, "sentence": self.sentence}


def _turned(each: Estimate) -> Estimate:
    return replace(each, value=-each.value, low=-each.high, high=-each.low)


@dataclass(frozen=True)
class Standing:
    """A model's place: its mean value, its mean rank, and the ranks that it may have, of all models at once."""

    model: str
    value: float
    mean_rank: float
    rank_low: int
    rank_high: int
    tiers: tuple[int, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__} | {"tiers": list(self.tiers)}


@dataclass(frozen=True, eq=False)
class Leaderboard(TabularResult):
    """Models, best first, with ranks that hold all at once, and tiers of neighbours that are not told apart.

    Tiers overlap: a model in two of them cannot be told from its neighbours on either side.
    """

    standings: tuple[Standing, ...]
    tiers: tuple[tuple[str, ...], ...]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each model."""
        return [{**each.as_dict(), "tiers": " ".join(map(str, each.tiers))} for each in self.standings]

    def lines(self) -> list[list[str]]:
        """Return a line for each model as every surface shows it: model, mean, mean rank, ranks, tiers."""
        return [
            [
                each.model,
                number_text(each.value),
                f"{each.mean_rank:.2f}",
                places_text(each.rank_low, each.rank_high),
                " and ".join(map(str, each.tiers)),
            ]
            for each in self.standings
        ]

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings)

    def __len__(self) -> int:
        return len(self.standings)

    def __str__(self) -> str:
        lines = [
            f"{each.model}: mean {number_text(each.value)}, mean rank {each.mean_rank:.2f}, rank {each.rank_low} to "
            f"{each.rank_high}, tier {' and '.join(map(str, each.tiers))}"
            for each in self.standings
        ]
        return "\n".join(lines)


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Benchmark(TabularResult, PlotMixin, Reported, Mapping[tuple[str, str], ModelPair]):
    """All pairs of models over data sets, by (first, second) in either order.

    Examples
    --------
    >>> import unconfuse as uc
    >>> frame = {"d": list("abcdef") * 2, "m": ["x"] * 6 + ["y"] * 6}
    >>> frame["auc"] = [.81, .72, .93, .88, .79, .84, .80, .70, .93, .85, .78, .82]
    >>> b = uc.benchmark(frame, dataset="d", model="m", value="auc")
    >>> print(b["x", "y"].difference)
    difference 0.015 [0.004, 0.026] 95% t over data sets, 6 data sets
    """

    picture = "plot_critical_difference"

    data_sets: tuple[str, ...]
    models: tuple[str, ...]
    scores: Array  # (data set, model), both in order of their names
    errors: Array | None
    correlation: float
    value: str
    better: str
    confidence_level: float
    pair_errors: Array | None = None  # (data set, pair), of paired differences

    @property
    def has_errors(self) -> bool:
        """Whether the noise within data sets is known."""
        return self.errors is not None or self.pair_errors is not None

    @property
    def _good(self) -> Array:
        """Values of which the higher one is better."""
        return self.scores if self.better == "higher" else -self.scores

    @cached_property
    def _all(self) -> tests.AllPairs:
        return tests.all_pairs(self.scores, self.confidence_level)

    @cached_property
    def pairs(self) -> dict[tuple[str, str], ModelPair]:
        """Every pair of models once."""
        places = tests.pairs_of(len(self.models))
        return {(self.models[i], self.models[j]): self._pair(place, i, j) for place, (i, j) in enumerate(places)}

    def _variances(self, i: int, j: int) -> Array | None:
        if self.pair_errors is not None:
            return np.asarray(self.pair_errors[:, tests.pairs_of(len(self.models)).index((i, j))] ** 2)
        if self.errors is None:
            return None
        one, two = self.errors[:, i], self.errors[:, j]
        return np.asarray(one**2 + two**2 - 2 * self.correlation * one * two)

    def _pair(self, place: int, i: int, j: int) -> ModelPair:
        gaps, variances = self.scores[:, i] - self.scores[:, j], self._variances(i, j)
        found = pool(gaps, variances, confidence_level=self.confidence_level)
        sign = 1 if self.better == "higher" else -1
        chance = chance_above(sign * gaps, variances, 0.0)
        way = "t over data sets" if variances is None else "Q-mixture"
        method = found.method.replace("units", "data sets")
        why = NoInterval(f"no interval: a probability ({way})")
        wins = self._estimate("wins_next", "wins on a new data set", chance, why)
        if variances is None and math.isnan(found.low):
            wins = replace(wins, value=math.nan, method="", undefined="the models differ by the same on all data sets")
        mean, low, high = (float(each[place]) for each in (self._all.mean, self._all.low, self._all.high))
        if low < high:  # limits of all pairs at once are never narrower than those of the pair alone
            low, high = float(np.fmin(low, found.low)), float(np.fmax(high, found.high))
        together = self._estimate("difference", "difference", mean, "max-t over all pairs (wild bootstrap)", low, high)
        p_value = float(self._all.p_value[place])
        p_value = p_value if math.isnan(found.p_value) else float(np.maximum(p_value, found.p_value))
        return ModelPair(
            self.models[i],
            self.models[j],
            self._estimate("difference", "difference", found.value, method, found.low, found.high),
            found.p_value,
            wins,
            together,
            p_value,
            self._verdict(mean, low, high),
            None if variances is None else spread(gaps, variances, self.confidence_level),
            len(self.data_sets),
        )

    def _estimate(
        self, name: str, label: str, value: float, method: str, low: float = math.nan, high: float = math.nan
    ) -> Estimate:
        better = self.better if name == "difference" else "higher"
        if math.isinf(low):
            low, high = math.nan, math.nan
            method = NoInterval("no interval: fewer than 5 data sets tell no pairs apart at once")
        elif low == high and not math.isnan(low):
            low, high, method = math.nan, math.nan, NoInterval("no interval: the same difference on all data sets")
        context = f"{len(self.data_sets)} data sets"
        return Estimate(name, label, value, low, high, self.confidence_level, method, better=better, conditions=context)

    def _verdict(self, mean: float, low: float, high: float) -> Verdict:
        if math.isinf(low) or low <= 0 <= high or low == high:
            return Verdict.CANNOT_TELL
        return Verdict.BETTER if (mean > 0) == (self.better == "higher") else Verdict.WORSE

    def __getitem__(self, key: tuple[str, str]) -> ModelPair:
        if not isinstance(key, tuple) or len(key) != 2:
            raise ArgumentError(f"ask for (first model, second model); got {short_repr(key)}.")
        if key in self.pairs:
            return self.pairs[key]
        if (key[1], key[0]) in self.pairs:
            return self.pairs[key[1], key[0]].reversed()
        for name in key:
            if name not in self.models:
                raise ArgumentError(f"no model {short_repr(name)} in this benchmark. {did_you_mean(name, self.models)}")
        raise ArgumentError(f"a model cannot be compared with itself; got {short_repr(key[0])} twice.")

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def friedman(self) -> tests.Friedman:
        """Friedman's test with mean ranks (in the order of `models`) and Nemenyi's critical difference.

        Of two models it is undefined: use the pair's own test.
        """
        friedman = tests.friedman(self._good)
        return friedman if len(self.models) > 2 else replace(friedman, statistic=math.nan, p_value=math.nan)

    @cached_property
    def nemenyi(self) -> dict[tuple[str, str], float]:
        """Nemenyi's p-values of all pairs; that of two models depends on the others in the table."""
        return self._by_pair(tests.nemenyi(self._good))

    @cached_property
    def wilcoxon(self) -> dict[tuple[str, str], float]:
        """Wilcoxon's signed-rank p-values of all pairs, each as if it were the only one."""
        return self._by_pair(tests.wilcoxon(self.scores))

    @cached_property
    def wilcoxon_holm(self) -> dict[tuple[str, str], float]:
        """Wilcoxon's signed-rank p-values of all pairs, adjusted by Holm's method."""
        return self._by_pair(tests.holm(np.array(list(self.wilcoxon.values()))))

    def _by_pair(self, numbers: Array) -> dict[tuple[str, str], float]:
        return {pair: float(number) for pair, number in zip(self.pairs, numbers, strict=True)}

    def signed_rank(self, rope: float = 0.01, *, rng: int = 0) -> dict[tuple[str, str], dict[str, float]]:
        """Run the Bayesian signed-rank test on all pairs: `first`, `equivalent` and `second` are probabilities.

        They are one-sided: over 0.95 for either model happens in 9 to 19% of the tables of equal models.

        Parameters
        ----------
        rope : float
            Differences up to this size count as practically none.
        rng : int
            Seed of the 50,000 draws.
        """
        width = check_number(rope, "rope")
        if width < 0:
            raise ArgumentError(f"`rope` must be at least 0; got {width:g}.")
        seed, good, found = check_seed(rng), self._good, {}
        for (i, j), pair in zip(tests.pairs_of(len(self.models)), self.pairs, strict=True):
            chances = tests.signed_rank(good[:, i] - good[:, j], width, seed=seed)
            found[pair] = dict(zip(("first", "equivalent", "second"), chances, strict=True))
        return found

    @cached_property
    def leaderboard(self) -> Leaderboard:
        """Models, best first by their mean, with ranks that hold all at once and tiers. Every data set counts alike."""
        size = len(self.models)
        better = np.zeros((size, size), dtype=bool)
        for (i, j), pair in zip(tests.pairs_of(size), self.pairs.values(), strict=True):
            better[i, j], better[j, i] = pair.verdict == Verdict.BETTER, pair.verdict == Verdict.WORSE
        means = self._good.mean(axis=0)
        order = sorted(range(size), key=lambda place: (-means[place], self.models[place]))
        low, high = tests.rank_limits(better)
        runs = tests.tiers(order, better | better.T)
        standings = [
            Standing(
                self.models[place],
                float(self.scores[:, place].mean()),
                self.friedman.mean_ranks[place],
                int(low[place]),
                int(high[place]),
                tuple(number for number, run in enumerate(runs, 1) if place in run),
            )
            for place in order
        ]
        return Leaderboard(tuple(standings), tuple(tuple(self.models[place] for place in run) for run in runs))

    @property
    def sentence(self) -> str:
        """Who leads, and whether the data sets can tell."""
        top, size = self.leaderboard.tiers[0], len(self.data_sets)
        best, rest = self.leaderboard.standings[0], len(self.models) - len(top)
        if len(self.models) == 2:
            return self[best.model, self.leaderboard.standings[1].model].sentence
        if len(top) == 1:
            return f"{best.model} is better than all other models on average over data sets like these {size}."
        behind = f"; {rest} of {len(self.models)} models are behind {best.model}" if rest else ""
        return f"Inconclusive which model is best on these {size} data sets: {' or '.join(top)}{behind}."

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The leader, then what limits the table."""
        size = len(self.data_sets)
        said = [
            Finding(
                "leader", Verdict.BETTER if len(self.leaderboard.tiers[0]) == 1 else Verdict.CANNOT_TELL, self.sentence
            )
        ]
        if not self.has_errors and size < _FEW:
            words = (
                f"{size} data sets without standard errors cannot tell how far the models differ on other data sets: "
                "noise within a data set and differences between them look alike. Add standard errors, or at least "
                f"{_FEW} data sets."
            )
            said.append(Finding("few data sets", Verdict.CANNOT_TELL, words, {"data_sets": size}))
        elif size < _FOR_SURE:
            words = f"With {size} data sets, read a chance above 0.9 on the next one as at least 9 in 10."
            said.append(Finding("few data sets", Verdict.CANNOT_TELL, words, {"data_sets": size}))
        if self.errors is not None and self.correlation == 0:
            words = (
                "Errors of two models on one data set count as independent. Models tested on the same cases have "
                "positively correlated errors: pass `correlation`, or chances on the next data set are too extreme."
            )
            said.append(Finding("independent errors", "assumed", words))
        return tuple(said)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each pair of models."""
        found = []
        for pair, model_pair in self.pairs.items():
            estimate, gap = model_pair.difference, model_pair.simultaneous
            found.append(
                {
                    "first": model_pair.first,
                    "second": model_pair.second,
                    "difference": estimate.value,
                    "low": estimate.low,
                    "high": estimate.high,
                    "p_value": model_pair.p_value,
                    "wins_next": model_pair.wins_next.value,
                    "simultaneous_low": gap.low,
                    "simultaneous_high": gap.high,
                    "adjusted_p_value": model_pair.adjusted_p_value,
                    "verdict": model_pair.verdict,
                    "nemenyi_p": self.nemenyi[pair],
                    "wilcoxon_holm_p": self.wilcoxon_holm[pair],
                }
            )
        return found

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        ranks = self.friedman
        return {
            "value": self.value,
            "better": self.better,
            "confidence_level": self.confidence_level,
            "data_sets": list(self.data_sets),
            "models": list(self.models),
            "leaderboard": [each.as_dict() for each in self.leaderboard],
            "tiers": [list(tier) for tier in self.leaderboard.tiers],
            "pairs": [
                {**model_pair.as_dict(), "nemenyi_p": self.nemenyi[pair], "wilcoxon_holm_p": self.wilcoxon_holm[pair]}
                for pair, model_pair in self.pairs.items()
            ],
            "friedman": {name: getattr(ranks, name) for name in ("statistic", "p_value", "critical_difference")},
            "findings": [finding.as_dict() for finding in self.findings],
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return "\n".join([*(finding.sentence for finding in self.findings), str(self.leaderboard)])

    def __repr__(self) -> str:
        return f"Benchmark of {len(self.models)} models on {len(self.data_sets)} data sets: {self.sentence}"

    def _repr_html_(self) -> str:
        rows = [[_html_repr.text(model, 28), *cells] for model, *cells in self.leaderboard.lines()]
        title = f"{len(self.models)} models on {len(self.data_sets)} data sets"
        heads = ["", f"mean {_html_repr.text(self.value, 20)}", "mean rank", "rank", "tier"]
        notes = [finding.sentence for finding in self.findings[1:]]
        return _html_repr.card(title, _html_repr.table(heads, rows, numbers=[1, 2]), verdict=self.sentence, notes=notes)
