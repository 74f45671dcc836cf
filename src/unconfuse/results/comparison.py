"""What a comparison says: paired differences with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from unconfuse import _html_repr
from unconfuse._deprecated import renamed, renamed_parameters
from unconfuse._errors import ArgumentError, did_you_mean
from unconfuse._formatting import TabularResult, elided, number_text, p_text, short_repr, strict_json, with_numbers
from unconfuse._phrases import counted
from unconfuse._render_mixins import PublicationMixin, ReportMixin, lazy_import
from unconfuse._row_errors import SkippedRows
from unconfuse._validate import check_text, public_api
from unconfuse.metrics import Metric, key_of, metrics_of
from unconfuse.metrics.requirements import no_threshold
from unconfuse.policy import Verdict
from unconfuse.results.best_model import Contest, best_first, contests, winner
from unconfuse.results.contrast import Contrast
from unconfuse.results.decision_curve_difference import DecisionCurveContrast, decision_difference
from unconfuse.results.evaluate_sample import LazyEvaluations, evaluation_of_model
from unconfuse.results.leaderboard import Leaderboard, leaderboard_of
from unconfuse.results.multiclass_findings import assumed_columns
from unconfuse.table import IndependentSamples, Sample, Settings
from unconfuse.table.sample import positives_of

if TYPE_CHECKING:
    from unconfuse.results.compared_subgroups import ComparedSubgroups
    from unconfuse.results.sites import SiteDifferences

MAJORITY = "majority"  # a baseline that always predicts the largest class
_BY_CURVES = 4  # models up to which every pair's decision curves are compared without asking


@public_api
@dataclass(frozen=True, repr=False)
class Comparison(TabularResult, ReportMixin, PublicationMixin, Mapping[tuple[str, str, str], Contrast]):
    """All paired differences, by (metric, first model, second model) in either order.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.compare([1, 0, 1, 0], {"a": [.9, .2, .8, .1], "b": [.2, .9, .8, .1]}, metrics=["auroc"])
    >>> found["auroc", "a", "b"].difference.value, found["auroc", "b", "a"].difference.value
    (0.5, -0.5)
    """

    differences: Mapping[tuple[str, str, str], Contrast]
    metrics: tuple[str, ...]
    sample: Sample | IndependentSamples
    design: Settings
    adjust: str = "max-t"
    margin: float | None = None
    added: tuple[str, ...] = ()
    by_subgroup: ComparedSubgroups | None = None
    declared: tuple[Metric, ...] = ()

    @property
    def subgroups(self) -> ComparedSubgroups:
        """The same differences in each subgroup; `compare(..., by=...)` names them.

        Examples
        --------
        >>> import numpy as np, unconfuse as uc
        >>> rng = np.random.default_rng(2)
        >>> y, sex = rng.random(2000) < .3, np.where(rng.random(2000) < .5, "men", "women")
        >>> a, b = 2 * y + rng.normal(size=2000), 2 * y * (sex == "women") + rng.normal(size=2000)
        >>> found = uc.compare(y, {"a": a, "b": b}, by=sex, metrics=["auroc"]).subgroups["auroc", "a", "b"]
        >>> {name: each.verdict for name, each in found.items()}, found.interaction_p < .001
        ({'men': 'better', 'women': 'cannot tell'}, True)
        """
        if self.by_subgroup is None:
            raise ArgumentError("there are no subgroups here. Hint: compare with `by='column'` or `by=[values]`.")
        return self.by_subgroup

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return self.sample.models

    @property
    def same_cases(self) -> bool:
        """Whether all models were judged on the same cases."""
        return len(self.sample.case_sets) == 1

    @property
    def n(self) -> float:
        """Number of cases (sum of weights)."""
        return self.sample.n

    @property
    def positives(self) -> float:
        """Number of positives; NaN with several classes."""
        return math.nan if self.sample.is_multiclass else self.sample.positives

    @property
    def skipped(self) -> SkippedRows:
        """Rows that were left out because they could not be used, by reason."""
        return self.sample.skipped

    @property
    def settings(self) -> dict[str, Any]:
        """How differences were made."""
        sample = self.sample
        what: dict[str, Any] = {"classes": list(sample.classes)}
        if not sample.is_multiclass:
            origins = {name: sample.threshold_sources.get(name, "given") for name in sample.thresholds}
            what = {"thresholds": dict(sample.thresholds), "threshold_origins": origins}
        kind, how = sample.sampling.label, self.design
        sizes = {"confidence_level": how.confidence_level, "n_resamples": how.n_resamples, "seed": how.seed}
        return {
            "design": kind,
            "paired": self.same_cases,
            **sizes,
            "adjust": self.adjust,
            "margin": self.margin,
            **what,
        }

    @renamed_parameters(at="threshold_probabilities")
    def decision_curve(
        self,
        first: str | None = None,
        second: str | None = None,
        *,
        threshold_probabilities: npt.ArrayLike | None = None,
        kind: str = "simultaneous",
    ) -> DecisionCurveContrast:
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
                raise ArgumentError(
                    f"no model {short_repr(name)} in this comparison. {did_you_mean(name, self.models)}"
                )
        if not self.same_cases:
            raise ArgumentError("a decision curve of two models needs the same cases. Hint: draw each model's own.")
        return decision_difference(
            self.sample.cases_of(names[0]), names[0], names[1], self.design, at=threshold_probabilities, kind=kind
        )

    @cached_property
    def decision_curves(self) -> tuple[DecisionCurveContrast, ...]:
        """Every pair of the best four models by their decision curves; none where these cannot be compared."""
        best = self.best_first[:_BY_CURVES]
        pairs = combinations([name for name in self.models if name in best], 2)
        try:
            return tuple(self.decision_curve(*pair) for pair in pairs)
        except ArgumentError:  # no probabilities, groups, weights, or not the same cases
            return ()

    def __getitem__(self, key: Any) -> Contrast:
        """Return the contrast of (metric, first model, second model); of two models the metric is enough."""
        if isinstance(key, str) and len(self.models) == 2:  # one pair: its metric is enough
            key = (key, *self.models)
        if not isinstance(key, tuple) or len(key) != 3:
            example = ", ".join(map(repr, (self.metrics[0], *self.models[:2])))
            raise ArgumentError(
                f"ask for (metric, first model, second model); got {short_repr(key)}. Hint: comparison[{example}]."
            )
        metric, first, second = self._metric(key[0]), key[1], key[2]
        if (metric, first, second) in self.differences:
            return self.differences[metric, first, second]
        if (metric, second, first) in self.differences:
            return self.differences[metric, second, first].reversed()
        for name, known in ((metric, self.metrics), (first, self.models), (second, self.models)):
            if name is metric and metric in self.models:
                raise ArgumentError(
                    f"{short_repr(metric)} is a model of this comparison. "
                    f"Hint: comparison.evaluations[{short_repr(metric)}]."
                )
            if name not in known:
                raise ArgumentError(f"no {short_repr(name)} in this comparison. {did_you_mean(name, known)}")
        raise ArgumentError(f"{short_repr(first)} and {short_repr(second)} were not compared with each other.")

    def _metric(self, name: str) -> str:
        """Return a metric's own name, from that or another of its names."""
        if name in self.metrics:
            return name
        alike = [metric for metric in self.metrics if isinstance(name, str) and key_of(metric) == key_of(name)]
        if alike:
            return alike[0]
        try:
            return metrics_of(self.sample).find(name).name
        except ArgumentError:
            return name

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self.differences)

    def __len__(self) -> int:
        return len(self.differences)

    def __getstate__(self) -> dict[str, Any]:
        own = {key: vars(self)[key] for key in self.__dataclass_fields__}
        needs_rows = {"decision_curves": self.decision_curves}
        return {**own, "design": self.design.without_progress(), "sample": self.sample.compact(), **needs_rows}

    @cached_property
    def sites(self) -> SiteDifferences:
        """Every difference over the places that cases come from: each, the mean one and a new one.

        `compare(..., site=...)` names them; `cmp.sites["auroc", "a", "b"].new_site` is what to expect of a new place.
        """
        from unconfuse.results.sites import SiteDifferences, no_sites  # most cases come from one place

        if not self.has_sites:
            raise no_sites("compare with site='column' or site=[values]")
        return SiteDifferences(self)

    @property
    def has_sites(self) -> bool:
        """Whether it is known from which place each case comes."""
        return self.sample.has_sites

    @cached_property
    def evaluations(self) -> LazyEvaluations:
        """Each model by itself, under the same design."""
        return LazyEvaluations(self.models, lambda model: evaluation_of_model(self.sample, model, self.design))

    @property
    def thresholds(self) -> str:
        """Where each model decides, and whose choice that was; of several classes, which column is which."""
        sample = self.sample
        if sample.is_multiclass:
            return assumed_columns(sample.cases_of(self.models[0]))
        if not any(map(sample.has_scores_of, self.models)):
            return ""
        said = [f"{name} {sample.threshold_text(name).removeprefix('threshold ') or 'none'}" for name in self.models]
        cuts, undecided = (
            f"Thresholds: {'; '.join(said)}.",
            [name for name in self.models if not sample.has_decisions_of(name)],
        )
        if not undecided:
            return cuts
        own = sample.cases_of(undecided[0])
        why, hint = no_threshold(own, undecided[0] if self.same_cases else own.only_model)
        return f"{cuts} Decisions are not compared, because {why}. {hint[0].upper()}{hint[1:]}."

    @property
    def sentence(self) -> str:
        """Which model is better and on what, worse and on what, and on what the data are inconclusive.

        The order of the metrics does not matter. Net benefit and mean costs decide alone if they were asked for;
        accuracy does not decide where one class holds nine of ten cases.

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, good = [1, 0] * 50, [.9, .2] * 50
        >>> cmp = uc.compare(y, {"good": good, "poor": [.4, .5] * 50, "other": good}, metrics=["sensitivity"])
        >>> print(cmp.sentence)
        No model is better than every other on sensitivity: the difference between good and other is inconclusive; \
poor is worse than at least one other model.
        """
        return winner(self.contests, self.models)

    @cached_property
    def contests(self) -> tuple[Contest, ...]:
        """Every pair of models over all metrics that decide, with its verdict."""
        return contests(self.differences.values(), self._largest[1], self._baselines())

    @property
    def _largest(self) -> tuple[str, float]:
        """The largest class, as a sentence calls it, and its share."""
        if not self.sample.is_multiclass:
            share = self.positives / self.n
            return ("positive", share) if share > 1 / 2 else ("negative", 1 - share)
        sizes = self.sample.cases_of(self.models[0]).sizes
        place = int(sizes.argmax())
        return repr(self.sample.classes[place]), float(sizes[place] / self.n)

    def _baselines(self) -> dict[str, str]:
        """Return what the baseline that always predicts the largest class always predicts."""
        return {name: self._largest[0] for name in self.added if name == MAJORITY}

    @property
    def verdict(self) -> Verdict:
        """The verdict on the first model against the second, of two models; "undefined" of more, which have pairs."""
        return self.contests[0].verdict if len(self.contests) == 1 else Verdict.UNDEFINED

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
        plots = lazy_import("plots")
        drawn = plots.plot_leaderboard(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)

    @property
    def _of_first_metric(self) -> list[Contrast]:
        first = self.metrics[0]
        if self.contests and first == "accuracy":  # which does not lead under imbalance
            names = [pair.metric for pair in self.contests[0].pairs]
            first = first if first in names else names[0]
        return [difference for difference in self.differences.values() if difference.metric == first]

    @property
    def findings(self) -> tuple[str, ...]:
        """One sentence for each pair of models, over all metrics that decide; before these what to expect in a new
        place, and after them what holds in subgroups, where there are any.
        """
        places = tuple(finding.sentence for finding in self.sites.findings) if self.has_sites else ()
        in_subgroups = (
            ()
            if self.by_subgroup is None
            else [
                self.subgroups[contrast.metric, contrast.first, contrast.second] for contrast in self._of_first_metric
            ]
        )
        return (*places, *(each.sentence for each in (*self.contests, *in_subgroups)))

    def rows(self) -> list[dict[str, Any]]:
        """One row of plain values for each difference."""
        return [with_numbers(difference) for difference in self.differences.values()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return the whole comparison as plain values."""
        size = {"models": list(self.models), "n": self.n, "positives": self.positives}
        found = {"differences": self.rows(), "findings": list(self.findings), "skipped": self.skipped.as_dict()}
        divided = {} if self.by_subgroup is None else {"subgroups": self.by_subgroup.as_dict()}
        places = {"sites": self.sites.as_dict()} if self.has_sites else {}
        return {**size, **self.settings, **found, **divided, **places}

    def _standings_html(self) -> list[list[str]]:
        return [[_html_repr.text(elided(cell, 40), 40) for cell in line] for line in self.leaderboard.lines()]

    def __repr__(self) -> str:
        cases = f"{self.n:g} cases" if math.isnan(self.positives) else positives_of(self.positives, self.n)
        return f"Comparison of {', '.join(self.models)}: {counted(len(self.metrics), 'metric')}, {cases}"

    @property
    def _opening(self) -> list[str]:
        """The winner; of two models also where they differ in subgroups."""
        two = self.by_subgroup is not None and len(self._of_first_metric) == 1
        return [self.sentence, *(self.findings[1:] if two else ())]

    def __str__(self) -> str:
        return "\n".join(
            [*self._opening, "", str(self.leaderboard), "", repr(self), *([self.thresholds] if self.thresholds else [])]
        )

    def _repr_html_(self) -> str:
        ends = [
            abs(end)
            for contrast in self.differences.values()
            for end in (contrast.difference.low, contrast.difference.high)
        ]
        reach = max((end for end in ends if math.isfinite(end)), default=0.0)
        rows = []
        for difference in self.differences.values():
            _, *numbers = difference.difference.cells_html((-reach, reach), 0.0)
            names = [
                f"{_html_repr.text(elided(difference.first, 16))} - {_html_repr.text(elided(difference.second, 16))}",
                *numbers,
            ]
            label = _html_repr.text(difference.label.split(" (")[0], 28)
            rows.append([label, *names, p_text(difference.p_value), difference.verdict])
        label = self.leaderboard.label.split(" (")[0]
        bars = _html_repr.quiet(f"Bars: from {number_text(-reach)} to {number_text(reach)}; tick: no difference.")
        pairs = [_html_repr.table([], rows, numbers=[2]), bars]
        few = len(self.models) == 2
        return _html_repr.card(
            repr(self),
            _html_repr.table(["Tier", "Model", label, "Behind the best", "p"], self._standings_html(), numbers=[2]),
            _html_repr.quiet("Within a tier, differences are inconclusive."),
            *(pairs if few else [_html_repr.folded(f"Pair by pair: {len(rows)} differences", *pairs)]),
            _html_repr.quiet(self.thresholds),
            verdict=self.sentence,
            tone=_html_repr.edge_of(self.verdict),
        )

    cuts = renamed("thresholds")
    paired = renamed("same_cases")
