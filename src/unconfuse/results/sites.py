"""Cases from several places: each place, the mean one, what to expect of a new one, and whether they disagree."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean
from unconfuse._formatting import TabularResult, p_text, short_label, short_repr, strict_json
from unconfuse._phrases import called
from unconfuse._validate import public_api
from unconfuse.metrics import Metric, metrics_of
from unconfuse.multilevel.benchmarks import holm
from unconfuse.multilevel.pooling import FEWEST
from unconfuse.policy import Verdict
from unconfuse.results.estimate_mapping import LazyEstimates
from unconfuse.results.pooled_sites import PooledSites
from unconfuse.results.site_values import differences_of_sites, values_of_sites
from unconfuse.table import IndependentSamples, Sample
from unconfuse.uncertainty.difference_tests import possible_limits
from unconfuse.uncertainty.estimate import Estimate, Finding
from unconfuse.uncertainty.simultaneous import SimultaneousResult

if TYPE_CHECKING:
    from unconfuse.results.comparison import Comparison
    from unconfuse.results.evaluation import Evaluation

_TESTED = ("auroc", "sensitivity", "specificity", "accuracy")  # about which places may disagree
_MOST_TESTED = 3
K = TypeVar("K")  # by which numbers are known: a metric, or (metric, first model, second model)
_SHOWN = 12  # metrics of which all are shown, if there are no more


class _OverSites(TabularResult, Mapping[K, PooledSites], ABC):
    """Numbers over the sites of a result, by key; each is made when it is first asked for."""

    @property
    @abstractmethod
    def _sample(self) -> Sample | IndependentSamples:
        """The cases of all sites."""

    @abstractmethod
    def _named(self, key: Any) -> K:
        """Return the own name of what is asked for, which may be spelt otherwise, or refuse it."""

    @abstractmethod
    def _pooled(self, key: K) -> PooledSites:
        """Compute one number over the sites."""

    @abstractmethod
    def _first(self) -> PooledSites:
        """Return the number that leads."""

    @cached_property
    def _parts(self) -> Mapping[str, Sample]:
        return {name: part for name, part in self._sample.site_parts().items() if part.n}

    @cached_property
    def _made(self) -> dict[K, PooledSites]:
        return {}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the sites."""
        return tuple(self._parts)

    def sizes(self) -> dict[str, float]:
        """Return the number of cases of each site."""
        return {name: part.n for name, part in self._parts.items()}

    def __getitem__(self, key: Any) -> PooledSites:
        wanted = self._named(key)
        if wanted not in self._made:
            self._made[wanted] = self._pooled(wanted)
        return self._made[wanted]

    @property
    @abstractmethod
    def findings(self) -> tuple[Finding, ...]:
        """What to expect of a new place."""

    def __str__(self) -> str:
        return "\n".join(finding.sentence for finding in self.findings)

    def _repr_html_(self) -> str:
        return self._first()._repr_html_()


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class Sites(_OverSites[str]):
    """Every metric over the sites of an evaluation, by name; each is made when it is asked for.

    Examples
    --------
    >>> import numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(1)
    >>> site = np.repeat(["a", "b", "c", "d", "e"], 80)
    >>> y = rng.random(400) < .4
    >>> s = 1.2 * y + rng.normal(size=400)
    >>> ev = uc.evaluate(y, s, site=site, metrics=["auroc"])
    >>> print(ev.sites["auroc"].mean)
    auroc 0.823 [0.748, 0.879] 95% Hartung-Knapp (REML) on the logit scale, mean site, 5 sites
    """

    evaluation: Evaluation

    @property
    def _sample(self) -> Sample:
        return self.evaluation.sample

    @cached_property
    def _asked(self) -> dict[str, LazyEstimates]:
        how, metrics = self.evaluation.settings.without_progress(), self.evaluation.metrics
        every = {root.name: root for metric in metrics for root in (metric, metric.root.of)}
        return {name: LazyEstimates(list(every.values()), part, how) for name, part in self._parts.items()}

    def _named(self, key: Any) -> str:
        return self.evaluation[key].name

    def _first(self) -> PooledSites:
        return self[self.evaluation.headline[0].name]

    def _pooled(self, key: str) -> PooledSites:
        ev = self.evaluation
        metric = next((each for each in ev.metrics if each.name == key), None)
        asked: Mapping[str, Mapping[str, Estimate]] = self._asked
        if metric is None:
            metric = metrics_of(ev.sample).find(key)
            both = [metric] if metric.root.of is metric else [metric, metric.root.of]
            asked = {
                site: LazyEstimates(both, part, ev.settings.without_progress()) for site, part in self._parts.items()
            }
        site_values = values_of_sites(metric, self._parts, asked, ev.settings)
        metric_sites = MetricSites(asked, metric.name)
        return PooledSites(metric, metric.label, None, site_values, metric_sites, ev.confidence_level)

    def __iter__(self) -> Iterator[str]:
        return iter(self.evaluation.estimates)

    def __len__(self) -> int:
        return len(self.evaluation.estimates)

    def headlines(self) -> tuple[str, ...]:
        """Names of the few metrics to look at first: all if there are at most 12."""
        known = tuple(self)
        return known if len(known) <= _SHOWN else tuple(estimate.name for estimate in self.evaluation.headline)

    @property
    def sentence(self) -> str:
        """What to expect of a new place, in the first metric."""
        return self._first().sentence

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What to expect of a new place, whether places disagree, and what limits both."""
        first = self._first()
        tested = [name for name in dict.fromkeys([first.metric.name, *_TESTED]) if name in self.evaluation]
        found = [first, *(self[name] for name in tested[1:_MOST_TESTED] if name in self)]
        return (_expected(first), *_disagreeing(found), *_limits(first, len(self.names)))

    def plot(self, metric: str | None = None, path: str | None = None, **how: Any) -> Any:
        """Draw one metric's forest: sites, the mean and a new one; saved if a path is given.

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, s = [1, 0] * 60, [.9, .3, .7, .4, .2, .6] * 20
        >>> ev = uc.evaluate(y, s, site=list("aabbccdd") * 15, metrics=["auroc"])
        >>> ev.sites.plot("auroc").axes[0].get_xlabel()
        'AUROC'
        """
        return (self._first() if metric is None else self[metric]).plot(path, **how)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each metric and site, then the mean and a new site."""
        return [{"metric": name, **row} for name in self.headlines() for row in self[name].rows()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values of the first metrics."""
        return {
            "sites": self.sizes(),
            "metrics": {name: self[name].as_dict() for name in self.headlines()},
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __repr__(self) -> str:
        return f"Sites: {len(self.names)}; {self.sentence}"


class MetricSites(Mapping[str, Estimate]):
    """One metric of each site, made when it is asked for."""

    def __init__(self, asked: Mapping[str, Mapping[str, Estimate]], metric: str) -> None:
        self._asked, self._metric = asked, metric

    def __getitem__(self, site: str) -> Estimate:
        if site not in self._asked:
            raise UnknownNameError(f"no site {short_repr(site)} in this result. {did_you_mean(str(site), self._asked)}")
        return self._asked[site][self._metric]

    def __iter__(self) -> Iterator[str]:
        return iter(self._asked)

    def __len__(self) -> int:
        return len(self._asked)

    def __repr__(self) -> str:
        return repr(dict(self))


def _expected(first: PooledSites) -> Finding:
    numbers = {"low": first.new_site.low, "high": first.new_site.high, "mean": first.mean.value}
    verdict = Verdict.CANNOT_TELL if math.isnan(first.new_site.low) else "expected"
    return Finding("A new place: prediction interval over places.", verdict, first.sentence, numbers)


def _disagreeing(found: list[PooledSites]) -> list[Finding]:
    """Say about what places disagree: by the tests alone, adjusted for how many there are."""
    known = [each for each in found if not math.isnan(each.p_value)]
    if not known:
        return []
    adjusted = holm(np.array([each.p_value for each in known])).tolist()
    said = []
    for pooled_sites, p in zip(known, adjusted, strict=True):
        if p < 1 - pooled_sites.confidence_level:
            how = f"{'adjusted ' if len(known) > 1 else ''}{p_text(p)}, {pooled_sites.test}"
            name = short_label(pooled_sites.metric.label)
            about = (
                name
                if pooled_sites.models is None
                else f"difference in {name} between {' and '.join(pooled_sites.models)}"
            )
            sentence = f"Places disagree about the {about} by more than chance ({how}): merging them hides it."
            said.append(
                Finding("Places disagree: p below the error of the level.", Verdict.DIFFERENT, sentence, {"p_value": p})
            )
    return said


def _limits(first: PooledSites, sites: int) -> list[Finding]:
    said = []
    if first.n_sites == FEWEST:
        words = "Three places say almost nothing about other places."
        said.append(Finding("Few places.", Verdict.CANNOT_TELL, words, {"sites": first.n_sites}))
    if first.left_out:
        name = short_label(first.metric.label)
        shown = [called(site, "place") for site in list(first.left_out)[:5]]
        more = f" and {len(first.left_out) - 5} more" if len(first.left_out) > 5 else ""
        words = (
            f"{len(first.left_out)} of {sites} places have no {name} and take no part in it: {', '.join(shown)}{more}."
        )
        said.append(Finding("Places without a value.", "incomplete", words, {"left_out": len(first.left_out)}))
    return said


@public_api
@dataclass(frozen=True, repr=False, eq=False)
class SiteDifferences(_OverSites[tuple[str, str, str]]):
    """Paired differences of models over the sites of a comparison, by (metric, first, second)."""

    comparison: Comparison

    @property
    def _sample(self) -> Sample | IndependentSamples:
        return self.comparison.sample

    def _named(self, key: Any) -> tuple[str, str, str]:
        contrast = self.comparison[key]  # which knows the names, and refuses others
        return contrast.metric, contrast.first, contrast.second

    def _pooled(self, key: tuple[str, str, str]) -> PooledSites:
        (name, first, second), how = key, self.comparison.design
        metric = next(each for each in self.comparison.declared if each.name == name)
        values, found = differences_of_sites(metric, self._parts, (first, second), how)
        label = f"difference in {metric.label}"
        own = {
            site: _difference(
                metric, label, (first, second), found.get(site), how.confidence_level, values.left_out.get(site)
            )
            for site in self._parts
        }
        return PooledSites(metric, label, (first, second), values, own, how.confidence_level)

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self.comparison)

    def __len__(self) -> int:
        return len(self.comparison)

    def _first(self) -> PooledSites:
        return self[next(iter(self))]

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What difference to expect in a new place, and whether places disagree about it."""
        first = self._first()
        return (_expected(first), *_disagreeing([first]), *_limits(first, len(self.names)))

    def plot(self, key: tuple[str, str, str] | None = None, path: str | None = None, **how: Any) -> Any:
        """Draw one difference's forest: sites, the mean and a new one; saved if a path is given."""
        return (self._first() if key is None else self[key]).plot(path, **how)

    def rows(self) -> list[dict[str, Any]]:
        """One row for each difference and site, then the mean and a new site."""
        return [
            {"metric": key[0], "first": key[1], "second": key[2], **row} for key in self for row in self[key].rows()
        ]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "sites": self.sizes(),
            "differences": [self[key].as_dict() for key in self],
            "findings": [finding.as_dict() for finding in self.findings],
        }

    def __repr__(self) -> str:
        return f"SiteDifferences: {len(self.names)} sites; {self._first().sentence}"


def _difference(
    metric: Metric,
    label: str,
    pair: tuple[str, str],
    found: SimultaneousResult | None,
    level: float,
    missing: str | None,
) -> Estimate:
    about: dict[str, Any] = {"label": label, "baseline": 0.0, "conditions": " - ".join(pair)}
    if found is None or missing is not None:
        why = missing or metric.undefined
        return Estimate.from_interval(metric, math.nan, (math.nan, math.nan, ""), level, undefined=why, **about)
    low, high = possible_limits(found.value, found.low, found.high, metric.range)
    return Estimate.from_interval(
        metric, found.value, (low, high, found.method), level, standard_error=found.standard_error, **about
    )


def no_sites(example: str) -> ArgumentError:
    """Build the refusal where nobody said where cases come from."""
    return ArgumentError(f"there are no sites here. Hint: {example}.")
