"""Over time: intervals at all looks together, gates, false alarms of change, and forecasts under five kinds of shift.

    python tests/coverage/over_time.py [--samples 1600] [--output docs/coverage-time.md]

The requirements, with two standard errors of the simulation allowed: intervals hold the truth at every look in 94 of
100 samples, errors of the gate are at most 5% on each side, a false alarm within 1,000 cases comes in at most 5%, and
forecasts hold what comes in 90 of 100 batches where their own assumption is true. The exit code is 1 if one is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np

import unconfuse as uc
from unconfuse._scipy_special import expit, logit
from unconfuse.table.looks import Looks
from unconfuse.uncertainty.change_detection import gains_of_losses, log_statistic, log_wealth
from unconfuse.uncertainty.difference_tests import bonett_price
from unconfuse.uncertainty.sequential import level_at

METRICS = ("accuracy", "sensitivity", "f1", "mcc", "auroc", "average_precision", "brier")
PAIRED = ("accuracy", "auroc", "average_precision", "brier")
WEAK = {"average_precision"}  # below 20 positives, as the interval says
LOOKS = np.unique(np.geomspace(40, 2000, 15).astype(int))
SEPARATION, OTHER = 1.8, 1.6
EVERY, GATE, ALARM, FORECAST = 0.94, 0.05, 0.05, 0.90
LARGE = 1_000_000


def drawn(rng, n, prevalence, separation=SEPARATION):
    """Labels, and calibrated probabilities of two models on the same cases."""
    y = rng.random(n) < prevalence
    x, z = separation * y + rng.normal(size=n), OTHER * y + rng.normal(size=n)
    return y, calibrated(x, prevalence, separation), calibrated(z, prevalence, OTHER)


def calibrated(x, prevalence, separation):
    return expit(float(logit(prevalence)) + separation * x - separation**2 / 2)


def truth_of(prevalence, cut):
    """Values of both models in a very large sample."""
    y, one, other = drawn(np.random.default_rng(99), LARGE, prevalence)
    found = []
    for scores in (one, other):
        table = uc.score_table(y, scores)
        counts = uc.Counts(
            tp=float((y & (scores >= cut)).sum()), fp=float((~y & (scores >= cut)).sum()),
            fn=float((y & (scores < cut)).sum()), tn=float((~y & (scores < cut)).sum()),
        )  # fmt: skip
        found.append({n: float(uc.METRICS[n](counts if uc.METRICS[n].of == "counts" else table)) for n in METRICS})
    return found


def at_all_looks(samples, looks):
    """Share of samples whose intervals hold the truth at every look that has one."""
    lines = []
    for prevalence in (0.3, 0.05):
        cut, missed, narrow = prevalence, defaultdict(int), defaultdict(int)
        one, other = truth_of(prevalence, cut)
        for seed in range(samples):
            y, s, t = drawn(np.random.default_rng(seed), LOOKS[-1], prevalence)
            bad, once = set(), set()
            for n in LOOKS:
                if not 0 < y[:n].sum() < n:
                    continue
                ev = uc.evaluate(y[:n], s[:n], threshold=cut, metrics=METRICS, looks=looks)
                plain = uc.evaluate(y[:n], s[:n], threshold=cut, metrics=METRICS)
                bad |= {name for name in METRICS if outside(ev[name], one[name])}
                once |= {name for name in METRICS if outside(plain[name], one[name])}
                both = {"a": s[:n], "b": t[:n]}
                cmp = uc.compare(y[:n], both, threshold=cut, metrics=PAIRED, looks=looks)
                bad |= {f"difference of {k}" for k in PAIRED if outside(cmp[k, "a", "b"].difference, one[k] - other[k])}
            for name in bad:
                missed[name] += 1
            for name in once:
                narrow[name] += 1
        for name in (*METRICS, *(f"difference of {each}" for each in PAIRED)):
            plain = f"{1 - narrow[name] / samples:.3f}" if name in METRICS else ""
            lines.append((prevalence, name, 1 - missed[name] / samples, plain))
    return lines


def outside(each, value):
    return not math.isnan(each.low) and not each.low <= value <= each.high


def gate_errors(samples, looks, margin=0.02, discordant=0.1, cases=3000):
    """How often a model that is worse by the margin passes, one as good is called worse, and cases to a verdict."""
    sizes = np.unique(np.linspace(60, cases, looks).astype(int))
    levels = [level_at(Looks("any", 500.0, one_sided=True), float(n), 0.9) for n in sizes]
    rates, needed = {}, []
    for delta, error in ((-margin, "pass"), (0.0, "worse")):
        wrong = 0
        for seed in range(samples):
            u = np.random.default_rng([seed, looks]).random(cases)
            up = u < (discordant + delta) / 2
            down = (u >= (discordant + delta) / 2) & (u < discordant)
            first, at = "", cases
            for n, level in zip(sizes, levels, strict=True):
                low, high = bonett_price(float(up[:n].sum()), float(down[:n].sum()), float(n), confidence_level=level)
                first = "pass" if low > -margin else "worse" if high < 0 else ""
                if first:
                    at = int(n)
                    break
            wrong += first == error
            if delta == 0:
                needed.append(at)
        rates[error] = wrong / samples
    return rates, float(np.mean(needed))


def false_alarms(samples, mu0, within=1000):
    """Share of series without a change that give an alarm."""
    goal = math.log(within / ALARM)
    drawn_losses = (np.random.default_rng(seed).random(within) < mu0 for seed in range(samples))
    return float(np.mean([log_statistic(log_wealth(gains_of_losses(x, mu0))).max() >= goal for x in drawn_losses]))


def shifted(kind, rng, n):
    """Labels and probabilities of a batch after a shift of this kind."""
    if kind == "label":
        y = rng.random(n) < 0.1
        return y, calibrated(SEPARATION * y + rng.normal(size=n), 0.3, SEPARATION)
    y = rng.random(n) < 0.3
    x = SEPARATION * y + rng.normal(size=n)
    p = calibrated(x, 0.3, SEPARATION)
    if kind == "covariate":  # more cases of high scores, which mean what they meant
        keep = rng.choice(n, n, p=(p + 0.1) / (p + 0.1).sum())
        p = p[keep]
        return rng.random(n) < p, p
    if kind == "concept":  # the same scores mean half of the odds
        return rng.random(n) < p / (p + 2 * (1 - p)), p
    return y, calibrated(x + 0.5, 0.3, SEPARATION) if kind == "drift" else p


def forecasts(samples, reference=1000, batch=500):
    """Share of batches whose metrics lie in the forecast intervals, by kind of shift and reading."""
    names, lines = ("accuracy", "precision", "sensitivity", "auroc", "prevalence"), []
    for kind in ("none", "covariate", "label", "concept", "drift"):
        held, refuted = defaultdict(list), 0
        for seed in range(samples):
            rng = np.random.default_rng([seed, 7])
            y, p, _ = drawn(rng, reference, 0.3)
            later, new = shifted(kind, rng, batch)
            f = uc.forecast((y, p), new, threshold=0.5, metrics=names[:-1], n_resamples=200)
            came = f.check(later).realised
            refuted += f.is_refuted
            for reading in ("same_risk", "label_shift", "expected"):
                for name in names:
                    own = getattr(f, reading)[name]
                    held[reading, name].append(own.low <= came[name] <= own.high)
        for reading in ("same_risk", "label_shift", "expected"):
            lines.append((kind, reading, refuted / samples, [float(np.mean(held[reading, name])) for name in names]))
    return names, lines


def run(samples):
    """Return the page and what was missed."""
    missed, spare = [], 2 * math.sqrt(0.05 * 0.95 / samples)
    some = max(samples // 8, 20)  # of what takes long
    looks = at_all_looks(some, "any")
    room = 2 * math.sqrt(0.06 * 0.94 / some)
    missed += [f"{n} at {p}" for p, n, share, _ in looks if share < EVERY - room and not (n in WEAK and p < 0.1)]
    text = [
        "# Over time, simulated",
        "",
        "`python tests/coverage/over_time.py`: what [intervals at repeated looks](over-time.md) and forecasts do.",
        "",
        f"## Intervals at {len(LOOKS)} looks, {LOOKS[0]} to {LOOKS[-1]:,} cases",
        "",
        f'Share of {some} samples in which `looks="any"` held the truth at every look that has an interval (required: '
        f"{EVERY:.0%}, two standard errors of the simulation, {room:.3f}, allowed; average precision is weak below 20 "
        "positives and says so), and the same of intervals for one look.",
        "",
        "| prevalence | metric | holds at every look | intervals of one look |",
        "|---|---|---|---|",
        *(f"| {p:g} | {name.replace('_', ' ')} | {share:.3f} | {plain} |" for p, name, share, plain in looks),
        "",
        "## Gate",
        "",
        f"Accuracy, 10% of cases on which only one model is right, margin 0.02, up to 3,000 cases, {samples} samples.",
        "",
        "| looks | passes though worse by the margin | called worse though as good | mean cases to a verdict |",
        "|---|---|---|---|",
    ]
    for number in (20, 150):
        rates, needed = gate_errors(samples, number)
        missed += [f"gate {name}" for name, rate in rates.items() if rate > GATE + spare]
        text.append(f"| {number} | {rates['pass']:.3f} | {rates['worse']:.3f} | {needed:,.0f} |")
    text += ["", "## False alarms of change", "", "| error rate | false alarm within 1,000 cases |", "|---|---|"]
    for mu0 in (0.03, 0.1, 0.3):
        rate = false_alarms(samples, mu0)
        missed += [f"alarm {mu0}"] if rate > ALARM + spare else []
        text.append(f"| {mu0:g} | {rate:.3f} |")
    names, lines = forecasts(some)
    low = FORECAST - 2 * math.sqrt(0.09 / some)
    own = {("none", "same_risk"), ("covariate", "same_risk"), ("none", "label_shift"), ("label", "label_shift")}
    for kind, reading, _, shares in lines:
        if (kind, reading) in own:
            missed += [f"{kind} {reading} {n}" for n, share in zip(names, shares, strict=True) if share < low]
    text += [
        "",
        "## Forecasts under five kinds of shift",
        "",
        f"Reference of 1,000, batch of 500, {some} samples: share of batches whose own value lay in the interval. "
        f"Required: {FORECAST:.0%} where the reading's assumption is true (bold). Concept: scores mean half the odds; "
        "drift: the score moves by 0.5. Neither can be seen without labels, and a forecast says so.",
        "",
        f"| shift | reading | label shift refuted | {' | '.join(names)} |",
        "|---|---|---|" + "---|" * len(names),
    ]
    for kind, reading, refuted, shares in lines:
        mark = "**" if (kind, reading) in own else ""
        cells = " | ".join(f"{mark}{share:.3f}{mark}" for share in shares)
        text.append(f"| {kind} | {reading.replace('_', ' ')} | {refuted:.3f} | {cells} |")
    text += ["", f"Missed: {', '.join(missed) or 'nothing'}.", ""]
    return "\n".join(text), missed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1600)
    parser.add_argument("--output", type=Path)
    asked = parser.parse_args()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page, missing = run(asked.samples)
    if asked.output is None:
        print(page)
    else:
        asked.output.write_text(page, encoding="utf-8")
    sys.exit(1 if missing else 0)
