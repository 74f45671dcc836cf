"""Does the better model win by the recommended metric at least as often as by the AUROC? `make coverage`.

    python tests/coverage/recommendation.py [--quick] --output docs/coverage-recommendation.md

In every setting the metric is recommended as a user would be told, and then judged by other samples, with another seed
and more of them. Discrete scores are of populations whose positives are tilted, so that no score changes.

The second table is of finite samples, as users have them: average precision beside the AUROC, whose efficiency in the
population is known from simulation. "Better" is wrong where the AUROC is better, "no metric is known to be better"
where average precision saves 5% of the cases.

Requirement: of finite samples at most one in twenty is told wrong in any population. In no setting does the better
model win less often by the recommended metric than by the AUROC, beyond two Monte-Carlo errors; and where the AUROC is
recommended, no other metric wins more often and saves 10% of the cases, beyond three. The exit status is 1 if that
fails.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

import unconfuse as uc
from unconfuse.resolving.winning import contest
from unconfuse.table import ScoreTable

METRICS = ("auroc", "average_precision", "h_measure", "max_mcc", "max_f1", "auprg", "precision_at_indistinguishability")


def discrete(values: int, first: float, second: float) -> Any:
    """Binomial scores of so many values, as a table without sampling noise."""
    places = np.arange(values)[::-1]
    weights = (stats.binom(values - 1, p).pmf(places) * 1e6 for p in (first, second))
    return uc.Empirical(ScoreTable(places.astype(float), *weights))


def families() -> dict[str, Any]:
    """Models by name."""
    beta, gamma = stats.beta, stats.gamma
    return {
        "normal": uc.Binormal(),
        "normal, sd ratio 0.5": uc.Binormal(sd_ratio=0.5),
        "normal, sd ratio 2": uc.Binormal(sd_ratio=2.0),
        "beta(2, 1), beta(1, 2)": uc.Distributions(beta(2, 1), beta(1, 2)),
        "beta(5, 2), beta(2, 5)": uc.Distributions(beta(5, 2), beta(2, 5)),
        "gamma(2), gamma(2)": uc.Distributions(gamma(2), gamma(2)),
        "gamma(1), gamma(3)": uc.Distributions(gamma(1), gamma(3)),
        "t(3)": uc.Distributions(stats.t(3), stats.t(3)),
        "t(2)": uc.Distributions(stats.t(2), stats.t(2)),
        "lognormal": uc.Distributions(stats.lognorm(1), stats.lognorm(1)),
        "Weibull": uc.Distributions(stats.weibull_min(0.8), stats.weibull_min(1.5)),
        "Pareto(2)": uc.Distributions(stats.pareto(2), stats.pareto(2)),
        "uniform": uc.Uniform(),
        "exponential": uc.Distributions(stats.expon(), stats.expon()),
        **{f"{k} values": discrete(k, 0.6, 0.4) for k in (2, 3, 5, 10, 20)},
    }


SIZES = (
    (60, 0.2, 0.75),
    (500, 0.1, 0.75),
    (2000, 0.02, 0.85),
    (20_000, 0.01, 0.95),
    (1000, 0.5, 0.65),
    (500, 0.9, 0.8),
)


@dataclass(frozen=True)
class Outcome:
    """One setting: what was recommended, and how often the better model wins by it and by the AUROC."""

    family: str
    n: int
    prevalence: float
    at: float
    metric: str
    own: float
    auroc: float
    error: float
    best: str
    best_gain: float
    best_error: float

    @property
    def worse(self) -> bool:
        """Beyond two Monte-Carlo errors."""
        return self.own < self.auroc - 2 * self.error

    @property
    def missed(self) -> bool:
        """The AUROC was recommended though another metric saves a tenth of the cases for sure."""
        return self.metric == "auroc" and self.best_gain > 3 * self.best_error and self.best != "auroc"


def judged(family: str, model: Any, n: int, prevalence: float, at: float, samples: int) -> Outcome:
    """The recommendation, and other samples' verdict."""
    rp = uc.resolving_power(model, METRICS, n=n, prevalence=prevalence, at=at, n_samples=100, rng=1)
    found = rp.verdicts(at)
    again = contest(found.pair, rp.contestants, rp.sizes, seed=987_654, n_samples=samples)
    base = again["auroc"]
    usable = [each for each in again.values() if not each.undefined]
    gains = {each.metric: each.parts - base.parts for each in usable}
    errors = {name: float(np.std(gain, ddof=1) / np.sqrt(len(gain))) for name, gain in gains.items()}
    worth = [each for each in usable if each.efficiency(base)[0] > 1.1] or [base]
    best = max(worth, key=lambda each: each.wins)
    own = again[found.choice]
    numbers = found.choice, own.wins, base.wins, errors[found.choice]
    return Outcome(family, n, prevalence, at, *numbers, best.metric, best.wins - base.wins, errors[best.metric])


def outcomes(samples: int, quick: bool) -> list[Outcome]:
    """Every family with the sizes whose turn it is, so that all of both occur."""
    found = []
    for place, (family, model) in enumerate(families().items()):
        turns = range(1 if quick else 3)
        for n, prevalence, at in (SIZES[(place + 2 * turn) % len(SIZES)] for turn in turns):
            reachable = min(at, 0.8) if family == "2 values" else at  # beyond, two tied values cannot go
            try:
                found.append(judged(family, model, n, prevalence, reachable, samples))
            except uc.UnconfuseError as error:
                print(f"{family}, n {n}, AUROC {at}: {error}", file=sys.stderr)
    return found


FINITE = {  # and the log efficiency of average precision at n = 300, 30% positive, AUROC .75
    "gumbel (left)": (stats.gumbel_l(), 0.392),
    "skew-normal (-5)": (stats.skewnorm(-5), 0.332),
    "Laplace": (stats.laplace(), -0.288),
    "t(3)": (stats.t(3), -0.323),
    "normal": (stats.norm(), -0.162),
    "uniform": (stats.uniform(), -0.083),
}
CASES, POSITIVES, QUALITY, WORTH = 300, 90, 0.75, math.log(1.05)


@dataclass(frozen=True)
class Told:
    """One population: how often samples of it were told rightly, wrongly, or not."""

    family: str
    truth: float
    right: int
    wrong: int
    open: int

    @property
    def fails(self) -> bool:
        """More than one in twenty is told wrong, beyond two of 40."""
        return self.wrong > max(2, (self.right + self.wrong + self.open) / 20)


def told(family: str, distribution: Any, truth: float, samples: int) -> Told:
    """The recommendation on samples of a population whose positives are shifted."""
    negative = distribution.ppf(np.linspace(5e-5, 1 - 5e-5, 10_000))
    shift = brentq(lambda each: distribution.sf(negative - each).mean() - QUALITY, 0, 20)
    labels, found = np.arange(CASES) < POSITIVES, []
    for seed in range(samples):
        score = distribution.ppf(np.random.default_rng([23, seed]).random(CASES)) + shift * labels
        model = uc.Empirical(labels, score, scale="raw")
        rp = uc.resolving_power(model, ["auroc", "average_precision"], at=QUALITY, method="asymptotic")
        found.append(rp.verdicts(QUALITY).outcome)
    better, none = found.count("better"), found.count("no metric is known to be better")
    right, wrong = (better, none) if truth > WORTH else (none, better)
    return Told(family, truth, right, wrong, found.count("cannot tell"))


def finite(samples: int) -> list[Told]:
    """All populations."""
    return [told(family, *known, samples) for family, known in FINITE.items()]


def finite_report(found: list[Told], samples: int) -> str:
    """The second table."""
    lines = [
        "",
        "## On finite samples",
        "",
        f"{samples} samples of each population, {CASES} cases ({POSITIVES} positive), AUROC {QUALITY}: is average "
        "precision better than the AUROC? The truth is ln of how many cases the AUROC "
        "needs for one of average precision.",
        "",
        "| scores | truth | right | wrong | cannot tell |",
        "|---|---|---|---|---|",
        *(f"| {each.family} | {each.truth:+.2f} | {each.right} | {each.wrong} | {each.open} |" for each in found),
    ]
    return "\n".join(lines) + "\n"


def report(found: list[Outcome], samples: int) -> str:
    """The table as a page."""
    none = sum(each.metric == "auroc" for each in found)
    lines = [
        "# Does the better model win by the recommended metric?",
        "",
        f"{len(found)} settings, {len(METRICS)} metrics, {samples:,} other samples each; made by "
        "`tests/coverage/recommendation.py`.",
        "",
        f"In {none} settings no metric was recommended over the AUROC. In {sum(each.worse for each in found)} "
        "settings the recommended metric was worse than the AUROC beyond two Monte-Carlo errors; in "
        f"{sum(each.missed for each in found)} a metric that saves a tenth of the cases was missed.",
        "",
        "| scores | cases | prevalence | AUROC | recommended | better model wins | by AUROC | ± |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        said = "none is better" if each.metric == "auroc" else each.metric
        place = f"| {each.family} | {each.n:,} | {each.prevalence:g} | {each.at:g} "
        lines.append(f"{place}| {said} | {each.own:.3f} | {each.auroc:.3f} | {each.error:.3f} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    start, samples = time.process_time(), 2000 if given.quick else 8000
    found = outcomes(samples, given.quick)
    redrawn = 12 if given.quick else 40
    sampled = finite(redrawn)
    text = report(found, samples) + finite_report(sampled, redrawn)
    print(text)
    print(f"{time.process_time() - start:.0f} s of CPU", file=sys.stderr)
    if given.output:
        given.output.write_text(text)
    return int(any(each.worse or each.missed for each in found) or any(each.fails for each in sampled))


if __name__ == "__main__":
    sys.exit(main())
