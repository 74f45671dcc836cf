"""Figure 1 and the nine data sets of "Precision at the indistinguishability threshold", with its errata."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse.indistinguish import find_crossing
from unconfuse.metrics import METRICS
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.populations import NormalMixtures
from unconfuse.reproduce._report import Report, Reproduction, Row
from unconfuse.table import Array, ScoreTable

TITLE = "Precision at the indistinguishability threshold: figure 1 and the nine data sets"
NOTES = (
    "Equations 10, 15, 18 and 19 need the denominator Pv + Nu (printed: Nv + Pu); equations 14, 15 and 19 need the "
    "integral of f_N v (printed: f_N u). As printed, B(-inf) would be 1/2 for every classifier.",
    "Figure 1: what is printed as B(65) is B(67), and B(75) is .30, not .49. Half credit for ties and the exclusion of "
    "an item's comparison with itself both give B(60) = .59 to .60 and B(67) = .49; the text and the code exclude.",
    "The numbers of easy cases are 100 (a, b, c), 1,000 (d, e, f) and 10,000 (g, h, i). The scores are monotone in the "
    "inputs, so the logistic regression changes nothing.",
    "The text's C(r_b) of .85, .69 and .50 lie below the closed form in all nine data sets, by up to five standard "
    "deviations of one data set. That C(r_b) hardly depends on easy negatives survives; for those below r_b it is "
    "exact.",
    "The released code takes the number of negatives from the data set on the diagonal of the same column, so that B "
    "is right for a, e and i only. That gives C(r_b) = .71 for g and .62 for h, which contradicts the text.",
    "B+ is precision x TPR / 2, not recall x TPR / 2; the axes labelled 'Recall: C(r)' show precision; the area under "
    "the precision-recall curve integrates over f_P, not f_N.",
    "F1 is largest near B = 1/2 in these nine data sets, but not in general: in the diabetes data it is at B = .21.",
)
CATS, OTHERS = (79, 85, 82, 68, 87, 66), (61, 39, 28, 73, 74, 12)
NAMES = "abcdefghi"
EASY = {0: 100, 1: 1000, 2: 10_000}
MEAN = {0: 5.0, 1: 7.0, 2: 9.0}
PRINTED_C = {0: 0.85, 1: 0.69, 2: 0.50}
PRINTED_A = {"a": 0.957, "b": 0.870, "d": 0.979, "e": 0.924, "g": 0.989, "i": 0.974}
FIGURES = {
    "figure_2": ("Scores of the nine data sets, and r_b", "plot_scores_and_r_b"),
    "figure_3": ("ROC curves", "plot_roc"),
    "figure_4": ("B(r)", "plot_b_curve"),
    "figure_5": ("Precision, TPR and FPR against B", "plot_against_b"),
    "figure_6": ("B(r), its parts and F1", "plot_b_parts"),
}
SEEDS = 100
PAIRS = 1000  # figure 3 counts wins among so many random pairs


def nine_data_sets() -> dict[str, NormalMixtures]:
    """The populations: 1,000 positives, 1,000 hard negatives, and more and more easy ones from row to row."""
    found = {}
    for position, name in enumerate(NAMES):
        row, column = divmod(position, 3)
        negatives = 1000 + EASY[row]
        parts = [(1000, MEAN[column], 2), (EASY[row], 2, 2)]
        found[name] = NormalMixtures([(1, 10, 2)], parts, 1000 / (1000 + negatives))
    return found


def sample(name: str, rng: np.random.Generator) -> ScoreTable:
    """One data set as the paper draws it."""
    row, column = divmod(NAMES.index(name), 3)
    scores = np.concatenate([rng.normal(10, 2, 1000), rng.normal(MEAN[column], 2, 1000), rng.normal(2, 2, EASY[row])])
    return ScoreTable.of_rows(np.arange(len(scores)) < 1000, scores)


def _figure_1() -> list[Row]:
    """B of the twelve pictures under every convention."""
    positives, everybody = np.array(CATS, dtype=float), np.array(CATS + OTHERS, dtype=float)
    table = ScoreTable.of_rows(np.arange(12) < 6, everybody)
    printed = {60: ("0.60", "0.66"), 67: ("0.49", "0.71"), 75: ("0.49", "1.00"), 65: (None, None)}
    rows = []
    for threshold, (b, c) in printed.items():
        labelled = everybody[everybody >= threshold]
        above, equal = positives[:, None] > labelled, positives[:, None] == labelled
        pairs = above.size
        excluded = float(b_values(table, exclude_self=True)[len(labelled) - 1])
        note = {67: "printed as B(65)", 75: "wrong in print"}.get(threshold, "")
        what = f"figure 1: B({threshold}), no item compared with itself"
        known = None if b is None else Row.printed(what, b, excluded, erratum=threshold == 75, note=note)
        rows.append(known or Row(what, None, excluded))
        others = {
            "ties count 0": above.sum() / pairs,
            "ties count 1": (above | equal).sum() / pairs,
            "ties count half": b_values(table)[len(labelled) - 1],
        }
        rows += [Row(f"figure 1: B({threshold}), {words}", None, float(value)) for words, value in others.items()]
        precision = float((labelled[:, None] == positives).any(axis=1).mean())
        if c is not None:
            wrong: dict[str, Any] = {"erratum": True, "note": "6/9 is .67"} if threshold == 60 else {}
            rows.append(Row.printed(f"figure 1: C({threshold})", c, precision, **wrong))
    return rows


def _closed_forms() -> list[Row]:
    """A, C at the three levels, and the largest F1 of the nine populations."""
    rows = []
    for position, (name, population) in enumerate(nine_data_sets().items()):
        column = position % 3
        area = population.auroc
        noise = math.sqrt(area * (1 - area) / PAIRS)
        note = f"figure 3 counts {PAIRS:,} random pairs, sd {noise:.3f}"
        rows.append(Row(f"{name}: AUROC", PRINTED_A.get(name), area, tolerance=3.5 * noise, note=note))
        at_half, about = population.crossing(0.5).precision, "the text says 'about'"
        rows.append(Row(f"{name}: C(r_b)", PRINTED_C[column], at_half, tolerance=0.005, erratum=True, note=about))
        for level in (0.6, 0.4):
            found = population.crossing(level).precision
            said = 0.59 if (name, level) == ("e", 0.6) else None
            note = "B never reaches 0.6" if math.isnan(found) else ""
            note = "read from one data set, sd .008" if said else note
            rows.append(Row(f"{name}: C(r_{round(100 * level)})", said, found, tolerance=0.02, note=note))
        rows += _largest_f1(name, population)
    at_half = nine_data_sets()["e"].crossing(0.5).precision
    return [*rows, Row("e: C(r_b) of figure 5", 0.72, at_half, tolerance=0.034, note="one data set, sd .011")]


def _largest_f1(name: str, population: NormalMixtures) -> list[Row]:
    from scipy.optimize import minimize_scalar

    best = minimize_scalar(
        lambda r: -float(population.f1(r)), bounds=(2, 12), method="bounded", options={"xatol": 1e-10}
    )
    b, note = float(population.b(best.x)), "'roughly the same point'"
    return [
        Row(f"{name}: largest F1", None, float(-best.fun)),
        Row(f"{name}: B where F1 is largest", 0.5, b, tolerance=0.03, note=note),
    ]


def _simulations() -> list[Row]:
    """The same quantities averaged over data sets drawn as in the paper."""
    rows = []
    for name in NAMES:
        values = np.array([_measured(sample(name, np.random.default_rng(seed))) for seed in range(SEEDS)])
        for column, quantity in enumerate(("AUROC", "C(r_b)", "C(r_60)", "C(r_40)", "largest F1")):
            found = values[:, column]
            if np.isnan(found).any():
                continue
            spread = float(found.std(ddof=1))
            what, note = f"{name}: {quantity}, mean of {SEEDS} data sets", f"sd of one data set {spread:.4f}"
            rows.append(Row(what, None, float(found.mean()), mc_error=spread / math.sqrt(SEEDS), note=note))
    return rows


def _measured(table: ScoreTable) -> Array:
    at = [find_crossing(table, level).mixed_precision for level in (0.5, 0.6, 0.4)]
    return np.array([float(METRICS["auroc"](table)), *at, float(METRICS["max_f1"](table))])


def _as_released() -> list[Row]:
    """What the released code computes: B with the number of negatives of another data set."""
    from scipy.optimize import brentq

    populations, rows = nine_data_sets(), []
    printed = {"a": 0.878, "b": 0.740, "d": 0.850, "e": 0.715, "g": 0.709, "i": 0.527}
    for position, (name, population) in enumerate(populations.items()):
        column = position % 3
        taken = populations[NAMES[column * 3 + column]]
        r = brentq(lambda at, of=population, share=taken.prevalence: float(of.b(at, share)) - 0.5, -5, 15)
        note = "" if taken is population else f"negatives counted from {NAMES[column * 4]}"
        what = f"{name}: C(r_b) as the released code has it"
        rows.append(Row(what, printed.get(name), float(population.precision(r)), tolerance=0.035, note=note))
    return rows


def run() -> Report:
    """Everything, recomputed."""
    return Report(TITLE, (*_figure_1(), *_closed_forms(), *_simulations(), *_as_released()), NOTES)


def draw(folder: Path, *, seed: int = 0, only: str | None = None) -> list[Path]:
    """Figures 2 to 6 drawn again from corrected equations, as PNG files; matplotlib is imported only now."""
    from matplotlib import pyplot

    from unconfuse import plots

    folder.mkdir(parents=True, exist_ok=True)
    tables = [sample(name, np.random.default_rng([seed, position])) for position, name in enumerate(NAMES)]
    paths = []
    for name, (title, picture) in FIGURES.items():
        if only in (None, name):
            sheet = plots.figure(figsize=(13.5, 11.5))
            for letter, table, ax in zip(NAMES, tables, sheet.subplots(3, 3).flat, strict=True):
                getattr(plots, picture)(table, ax=ax)
                ax.set_title(f"({letter})", loc="left", fontsize=10)
            sheet.suptitle(title, x=0.01, ha="left", fontsize=13)
            paths.append(folder / f"sumpter_{name}.png")
            sheet.savefig(paths[-1], dpi=80)
            pyplot.close(sheet)
    return paths


SUMPTER = Reproduction("sumpter", TITLE, "Sumpter (2023), Precision at the indistinguishability threshold", run, draw)
