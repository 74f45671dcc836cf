"""One metric over sites: the mean site, a new one, their spread, in words, rows and pictures."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from unconfuse import _html_repr
from unconfuse._formatting import TabularResult, number_text, short_label, strict_json
from unconfuse._phrases import called
from unconfuse._render_mixins import lazy_import
from unconfuse._validate import check_number
from unconfuse.metrics import Metric
from unconfuse.multilevel.pooling import FEWEST
from unconfuse.results.site_values import Pooled, SiteValues
from unconfuse.uncertainty.estimate import Estimate

if TYPE_CHECKING:
    pass

_NO_SPREAD = (
    " Both intervals are the same because these places differ no more than chance makes them, which does not show that "
    "they are alike."
)
_VOWELS = "aeiou"
_SAID_AS_VOWELS = "AEFHILMNORSX"  # letters whose names begin with a vowel, as in "an MCC"


@dataclass(frozen=True)
class SiteSpread:
    """How far the true values of sites differ.

    Attributes
    ----------
    low, high : float
        Between which 95% of the sites lie, in the metric's own units, if mean and deviation are as estimated.
    deviation : float
        Standard deviation between sites, on `scale`.
    scale : {"logit", "log", "identity"}
    share : float
        I squared: the share of the variation that is not chance; it depends on the sites' sizes. NaN of rates.
    """

    low: float
    high: float
    deviation: float
    scale: str
    share: float

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {name: getattr(self, name) for name in ("low", "high", "deviation", "scale", "share")}


@dataclass(frozen=True, repr=False, eq=False)
class PooledSites(TabularResult):
    """One metric, or one difference of two models, over sites.

    Attributes
    ----------
    metric : Metric
    mean : Estimate
        Of the mean site, with a confidence interval.
    new_site : Estimate
        Of a new site like these, with a prediction interval: where its true value lies.
    spread : SiteSpread
    p_value : float
        Of no difference between sites but chance. A large one does not show that they are alike.
    estimates : mapping of site to Estimate
        Each site alone.
    left_out : mapping of site to str
        Sites that say nothing about this metric, and why.
    """

    metric: Metric
    label: str
    models: tuple[str, str] | None
    values: SiteValues
    estimates: Mapping[str, Estimate]
    confidence_level: float

    @property
    def left_out(self) -> Mapping[str, str]:
        """Sites that say nothing about this metric, and why."""
        return self.values.left_out

    @property
    def n_sites(self) -> int:
        """Number of sites that take part."""
        return self._pooled.size

    @property
    def _pooled(self) -> Pooled:
        return self.values.pooled

    @cached_property
    def mean(self) -> Estimate:
        """Of the mean site, with a confidence interval."""
        if not self.n_sites:
            return self._estimate(math.nan, (math.nan, math.nan, ""), "mean site", undefined="no site has a value")
        value, low, high, method = self._pooled.mean
        return self._estimate(value, (low, high, method), "mean site")

    @cached_property
    def new_site(self) -> Estimate:
        """Of a new site like these, with a prediction interval; never narrower than that of the mean."""
        if not self.n_sites:
            return self.mean
        value, mean_low, mean_high, _ = self._pooled.mean
        low, high, method = self._pooled.new
        return self._estimate(value, (np.fmin(low, mean_low), np.fmax(high, mean_high), method), "new site")

    def _estimate(self, value: float, limits: tuple[Any, Any, str], which: str, **more: Any) -> Estimate:
        root, (low, high, method) = self.metric.root, limits
        if self.models is None and root.of is not self.metric:
            value, (low, high) = root(value), sorted((root(low), root(high)))
        context = f"{which}, {self.n_sites} sites"
        about: dict[str, Any] = {"label": self.label, "conditions": context}
        if self.models is not None:
            about |= {"baseline": 0.0, "conditions": f"{' - '.join(self.models)}, {context}"}
        return Estimate.from_interval(self.metric, value, (low, high, method), self.confidence_level, **about, **more)

    @cached_property
    def spread(self) -> SiteSpread:
        """How far the true values of sites differ."""
        pooled = self._pooled
        if pooled.size < FEWEST:
            return SiteSpread(math.nan, math.nan, math.nan, self._scale, math.nan)
        low, high = pooled.range
        root = self.metric.root
        if self.models is None and root.of is not self.metric:
            low, high = sorted((root(low), root(high)))
        return SiteSpread(low, high, pooled.deviation, self._scale, pooled.share)

    @property
    def _scale(self) -> str:
        scale = getattr(self._pooled, "scale", None)
        return "logit" if scale is None else scale.name

    @property
    def p_value(self) -> float:
        """Of no difference between sites but chance."""
        return self._pooled.p_value if self.n_sites else math.nan

    @property
    def test(self) -> str:
        """Name of the test behind `p_value`."""
        return self._pooled.test

    def chance(self, at_least: float) -> float:
        """Return the probability that the true value of a new site is at least so large; NaN of fewer than 3 sites.

        Examples
        --------
        >>> import unconfuse as uc
        >>> y, s = [1, 0] * 60, [.9, .3, .7, .4, .2, .6] * 20
        >>> found = uc.evaluate(y, s, site=list("aabbccdd") * 15, metrics=["auroc"]).sites["auroc"]
        >>> found.chance(0.5) > found.chance(0.8)
        True
        """
        goal, root = check_number(at_least, "at_least"), self.metric.root
        if self.models is None and root.of is not self.metric:
            above = self._pooled.chance_above((goal - root.shift) / root.scale)
            return above if root.scale > 0 else 1 - above
        return self._pooled.chance_above(goal)

    @property
    def sentence(self) -> str:
        """What to expect of a new place, beside the mean place."""
        name, mean, new = short_label(self.metric.label), self.mean, self.new_site
        what = f"{_article(name)} {name}" if self.models is None else f"a difference in {name}"
        if mean.undefined:
            return f"What to expect of a new place cannot be estimated: {name} is undefined in all places."
        if math.isnan(new.low):
            of = "" if self.models is None else f" ({' minus '.join(self.models)})"
            said = "One place says" if self.n_sites == 1 else "Two places say"
            shown = [
                f"{number_text(self.estimates[site].value)} in {called(site, 'place')}"
                for site in self.values.taking_part
            ]
            return f"{said} nothing about other places: {what.split(' ', 1)[1]}{of} is {' and '.join(shown)}."
        of = "" if self.models is None else f" ({' minus '.join(self.models)})"
        low, high = number_text(new.low), number_text(new.high)
        shown_alike = (low, high) == (number_text(mean.low), number_text(mean.high))
        why = _NO_SPREAD if shown_alike and self.spread.deviation == 0 else ""
        return (
            f"In a new place expect {what}{of} between {low} and {high}; the mean place has {number_text(mean.value)} "
            f"{mean.interval_text}.{why}"
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each site, then the mean and a new site."""
        every = {**self.estimates, "mean site": self.mean, "new site": self.new_site}
        keys = ("value", "low", "high", "method")
        return [{"site": name, **{key: getattr(estimate, key) for key in keys}} for name, estimate in every.items()]

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """Draw each site, the mean and a new one as a forest; saved if a path is given."""
        plots = lazy_import("plots")
        drawn = plots.plot_sites(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metric": self.metric.name,
            **({} if self.models is None else {"first": self.models[0], "second": self.models[1]}),
            "mean": self.mean.as_dict(),
            "new_site": self.new_site.as_dict(),
            "spread": self.spread.as_dict(),
            "p_value": self.p_value,
            "test": self.test,
            "estimates": {name: estimate.as_dict() for name, estimate in self.estimates.items()},
            "left_out": dict(self.left_out),
            "sentence": self.sentence,
        }

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"{name}: {estimate}" for name, estimate in self.estimates.items())])

    def __repr__(self) -> str:
        return f"PooledSites over {self.n_sites} sites: {self.sentence}"

    def _repr_html_(self) -> str:
        rows = [[_html_repr.text(row["site"], 28), number_text(row["value"]), _interval(row)] for row in self.rows()]
        return _html_repr.card(
            f"{self.n_sites} sites", _html_repr.table(["", "", ""], rows, numbers=[1]), verdict=self.sentence
        )


def _interval(row: Mapping[str, Any]) -> str:
    return "" if math.isnan(row["low"]) else f"[{number_text(row['low'])}, {number_text(row['high'])}]"


def _article(word: str) -> str:
    """Return the article of a word, or of an abbreviation that is spelt out.

    >>> _article("AUROC"), _article("sensitivity"), _article("accuracy"), _article("F1"), _article("MCC")
    ('an', 'a', 'an', 'an', 'an')
    """
    first = word.split(" ", maxsplit=1)[0]
    spelt = first.isupper() or not first.isalpha()
    return "an" if (spelt and first[0] in _SAID_AS_VOWELS) or first[0].lower() in _VOWELS else "a"
