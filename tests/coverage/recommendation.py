"""Does the better model win by the recommended metric at least as often as by the AUROC? `make coverage`.

    python tests/coverage/recommendation.py [--quick] --output docs/coverage-recommendation.md

In every setting the metric is recommended as a user would be told, and then judged by other samples, with another seed
and more of them. Discrete scores are of populations whose positives are tilted, so that no score changes.

The second table is of finite samples, as users have them: average precision beside the AUROC, whose efficiency in the
population is known from simulation. "Better" is wrong where the AUROC is better, "none is known to be better" where
average precision saves 5% of the cases. The third is of real models, whose next one is better in no simple way: what
was said on their scores, beside how often each metric chooses the better of two of them.

Requirement: of finite samples at most one in twenty is told wrong in any population, beyond two Monte-Carlo errors, and
of real models' test sets at most one in five. In no setting does the better model win less often by the recommended
metric than by the AUROC, beyond two Monte-Carlo errors; and where the AUROC is recommended, no other metric wins more
often and saves 10% of the cases, beyond three. The exit status is 1 if that fails.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import zlib
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.optimize import brentq

import unconfuse as uc
from unconfuse.resolving.improvement_kinds import BETTER, CANNOT_TELL, DEPENDS, NONE
from unconfuse.resolving.win_probability import contest, win_chance
from unconfuse.table import ScoreTable

OUTCOMES = (BETTER, NONE, DEPENDS, CANNOT_TELL)
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


FINITE = {
    "gumbel (left)": stats.gumbel_l(),
    "skew-normal (-5)": stats.skewnorm(-5),
    "Laplace": stats.laplace(),
    "lognormal": stats.lognorm(1),
    "t(3)": stats.t(3),
    "normal": stats.norm(),
    "logistic": stats.logistic(),
    "uniform": stats.uniform(),
}
FINITE_SIZES = ((300, 90, 0.75), (1000, 100, 0.85))  # cases, of which positive, and AUROC
WORTH = math.log(1.05)
BOTH = ("auroc", "average_precision")


@dataclass(frozen=True)
class Told:
    """One population: how often samples of it were told rightly, wrongly, or not; and what if no kind is named."""

    family: str
    size: tuple[int, int, float]
    truth: float
    right: int
    wrong: int
    open: int
    unnamed: dict[str, int]

    @property
    def fails(self) -> bool:
        """More than one in twenty is told wrong, beyond two Monte-Carlo errors."""
        samples = self.right + self.wrong + self.open
        return self.wrong / samples > 0.05 + 2 * math.sqrt(0.05 * 0.95 / samples)


def log_efficiency(distribution: Any, size: tuple[int, int, float]) -> float:
    """How many cases the AUROC needs for one of average precision, in the population, by simulation."""
    cases, positives, quality = size
    how: dict[str, Any] = {"n": cases, "prevalence": positives / cases, "at": quality, "method": "asymptotic"}
    rp = uc.resolving_power(uc.Distributions(distribution, distribution), BOTH, improvement="shift", **how)
    found = contest(rp.verdicts(quality).pair, rp.contestants, rp.sizes, seed=4711, n_samples=8000)
    return math.log(found["average_precision"].efficiency(found["auroc"])[0])


def told(family: str, distribution: Any, size: tuple[int, int, float], samples: int) -> Told:
    """The recommendation on samples of a population whose positives are shifted; every fourth without that word."""
    cases, positives, quality = size
    negative = distribution.ppf(np.linspace(5e-5, 1 - 5e-5, 10_000))
    shift = brentq(lambda each: distribution.sf(negative - each).mean() - quality, 0, 50)
    labels, truth = np.arange(cases) < positives, log_efficiency(distribution, size)
    rng = np.random.default_rng(zlib.crc32(f"{family} {size}".encode()))
    found, unnamed = [], dict.fromkeys(OUTCOMES, 0)
    for seed in range(samples):
        score = distribution.ppf(rng.random(cases)) + shift * labels
        model = uc.Empirical(labels, score, scale="raw")
        rp = uc.resolving_power(model, BOTH, at=quality, method="asymptotic")
        found.append(rp.verdicts(quality).outcome)
        if seed % 4 == 0:
            unnamed[rp.recommendation.outcome] += 1
    better, none = found.count(BETTER), found.count(NONE)
    right, wrong = (better, none) if truth > WORTH else (none, better)
    return Told(family, size, truth, right, wrong, found.count(CANNOT_TELL), unnamed)


def finite(samples: int) -> list[Told]:
    """All populations."""
    return [told(*each, size, samples) for size in FINITE_SIZES for each in FINITE.items()]


def finite_report(found: list[Told], samples: int) -> str:
    """The second table."""
    lines = [
        f"{samples} samples of each population: is average precision better than the AUROC, if all positives move up "
        "alike? The truth is ln of how many cases the AUROC needs for one of average precision, from 8,000 simulated "
        "samples. The last four columns are of every fourth sample, without saying how models get better.",
        "",
        f"Of {sum(each.right + each.wrong for each in found)} samples that were told, "
        f"{sum(each.wrong for each in found)} were told wrong; of {sum(each.open for each in found)} it was said that "
        "the data cannot tell.",
        "",
        "| scores | cases | positive | AUROC | truth | right | wrong | cannot tell | not named: better | none known "
        "| depends | cannot tell |",
        "|---" * 12 + "|",
    ]
    for each in found:
        unnamed = " | ".join(str(each.unnamed[name]) for name in OUTCOMES)
        place = f"| {each.family} | {each.size[0]:,} | {each.size[1]} | {each.size[2]:g} | {each.truth:+.2f} "
        lines.append(f"{place}| {each.right} | {each.wrong} | {each.open} | {unnamed} |")
    return "\n".join(lines) + "\n"


RANKS = ("auroc", "average_precision", "h_measure")
TRAINING, TESTED = 1500, 20_000


@dataclass(frozen=True)
class Real:
    """One study of real models: how often each metric chooses the better one, and what was recommended."""

    study: str
    cases: int
    prevalence: float
    pairs: int
    rates: dict[str, float]
    said: dict[str, int]
    wrong: int
    safest: dict[str, int]


def usual_models() -> list[Any]:
    """Four kinds of classifiers."""
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB

    forest = RandomForestClassifier(100, min_samples_leaf=3, random_state=0)
    return [LogisticRegression(max_iter=1000), GaussianNB(), forest, HistGradientBoostingClassifier(random_state=0)]


def boosted_models() -> list[Any]:
    """One kind of classifier that learns for longer."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return [HistGradientBoostingClassifier(max_iter=each, random_state=0) for each in (3, 6, 12, 24)]


STUDIES: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "four classifiers, rare positives": (
        usual_models,
        2000,
        {"weights": [0.945], "class_sep": 0.8, "flip_y": 0.01, "n_informative": 8, "random_state": 3},
    ),
    "four classifiers, noisy labels": (
        usual_models,
        600,
        {"weights": [0.7], "class_sep": 0.6, "flip_y": 0.15, "n_informative": 6, "random_state": 4},
    ),
    "boosting for 3, 6, 12 and 24 rounds": (
        boosted_models,
        1000,
        {"weights": [0.9], "class_sep": 0.7, "flip_y": 0.02, "n_informative": 6, "random_state": 5},
    ),
}


def real(study: str, models: Any, cases: int, data: dict[str, Any], repetitions: int, samples: int) -> Real:
    """Models are trained once; their order is known from many cases, and each is tested on small samples."""
    from sklearn.datasets import make_classification

    features, labels = make_classification(TRAINING + TESTED, 20, **data)
    fitted = [each.fit(features[:TRAINING], labels[:TRAINING]) for each in models()]
    features, labels = features[TRAINING:], labels[TRAINING:]
    scores = [each.predict_proba(features)[:, 1] for each in fitted]
    random = np.random.default_rng(17)
    drawn = [
        {name: [] for name in RANKS} | {"rows": [random.integers(len(labels), size=cases) for _ in range(repetitions)]}
        for _ in scores
    ]
    for score, own in zip(scores, drawn, strict=True):
        for rows in own["rows"]:
            table = uc.score_table(labels[rows], score[rows])
            for name in RANKS:
                own[name].append(float(uc.METRICS[name](table)))
    whole = [{name: float(uc.METRICS[name](uc.score_table(labels, each))) for name in RANKS} for each in scores]
    wins: dict[str, list[float]] = {name: [] for name in RANKS}
    for worse, better in permutations(range(len(scores)), 2):
        if all(whole[better][name] > whole[worse][name] for name in RANKS):  # else it is open which is the better one
            for name in RANKS:
                wins[name].append(win_chance(*(np.array(drawn[each][name]) for each in (worse, better))))
    rates = {name: float(np.mean(each)) for name, each in wins.items()}
    said, safest, wrong = dict.fromkeys(OUTCOMES, 0), dict.fromkeys(RANKS, 0), 0
    for score, own in zip(scores, drawn, strict=True):
        for rows in own["rows"][:samples]:
            advice = uc.resolving_power(
                uc.Empirical(labels[rows], score[rows]), RANKS, method="asymptotic"
            ).recommendation
            said[advice.outcome] += 1
            safest[advice.safest or "auroc"] += 1
            wrong += _is_wrong(advice, rates, len(wins["auroc"]) * repetitions)
    return Real(study, cases, float(labels.mean()), len(wins["auroc"]), rates, said, wrong, safest)


def _is_wrong(advice: Any, rates: dict[str, float], tests: int) -> bool:
    """Whether a metric is named that chooses rightly less often than the AUROC, or the AUROC where another does."""
    error = 2 * math.sqrt(0.5 / tests)
    if advice.outcome == BETTER:
        return rates[advice.metric] < rates["auroc"] - error
    return advice.outcome == NONE and max(rates.values()) > rates["auroc"] + error


def real_report(found: list[Real], repetitions: int, samples: int) -> str:
    """The third table."""
    lines = [
        f"Classifiers of scikit-learn, trained on {TRAINING:,} cases of `make_classification`; the better of two is "
        f"known from {TESTED:,} other cases, where all three metrics agree. `right` is how often it wins by a metric, "
        f"each model on cases of its own, over {repetitions} test sets; what was said is counted over {samples} test "
        "sets of each model, without saying how models get better. `wrong` is a metric that chooses rightly less often "
        "than the AUROC, or none where another chooses rightly more often, beyond two errors. The last columns count "
        "which metric was said to lose least whatever the kind.",
        "",
        "| study | cases | positive | pairs | right: AUROC | AP | H | better | none known | depends | cannot tell "
        "| wrong | loses least: AUROC | AP | H |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        rates = " | ".join(f"{each.rates[name]:.3f}" for name in RANKS)
        said = " | ".join(str(each.said[name]) for name in OUTCOMES)
        safest = " | ".join(str(each.safest[name]) for name in RANKS)
        place = f"| {each.study} | {each.cases:,} | {each.prevalence:.1%} | {each.pairs} "
        lines.append(f"{place}| {rates} | {said} | {each.wrong} | {safest} |")
    return "\n".join(lines) + "\n"


def report(found: list[Outcome], samples: int) -> str:
    """The table as a page."""
    none = sum(each.metric == "auroc" for each in found)
    lines = [
        f"{len(found)} settings, {len(METRICS)} metrics, {samples:,} other samples each.",
        "",
        f"In {none} settings no metric was recommended over the AUROC. In {sum(each.worse for each in found)} "
        "settings the recommended metric was worse than the AUROC beyond two Monte-Carlo errors; in "
        f"{sum(each.missed for each in found)} a metric that saves a tenth of the cases was missed.",
        "",
        "| scores | cases | prevalence | AUROC | recommended | better model wins | by AUROC | ± |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in found:
        said = "none known" if each.metric == "auroc" else each.metric
        place = f"| {each.family} | {each.n:,} | {each.prevalence:g} | {each.at:g} "
        lines.append(f"{place}| {said} | {each.own:.3f} | {each.auroc:.3f} | {each.error:.3f} |")
    return "\n".join(lines) + "\n"


TITLE = "# Does the better model win by the recommended metric?"
HEADS = {"settings": "Known distributions", "finite": "Finite samples", "real": "Real models"}


def written(parts: dict[str, str], output: Path | None) -> str:
    """The page; parts that were not run again are those of the last run."""
    before = output.read_text() if output is not None and output.exists() else ""
    chapters = []
    for name, head in HEADS.items():
        kept = before.partition(f"## {head}\n\n")[2].partition("\n## ")[0].rstrip() + "\n"
        chapters.append(f"## {head}\n\n{parts.get(name, kept)}")
    return f"{TITLE}\n\nMade by `tests/coverage/recommendation.py`.\n\n" + "\n".join(chapters)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--part", action="append", choices=tuple(HEADS), help="only this; may be repeated")
    parser.add_argument("--repetitions", type=int, help="samples of each population, and test sets of each real model")
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    start, samples = time.process_time(), 2000 if given.quick else 8000
    asked, fails, parts = given.part or list(HEADS), False, {}
    if "settings" in asked:
        found = outcomes(samples, given.quick)
        fails |= any(each.worse or each.missed for each in found)
        parts["settings"] = report(found, samples)
    if "finite" in asked:
        redrawn = given.repetitions or (12 if given.quick else 40)
        sampled = finite(redrawn)
        fails |= any(each.fails for each in sampled)
        parts["finite"] = finite_report(sampled, redrawn)
    if "real" in asked:
        repetitions = 100 if given.quick else 400
        tested = given.repetitions or (2 if given.quick else 5)
        studied = [real(study, *each, repetitions, tested) for study, each in STUDIES.items()]
        fails |= any(each.wrong > sum(each.said.values()) / 5 for each in studied)
        parts["real"] = real_report(studied, repetitions, tested)
    text = written(parts, given.output)
    print(text)
    print(f"{time.process_time() - start:.0f} s of CPU", file=sys.stderr)
    if given.output:
        given.output.write_text(text)
    return int(fails)


if __name__ == "__main__":
    sys.exit(main())
