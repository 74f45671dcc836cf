"""How often intervals at a threshold that the same cases chose hold the truth about that threshold. `make coverage`.

    python tests/coverage/thresholds.py [--quick] [--repetitions 400] --output docs/coverage-thresholds.md

Every rule of a card, in settings from a useless model to a very good one, with ties and with groups. The truth is the
performance of the threshold that is shown, in the population that the scores came from. Required: at least 93% in 95%
of the cells of the default (a cell is a setting, a rule and a metric), less two Monte-Carlo standard errors.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

import unconfuse as uc

METRICS = ("sensitivity", "specificity", "precision", "accuracy", "f1", "youden_j")
WAYS = ("bootstrap", "crossfit", "optimism", "none")
GOAL = 0.93


@dataclass(frozen=True)
class Setting:
    """A population and the size of a sample from it; `groups` of five cases each share a normal effect."""

    name: str
    n: int
    prevalence: float
    shift: float
    family: str = "norm"
    decimals: int | None = None
    groups: float = 0.0  # standard deviation of the groups' effect

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Labels, scores and groups; at least five cases of each class."""
        while True:
            y = rng.random(self.n) < self.prevalence
            if 5 <= y.sum() <= self.n - 5:
                break
        noise = getattr(stats, self.family).rvs(*_shape(self.family), size=self.n, random_state=rng)
        group = np.arange(self.n) // 5 if self.groups else None
        shared = 0.0 if group is None else self.groups * rng.normal(size=self.n)[group]
        score = noise + self.shift * y + shared
        return y, score if self.decimals is None else np.round(score, self.decimals), group

    def truth(self, threshold: float) -> uc.Counts:
        """The population's 2x2 table at a threshold."""
        cut = threshold if self.decimals is None else threshold - 0.5 * 10.0**-self.decimals
        scale = np.sqrt(1 + self.groups**2)  # groups are drawn for normal scores only
        of = getattr(stats, self.family)(*_shape(self.family))
        tpr, fpr = (float(of.sf((cut - place) / scale)) for place in (self.shift, 0.0))
        p = self.prevalence
        return uc.Counts(tp=p * tpr, fp=(1 - p) * fpr, fn=p * (1 - tpr), tn=(1 - p) * (1 - fpr))


def _shape(family: str) -> tuple[float, ...]:
    return {"t": (3.0,), "skewnorm": (4.0,), "lognorm": (1.0,)}.get(family, ())


SETTINGS = (
    Setting("useless", 60, 0.5, 0.0),
    Setting("fair", 60, 0.5, 1.0),
    Setting("good", 60, 0.3, 2.5),
    Setting("fair, rare", 200, 0.1, 1.2),
    Setting("logistic", 150, 0.3, 2.0, "logistic"),
    Setting("heavy tails", 150, 0.4, 1.5, "t"),
    Setting("skewed", 150, 0.3, 1.0, "skewnorm"),
    Setting("rounded to whole numbers", 120, 0.4, 1.5, "norm", 0),
    Setting("fair", 1000, 0.2, 1.0),
    Setting("groups of 5", 200, 0.4, 1.3, groups=0.7),
    Setting("bounded below", 80, 0.4, 1.0, "lognorm"),
    Setting("long upper tail", 40, 0.4, 1.5, "gumbel_r"),
    Setting("useless, few positives", 100, 0.3, 0.0),
    Setting("fair, rare", 400, 0.05, 1.5),
)

Tally = dict[tuple[str, str, str], list[tuple[bool, bool, float, float]]]


def simulated(setting: Setting, repetitions: int, ways: Iterable[str], seed: int = 0) -> Tally:
    """By way, rule and metric, for each repetition: whether the interval is too high, too low, its width, the error."""
    warnings.simplefilter("ignore")
    rng, found = np.random.default_rng([seed, SETTINGS.index(setting)]), Tally()
    for repetition in range(repetitions):
        y, s, group = setting.draw(rng)
        for way in ways:
            card = uc.threshold_card(
                y, s, groups=group, honest=way, costs=(1, 3), maximise=["accuracy"], metrics=METRICS, threshold=None,
                n_resamples=300, rng=repetition,
            )  # fmt: skip
            for rule, point in card.items():
                truth = setting.truth(point.threshold.value)
                for name in METRICS:
                    each, true = point.metrics[name], float(uc.METRICS[name](truth))
                    if not np.isnan(each.low + true):
                        outcome = each.low > true + 1e-9, each.high < true - 1e-9
                        found.setdefault((way, rule, name), []).append(
                            (*outcome, each.high - each.low, each.value - true)
                        )
    return found


def covered(outcomes: list[tuple[bool, bool, float, float]]) -> float:
    """Share of intervals that hold the truth."""
    return 1 - float(np.mean([low or high for low, high, *_ in outcomes]))


def page(found: dict[Setting, Tally], repetitions: int) -> str:
    lines = [
        "# Thresholds chosen on the same cases: coverage by simulation",
        "",
        f"Made by `tests/coverage/thresholds.py`, {repetitions} data sets for each setting. 95% intervals of "
        f"{', '.join(METRICS)}, about the true performance *of the threshold that is shown*. A cell is a setting, a "
        "rule and a metric. Intervals of r_b and C(r_b): [coverage](coverage-indistinguishability.md).",
        "",
        "## By way of measuring",
        "",
        "| setting | n | prevalence | way | mean coverage | cells below .93 | worst | mean width | RMSE |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for setting, tally in found.items():
        for way in WAYS:
            cells = {key: each for key, each in tally.items() if key[0] == way and _enough(each, repetitions)}
            if cells:
                lines.append(_line(setting, way, cells))
    lines += ["", "## By rule (default)", "", "| rule | mean coverage | worst cell |", "|---|---|---|"]
    rules = dict.fromkeys(rule for tally in found.values() for way, rule, _ in tally if way == WAYS[0])
    for rule in rules:
        shares = {
            f"{name}, {setting.name}, n = {setting.n}": covered(each)
            for setting, tally in found.items()
            for (way, own, name), each in tally.items()
            if (way, own) == (WAYS[0], rule) and _enough(each, repetitions)
        }
        if shares:
            worst = min(shares, key=lambda cell: shares[cell])
            lines.append(f"| {rule} | {np.mean(list(shares.values())):.3f} | {shares[worst]:.3f} ({worst}) |")
    return "\n".join([*lines, ""])


def _enough(outcomes: list[tuple[bool, bool, float, float]], repetitions: int) -> bool:
    """Cells that are mostly defined: a precision without labelled cases, or with fewer than five, has no interval."""
    return len(outcomes) >= repetitions / 2


def _line(setting: Setting, way: str, cells: Tally) -> str:
    shares = [covered(each) for each in cells.values()]
    below = np.mean([share < GOAL for share in shares])
    width = np.mean([np.mean([each[2] for each in own]) for own in cells.values()])
    error = np.mean([np.sqrt(np.mean([each[3] ** 2 for each in own])) for own in cells.values()])
    start = f"| {setting.name} | {setting.n} | {setting.prevalence} | {way} | {np.mean(shares):.3f} | "
    return f"{start}{below:.0%} | {min(shares):.3f} | {width:.3f} | {error:.3f} |"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer samples, for a few minutes")
    parser.add_argument("--repetitions", type=int, help="data sets for each setting; 400, with --quick 60")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS, help="ways of measuring to compare")
    parser.add_argument("--jobs", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    repetitions = options.repetitions or (60 if options.quick else 400)

    with multiprocessing.Pool(options.jobs) as pool:
        work = partial(simulated, repetitions=repetitions, ways=options.ways)
        found = dict(zip(SETTINGS, pool.map(work, SETTINGS, chunksize=1), strict=True))
    options.output.write_text(page(found, repetitions), encoding="utf-8")

    shares = [covered(each) for tally in found.values() for key, each in tally.items() if key[0] == WAYS[0]]
    least = GOAL - 2 * np.sqrt(GOAL * (1 - GOAL) / repetitions)
    low = float(np.mean([share < least for share in shares]))
    print(f"cells of the default below {least:.3f}: {low:.1%}; table in {options.output}")
    return 1 if low > 0.05 else 0


if __name__ == "__main__":
    sys.exit(main())
