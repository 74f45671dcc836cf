"""Populations to draw test sets from, with the true value of every metric: normal, unequal, heavy-tailed, rounded.

Ranks need no scores: negatives only matter by how many of them lie between two neighbouring positives. Given the
positives these gaps are multinomial, so a test set of 10,000 with 200 positives costs 200 draws (exactly, not nearly).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri, stdtr, stdtrit

from unconfuse.metrics.influence_functions import auprc_influence, average_precision_influence
from unconfuse.table import ScoreTable

_FINE = (np.arange(100_000) + 0.5) / 100_000


@dataclass(frozen=True)
class ScoreModel:
    """Negatives are standard; positives are shifted to the wanted AUROC, and `sd` times as wide."""

    name: str
    auroc: float
    sd: float = 1.0
    tails: int | None = None  # degrees of freedom of Student's t, or None for the normal distribution
    width: float | None = None  # scores rounded to multiples of this

    def below(self, x):
        return ndtr(x) if self.tails is None else stdtr(self.tails, x)

    def quantile(self, p):
        return ndtri(p) if self.tails is None else stdtrit(self.tails, p)

    def noise(self, rng, size):
        draws = rng.standard_normal(size)
        return draws if self.tails is None else draws / np.sqrt(rng.chisquare(self.tails, size) / self.tails)

    @cached_property
    def shift(self) -> float:
        if self.tails is None:
            return float(ndtri(self.auroc) * np.hypot(1, self.sd))
        spread = self.sd * self.quantile(_FINE[::20])
        return float(brentq(lambda shift: np.mean(self.below(shift + spread)) - self.auroc, -5, 50))

    @cached_property
    def blocks(self) -> tuple[np.ndarray, np.ndarray]:
        """Share of each class in each block of tied scores, highest first."""
        edges = np.arange(-8, 12, self.width)[::-1]
        shares = (
            np.diff(self.below((centre - edges) / sd), prepend=0.0, append=1.0)
            for centre, sd in ((self.shift, self.sd), (0.0, 1.0))
        )
        positive, negative = (np.maximum(share, 0) / np.maximum(share, 0).sum() for share in shares)
        return positive, negative

    def tables(self, rng, samples, n, prevalence) -> ScoreTable:
        """A stack of test sets from a cohort; at least two of each class."""
        positives = np.clip(rng.binomial(n, prevalence, samples), 2, n - 2)
        if self.width is not None:
            weights = (
                rng.multinomial(size, share).astype(float)
                for size, share in zip((positives, n - positives), self.blocks, strict=True)
            )
            return ScoreTable(np.arange(len(self.blocks[0]), 0, -1.0), *weights)
        most = positives.max()
        above = 1 - self.below(self.shift + self.sd * self.noise(rng, (samples, most)))
        present = np.arange(most) < positives[:, None]
        above = np.sort(np.where(present, above, 1.0), axis=1)
        gaps = np.diff(above, axis=1, prepend=0.0, append=1.0)
        weights = np.zeros((2, samples, 2 * most + 1))
        weights[0, :, 1::2], weights[1, :, 0::2] = present, rng.multinomial(n - positives, gaps)
        return ScoreTable(np.arange(2 * most + 1, 0, -1.0), *weights)

    def truth(self, prevalence) -> dict[str, float]:
        """Population values; with ties the step and the interpolated area differ for good."""
        if self.width is not None:
            shares = (1e9 * prevalence * self.blocks[0], 1e9 * (1 - prevalence) * self.blocks[1])
            table = ScoreTable(np.arange(len(shares[0]), 0, -1.0), *shares)
            v, u = (np.cumsum(share) for share in self.blocks)
            area = float(self.blocks[1] @ (v - self.blocks[0] / 2))
            step, interpolated = (float(f(table).value) for f in (average_precision_influence, auprc_influence))
        else:
            v = _FINE
            u = 1 - self.below(self.shift - self.sd * self.quantile(v))
            area, step = float(np.mean(1 - u)), float(np.mean(prevalence * v / (prevalence * v + (1 - prevalence) * u)))
            interpolated = step
        f1 = 2 * prevalence * v / (prevalence * (1 + v) + (1 - prevalence) * u)
        return {
            "auroc": area,
            "average_precision": step,
            "auprc_davis_goadrich": interpolated,
            "max_f1": float(np.max(f1)),
            "ks": float(np.max(v - u)),
        }


def models(auroc: float) -> list[ScoreModel]:
    return [
        ScoreModel("normal", auroc),
        ScoreModel("wide positives", auroc, sd=1.5),
        ScoreModel("narrow positives", auroc, sd=0.6),
        ScoreModel("heavy tails (t, 3 df)", auroc, tails=3),
        ScoreModel("rounded to 0.5", auroc, width=0.5),
    ]


@dataclass(frozen=True)
class Forecast:
    """Probabilities from normal scores by the logistic link: calibrated, overconfident, or too high."""

    name: str
    scores: ScoreModel
    stretch: float = 1.0
    raised: float = 0.0

    def probability(self, x, prevalence):
        model = self.scores
        evidence = -0.5 * ((x - model.shift) / model.sd) ** 2 - np.log(model.sd) + 0.5 * x**2
        return expit(np.clip(logit(prevalence) + self.stretch * evidence + self.raised, -30, 30))

    def rows(self, rng, samples, n, prevalence):
        truth = rng.random((samples, n)) < prevalence
        model = self.scores
        x = rng.standard_normal((samples, n)) * np.where(truth, model.sd, 1) + model.shift * truth
        return truth, self.probability(x, prevalence)

    def truth(self, prevalence) -> dict[str, float]:
        z = np.linspace(-9, 9, 20_001)
        weight = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
        of_positive = self.probability(self.scores.shift + self.scores.sd * z, prevalence)
        of_negative = self.probability(z, prevalence)

        def mean(positive, negative):
            return float(prevalence * weight @ positive + (1 - prevalence) * weight @ negative)

        return {
            "brier": mean((1 - of_positive) ** 2, of_negative**2),
            "log_loss": mean(-np.log(of_positive), -np.log1p(-of_negative)),
        }


def forecasts(auroc: float) -> list[Forecast]:
    even, wide = ScoreModel("normal", auroc), ScoreModel("wide positives", auroc, sd=1.5)
    return [
        Forecast("calibrated", even),
        Forecast("calibrated, wide positives", wide),
        Forecast("overconfident", even, stretch=2.0),
        Forecast("too high", even, raised=1.0),
    ]
