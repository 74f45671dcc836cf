"""Intervals of the Brier score, the log loss, their skills and the calibration error, where they are hard.

    python tests/coverage/losses.py [--samples 400] [--output docs/coverage-losses.md]

Beside the default stands the interval by the influence function with half a case, whose limit at the best end it moves;
beside that of the expected calibration error, the percentile bootstrap.
The exit code is 1 if the default holds the truth in less than 93% of the samples by more than two Monte-Carlo errors.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import numpy as np

from unconfuse import evaluate, score_table
from unconfuse.metrics import METRICS
from unconfuse.uncertainty import METHODS

WORLDS = {  # mean and deviation of the log-odds, and by how much the model overstates them
    "nearly perfect": (0.0, 25.0, 1.0),
    "very good": (0.0, 4.0, 1.0),
    "good": (-1.0, 2.0, 1.0),
    "rare positives": (-4.0, 2.5, 1.0),
    "overconfident": (0.0, 1.5, 2.0),
}
SIZES = (30, 60, 200, 1000)
NAMES = ("brier", "log_loss", "brier_skill", "log_loss_skill")
LEAST = 0.93
STATED = {  # mean and deviation of the log-odds; what they are multiplied by and moved by where they are stated
    "calibrated": (0.0, 1.5, 1.0, 0.0),
    "calibrated, very good": (0.0, 3.5, 1.0, 0.0),
    "overconfident": (0.0, 1.5, 1.8, 0.0),
    "overconfident, good": (0.0, 2.5, 2.0, 0.0),
    "underconfident": (0.0, 2.5, 0.4, 0.0),
    "too high": (-0.5, 1.2, 1.0, 0.8),
    "rare positives, too high": (-2.5, 1.0, 1.5, 0.5),
}
BINS, CALIBRATION_SIZES = 15, (40, 100, 300)


def draw(rng: np.random.Generator, world: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    mean, deviation, factor = WORLDS[world]
    logits = rng.normal(mean, deviation, n)
    truth = rng.random(n) < 1 / (1 + np.exp(-logits))
    return truth, 1 / (1 + np.exp(-factor * logits))


def true_values(world: str) -> dict[str, float]:
    truth, stated = draw(np.random.default_rng(0), world, 2_000_000)
    losses = {
        "brier": float(np.mean((truth - stated) ** 2)),
        "log_loss": float(-np.mean(np.log(np.where(truth, stated, 1 - stated)))),
    }
    share = truth.mean()
    worst = {"brier": share * (1 - share), "log_loss": -share * np.log(share) - (1 - share) * np.log(1 - share)}
    return losses | {f"{name}_skill": float(1 - loss / worst[name]) for name, loss in losses.items()}


def cell(world: str, n: int, samples: int, seed: int) -> dict[tuple[str, str], np.ndarray]:
    """Share of samples below, within and above, and the mean width, by metric and method."""
    rng, expected, kept = np.random.default_rng([seed, n]), true_values(world), 0
    sums = {(name, how): np.zeros(4) for name in NAMES for how in ("mean_loss", "influence")}
    while kept < samples:
        truth, stated = draw(rng, world, n)
        if truth.all() or not truth.any():
            continue
        kept += 1
        table = score_table(truth, stated)
        for (name, how), total in sums.items():
            low, high, _ = METHODS[how].limits(METRICS[name], table, False, 0.95)
            value = expected[name]
            total += [value < low, low <= value <= high, value > high, high - low]
    return {key: total / samples for key, total in sums.items()}


def stated(rng: np.random.Generator, world: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """True and stated probabilities."""
    mean, deviation, factor, moved = STATED[world]
    logits = rng.normal(mean, deviation, n)
    return 1 / (1 + np.exp(-logits)), 1 / (1 + np.exp(-factor * logits - moved))


def true_calibration_error(world: str) -> float:
    """Of the probabilities themselves, without chance."""
    true, said = stated(np.random.default_rng(0), world, 2_000_000)
    bins = np.clip(np.ceil(said * BINS).astype(int) - 1, 0, BINS - 1)
    return float(np.abs(np.bincount(bins, true - said)).sum() / len(true))


def calibration_cell(world: str, n: int, samples: int, seed: int) -> dict[str, np.ndarray]:
    """Share of samples below, within and above, and the mean width, by method."""
    rng, expected = np.random.default_rng([seed, n, list(STATED).index(world)]), true_calibration_error(world)
    sums, kept = {"": np.zeros(4), "percentile": np.zeros(4)}, 0
    while kept < samples:
        true, said = stated(rng, world, n)
        truth = rng.random(n) < true
        if truth.all() or not truth.any():
            continue
        kept += 1
        found = evaluate(truth, said, metrics=["ece"], n_resamples=300, rng=kept)["ece"]
        for how, total in sums.items():
            each = found.interval(method=how) if how else found
            total += [
                expected < each.low,
                each.low <= expected <= each.high,
                expected > each.high,
                each.high - each.low,
            ]
    return {how: total / samples for how, total in sums.items()}


def calibration_lines(samples: int, seed: int) -> tuple[list[str], int]:
    """The table of the expected calibration error, and how many of its cells fail."""
    lines, failed = [], 0
    for world in STATED:
        for n in CALIBRATION_SIZES:
            found = calibration_cell(world, n, samples, seed)
            (below, inside, above, width), other = found[""], found["percentile"]
            failed += inside < LEAST - 2 * (LEAST * (1 - LEAST) / samples) ** 0.5
            start = f"| {world} | {n} | {true_calibration_error(world):.3f} | {inside:.1%} | {below:.1%} / {above:.1%} "
            lines.append(f"{start}| {width:.3f} | {other[1]:.1%}, width {other[3]:.3f} |")
    return lines, failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=400)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # few cases
    samples, failed = 100 if given.quick else given.samples, 0
    lines = [
        "# Coverage of the Brier score, the log loss and their skills",
        "",
        f"Made by `tests/coverage/losses.py`, {samples} samples in each setting (Monte-Carlo error about "
        f"{100 * (0.05 * 0.95 / samples) ** 0.5:.1f} points); samples with one class only are drawn anew.",
        "",
        "| model | cases | metric | coverage | truth below / above | width | with half a case alone |",
        "|---|---|---|---|---|---|---|",
    ]
    for world in WORLDS:
        for n in SIZES:
            found = cell(world, n, samples, given.seed)
            for name in NAMES:
                below, inside, above, width = found[name, "mean_loss"]
                failed += inside < LEAST - 2 * (LEAST * (1 - LEAST) / samples) ** 0.5
                other = found[name, "influence"]
                lines.append(
                    f"| {world} | {n} | {name} | {inside:.1%} | {below:.1%} / {above:.1%} | {width:.3f} "
                    f"| {other[1]:.1%}, width {other[3]:.3f} |"
                )
    rows, missed = calibration_lines(samples // 2, given.seed)
    lines += [
        "",
        f"## Expected calibration error ({BINS} bins)",
        "",
        f"{samples // 2} samples in each setting. Chance alone makes gaps in small samples, so the value lies above "
        "the truth, and the percentile bootstrap with it; the default takes the chance off its lower limit.",
        "",
        "| model | cases | truth | coverage | truth below / above | width | percentile bootstrap |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]
    failed += missed
    text = "\n".join(lines) + "\n"
    print(text) if given.output is None else given.output.write_text(text, encoding="utf-8")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
