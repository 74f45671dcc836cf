"""Tables 2 and 3, from the authors' files, where they are at hand, and from their recipe run again."""

from __future__ import annotations

import math
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse.ingest.read_columns import every_column
from unconfuse.reproduce._report import ReproducedValue
from unconfuse.reproduce.beam.model_search import CANDIDATES, chance_agreement, layout
from unconfuse.reproduce.beam.simulated import AREA
from unconfuse.reproduce.beam.toy import resolving_words
from unconfuse.resolving import Empirical, resolving_power, tournament
from unconfuse.resolving.resolution import Resolution
from unconfuse.resolving.signal_curve import SignalCurve
from unconfuse.resolving.tournaments import TournamentResult

HOW_TO_GET = (
    "The authors' files (cv_scores, store_boot.csv, empirical_grid.csv, xgb_*.csv, diabetes) were not found, so that "
    "tables 2 and 3 are left out. Get them from https://github.com/colinbeam/resolving_power and the UCI repository "
    "(Diabetes 130-US hospitals), put them in one folder and name it in the environment variable UNCONFUSE_BEAM_DATA."
)
PARAMETERS = {"max_depth": 6, "min_child_weight": 1, "reg_lambda": 1, "reg_alpha": 0, "gamma": 0, "base_score": 0.5}
PARAMETERS |= {"n_jobs": 1, "verbosity": 0}


def data_folder() -> Path | None:
    """Find the folder of the authors' files, if there is one."""
    named = os.environ.get("UNCONFUSE_BEAM_DATA")
    places = [Path(named)] if named else [Path("shared/data"), Path("../shared/data"), Path("data")]
    return next((place for place in places if (place / "cv_scores.parquet").exists()), None)


def table_2(folder: Path) -> list[ReproducedValue]:
    """Reproduce the readmission scores: from the authors' draws and grid, then bootstrapped again."""
    draws, grid = every_column(folder / "store_boot.csv"), every_column(folder / "empirical_grid.csv")
    tails = [0.025, 0.975]
    roc, pr = np.quantile(draws["auroc"], tails), np.quantile(draws["auprc"], tails)
    order = np.argsort(grid["auroc"])
    curve = SignalCurve("auprc", "auroc", grid["auroc"][order], grid["auprc"][order])
    mapped = curve.to_reference(pr, "nearest")
    width, mapped_width = float(np.ptp(roc)), float(np.ptp(mapped))
    rounded = "made from rounded limits; unrounded"
    printed: tuple[tuple[str, str, Any, str], ...] = (
        ("AUROC low", "0.6391", roc[0], ""),
        ("AUROC high", "0.6535", roc[1], ""),
        ("AUPRC low", "0.1601", pr[0], ""),
        ("AUPRC high", "0.1732", pr[1], ""),
        ("mapped low", "0.6341", mapped[0], ""),
        ("mapped high", "0.6591", mapped[1], ""),
        ("kappa of AUROC", "0.0144", width, f"{rounded} .01433"),
        ("kappa of AUPRC", "0.0250", mapped_width, ""),
        ("resolving power of AUROC", "69.4", 1 / width, f"{rounded} 69.8"),
        ("resolving power of AUPRC", "40.0", 1 / mapped_width, ""),
    )
    rows = [
        ReproducedValue.printed(f"table 2, their draws: {name}", text, float(ours), erratum=bool(note), note=note)
        for name, text, ours, note in printed
    ]
    return rows + _table_2_again(folder)


def _table_2_again(folder: Path) -> list[ReproducedValue]:
    columns = every_column(folder / "cv_scores.parquet")
    model = Empirical(np.asarray(columns["DV"]), np.asarray(columns["ylogit"]))
    full = resolving_power(model, ["auroc", AREA])
    straight = resolving_power(model, ["auroc", AREA], method="linear")
    roc, pr = full["auroc"], full[AREA]
    ours = {
        "AUROC low": (0.6391, roc.low),
        "AUROC high": (0.6535, roc.high),
        "AUPRC low": (0.1601, pr.low),
        "AUPRC high": (0.1732, pr.high),
        "mapped low": (0.6341, pr.mapped_low),
        "mapped high": (0.6591, pr.mapped_high),
    }
    rows = []
    for name, (published, value) in ours.items():
        slack = 0.0005 + roc.mc_error * (2 if "mapped" in name else 1)
        rows.append(ReproducedValue(f"table 2, our bootstrap: {name}", published, value, slack, roc.mc_error))
    rows += [
        ReproducedValue(
            f"table 2, our bootstrap: kappa of {name}",
            published,
            resolution.kappa,
            slack,
            resolution.mc_error,
            note=_power(resolution),
        )
        for resolution, published, slack, name in ((roc, 0.0144, 0.0004, "AUROC"), (pr, 0.0250, 0.0008, "AUPRC"))
    ]
    rows += [
        ReproducedValue.printed("section 6: AUROC of the initial model", "0.646", roc.value),
        ReproducedValue.printed("section 6: AUPRC of the initial model", "0.166", pr.value),
        ReproducedValue.printed("section 6: records", "69973", model.table.n),
        ReproducedValue.printed("section 6: readmissions", "6277", model.table.n_positives),
    ]
    what, kappa, ratio = "appendix A on the same scores", straight["auroc"].kappa, straight[AREA].delta + 1
    return [
        *rows,
        ReproducedValue(f"{what}: kappa of AUROC", None, kappa, note="4 exact deviations"),
        ReproducedValue(f"{what}: ratio of kappas", None, ratio, mc_error=straight[AREA].delta_error),
    ]


def _power(each: Resolution) -> str:
    return f"resolving power {each.resolving_power:.1f}: {resolving_words(each.resolving_power)}"


def empirical_grid(folder: Path) -> list[ReproducedValue]:
    """Check the grid of figure 7: how many points, how far apart, and its ends."""
    grid = every_column(folder / "empirical_grid.csv")
    area, pr = np.sort(np.asarray(grid["auroc"], dtype=float)), np.sort(np.asarray(grid["auprc"], dtype=float))
    base = int(np.argmin(np.abs(area - 0.646125)))
    step = float(area[base + 1] - area[base])
    return [
        ReproducedValue(
            "figure 7: grid points", 1000, len(area), erratum=True, note="800 steps up, 200 down, and the start"
        ),
        ReproducedValue.printed(
            "figure 7: first step in AUROC", "0.001", step, erratum=True, note="half of what is printed"
        ),
        ReproducedValue.printed("figure 7: lowest AUROC", "0.54", float(area[0])),
        ReproducedValue.printed("figure 7: highest AUROC", "0.92", float(area[-1])),
        ReproducedValue.printed("figure 7: lowest AUPRC", "0.12", float(pr[0])),
        ReproducedValue.printed("figure 7: highest AUPRC", "0.50", float(pr[-1])),
    ]


def table_3(folder: Path) -> list[ReproducedValue]:
    """Count the 500 trials of the authors' files again."""
    power, trials = every_column(folder / "xgb_baseline_rpower.csv"), every_column(folder / "xgb_tuning_experiment.csv")
    usual = power["kappa_roc"] < power["kappa_prc"]
    agree = np.asarray(trials["top_agree"], dtype=bool)
    apart = usual & ~agree
    columns = {name: np.asarray(trials[name], dtype=float) for name in ("roc_roc", "prc_roc", "roc_prc", "prc_prc")}

    def wins(measure: str) -> int:
        return int((apart & (columns[f"roc_{measure}"] > columns[f"prc_{measure}"])).sum())

    rows = [
        ReproducedValue("section 7: trials in which AUROC resolves better", 499, int(usual.sum())),
        ReproducedValue("section 7: trials in which both choose the same model", 281, int((usual & agree).sum())),
        ReproducedValue("section 7: trials in which they disagree", 218, int(apart.sum())),
        ReproducedValue("section 7: AUROC's choice has the better test AUROC", 146, wins("roc")),
        ReproducedValue("section 7: AUROC's choice has the better test AUPRC", 134, wins("prc")),
    ]
    for words, chosen, texts in (
        ("disagree", apart, ("0.6205", "0.6168", "0.1495", "0.1478")),
        ("agree", usual & agree, ("0.6227", "0.6227", "0.1509", "0.1509")),
    ):
        for name, text in zip(columns, texts, strict=True):
            what = f"table 3, {words}: {name.replace('_', ' tuned, tested on ')}"
            rows.append(ReproducedValue.printed(what, text, float(columns[name][chosen].mean())))
    return [*rows, *layout(folder)]


def table_3_again(folder: Path, n_trials: int) -> tuple[list[ReproducedValue], str]:
    """Run the experiment of table 3 with new splits, if XGBoost is installed."""
    try:
        booster = import_module("xgboost").XGBClassifier(**PARAMETERS)
    except ImportError:
        return [], "Table 3 was not run again: that needs xgboost. Hint: pip install 'unconfuse[reproduce]'."
    X, y = design_matrix(folder)
    result = tournament(
        booster,
        {"n_estimators": (25, 150), "learning_rate": (0.01, 0.3)},
        X,
        y,
        metrics=("auroc", AREA),
        baseline={"n_estimators": 25, "learning_rate": 0.1},
        n_trials=n_trials,
        rng=1772,
        n_jobs=2 if n_trials > 20 else 1,
    )
    return _counted(result), f"Table 3 was run again with {n_trials} of its 500 trials and other splits."


def _counted(result: TournamentResult) -> list[ReproducedValue]:
    duel, n = result.duel("auroc", AREA), result.n_trials
    words = f"section 7, {n} trials of ours:"
    better = float(np.mean([trial["kappa"]["auroc"] < trial["kappa"][AREA] for trial in result.trials]))
    agree = 1 - duel.disagreements / n
    rows = [
        _again(f"{words} share in which AUROC resolves better", 499 / 500, better, 0.02, _error(better, n)),
        _again(f"{words} share in which both agree", 281 / 499, agree, 0.05, _error(agree, n)),
        ReproducedValue(f"{words} share in which they would agree by chance", None, chance_agreement(CANDIDATES)),
    ]
    for name, published, spread in (("auroc", 0.0677, 0.0028), (AREA, 0.2050, 0.056)):  # spread over their trials
        kappa = float(np.mean([trial["kappa"][name] for trial in result.trials]))
        rows.append(_again(f"{words} mean kappa of {name}", published, kappa, 0.02 * published, spread / math.sqrt(n)))
    return rows


def _again(quantity: str, theirs: float, ours: float, tolerance: float, mc_error: float) -> ReproducedValue:
    return ReproducedValue.checked(quantity, theirs, ours, "their 500 trials", tolerance=tolerance, mc_error=mc_error)


def _error(share: float, n: int) -> float:
    return math.sqrt(max(share * (1 - share), 1 / n) / n)


def design_matrix(folder: Path) -> tuple[Any, Any]:
    """Build the 114 columns of the authors' models: numbers, and one for each level of a category but the first."""
    columns = every_column(folder / "diabetes.parquet")
    y = np.asarray(columns.pop("outcome")) != "otherwise"
    names = [str(name) for name in np.asarray(every_column(folder / "design_columns.csv")["col"])]
    found = []
    for name in names:
        source = name if name in columns else max((column for column in columns if name.startswith(column)), key=len)
        values = np.asarray(columns[source])
        numbers = values if name == source else values.astype(str) == name[len(source) :]
        found.append(numbers.astype(float))
    return np.column_stack(found), y.astype(int)
