"""Draws every picture by its own example, and writes the page that shows them: code above, picture below."""

from __future__ import annotations

from pathlib import Path

START = """\
import unconfuse as uc
from unconfuse import plots
from unconfuse.demo import patients_path

data = {"label": "outcome", "positive": "yes"}
ev = uc.evaluate(patients_path(), score="risk", threshold=.05, **data)
models = uc.compare(patients_path(), score=["risk", "lab", "rule"], metrics=["auroc"], **data).evaluations
"""
# Each picture: the lines that draw it, and what to see there.
EXAMPLES = {
    "plot_roc": ("plots.plot_roc(ev, band=True)", "The dot is the threshold in use; dashes are the convex hull."),
    "plot_precision_recall": ("plots.plot_precision_recall(ev, band=True)", "Both baselines are drawn."),
    "plot_precision_recall_gain": (
        "plots.plot_precision_recall_gain(models)",
        "Gains over always saying positive: straight lines may be compared.",
    ),
    "plot_det": ("plots.plot_det(models)", "Both kinds of error; a normal model would be a straight line."),
    "plot_gain": ("plots.plot_gain(models)", "Look at the highest scores first: how soon are positives found?"),
    "plot_lift": ("plots.plot_lift(models)", "How many times more often than at random."),
    "plot_trends": ("plots.plot_trends(ev)", "What each threshold would do."),
    "plot_score_histograms": ("plots.plot_score_histograms(ev)", "Scores of both classes."),
    "plot_cost_curve": ("plots.plot_cost_curve(models)", "Expected cost against how costs and prevalence weigh."),
    "plot_brier_curve": ("plots.plot_brier_curve(ev)", "Loss at each cost, if thresholds follow the costs."),
    "plot_decision_curve": (
        'plots.plot_decision_curve({name: models[name] for name in ("risk", "lab")})',
        "Net benefit against acting on everyone and on nobody.",
    ),
    "plot_reliability": ("plots.plot_reliability(ev)", "What was stated against what occurred."),
    "plot_recalibration": (
        'plots.plot_recalibration(uc.recalibrate(patients_path(), score="risk", **data))',
        "What was stated against what occurred, before and after mending.",
    ),
    "plot_forecast": (
        'plots.plot_forecast(uc.forecast(patients_path(), patients_path(), score="lab", threshold=0.2, **data))',
        "What to expect of cases before their labels arrive, under both assumptions.",
    ),
    "plot_b_curve": ("plots.plot_b_curve(ev)", "Where labelled and real positives cannot be told apart."),
    "plot_b_parts": ("plots.plot_b_parts(ev)", "B(r), its two parts, and F1."),
    "plot_metrics_against_b": (
        "plots.plot_metrics_against_b(ev)",
        "Precision, recall and false positive rate at each level of B.",
    ),
    "plot_scores_and_r_b": ("plots.plot_scores_and_r_b(ev)", "Scores of both classes, and r_b."),
    "plot_indistinguishability": (
        'plots.plot_indistinguishability(uc.indistinguishability(patients_path(), score="risk", **data))',
        "r_b and C(r_b) with their intervals.",
    ),
    "plot_threshold_card": (
        'plots.plot_threshold_card(uc.threshold_card(patients_path(), score="risk", costs=(1, 20), **data))',
        "What to expect of every rule on new cases, and how it looked on the old ones.",
    ),
    "plot_leaderboard": (
        'plots.plot_leaderboard(uc.compare(patients_path(), score=["risk", "lab"], threshold=.05, **data))',
        "Models best first, with tiers of those that are not told apart.",
    ),
    "plot_labels": (
        "import numpy as np\n"
        "rng = np.random.default_rng(7)\n"
        "ill = rng.normal(size=(600, 1))\n"
        "Y = (.8 * ill + rng.normal(size=(600, 4)) > [.4, 1.1, 1.2, 2.6]).astype(float)\n"
        "S = 1 / (1 + np.exp(-(1.8 * Y - 1.3 + .6 * rng.normal(size=(600, 1)) + rng.normal(size=(600, 4)))))\n"
        'plots.plot_labels(uc.evaluate(Y, S, labels=["effusion", "mass", "nodule", "hernia"]))',
        "Each of many labels, the worst first; the line is the mean over labels.",
    ),
    "plot_subgroups": (
        'by_age = uc.evaluate(patients_path(), score="risk", threshold=.05, by="age", **data)\n'
        'plots.plot_subgroups(by_age.subgroups, "specificity")',
        "One line for each subgroup, against everyone.",
    ),
    "plot_summary_roc": (
        'cells = {"tp": [28, 40, 33, 38, 29, 13, 36, 9], "fp": [13, 6, 2, 7, 5, 4, 3, 1]}\n'
        'cells |= {"fn": [2, 5, 16, 0, 3, 4, 8, 2], "tn": [65, 43, 55, 68, 79, 13, 50, 44]}\n'
        "plots.plot_summary_roc(uc.meta_analysis(cells))",
        "Several studies of one test: the mean study, and what to expect of a new one.",
    ),
    "plot_forest": (
        'cells = {"tp": [28, 40, 33, 38, 29, 13, 36, 9], "fp": [13, 6, 2, 7, 5, 4, 3, 1]}\n'
        'cells |= {"fn": [2, 5, 16, 0, 3, 4, 8, 2], "tn": [65, 43, 55, 68, 79, 13, 50, 44]}\n'
        "plots.plot_forest(uc.meta_analysis(cells))",
        "The same, study by study.",
    ),
    "plot_critical_difference": (
        "import numpy as np\n"
        "auc = np.random.default_rng(7).normal([.8, .79, .76, .74], .02, (12, 4))\n"
        'frame = {"d": np.repeat(np.arange(12), 4), "m": np.tile(["boosting", "forest", "linear", "neighbours"], 12)}\n'
        'frame["auc"] = auc.ravel()\n'
        'plots.plot_critical_difference(uc.benchmark(frame, dataset="d", model="m", value="auc"))',
        "Models over data sets: bars join those that Nemenyi's test does not tell apart.",
    ),
    "plot_sites": (
        "import numpy as np\n"
        "rng = np.random.default_rng(16)\n"
        'site = np.repeat(["Aarhus", "Bergen", "Cork", "Delft", "Essen", "Faro", "Graz", "Haarlem"], 200)\n'
        "y = rng.random(1600) < .2\n"
        "s = np.repeat(rng.normal(1.3, .4, 8), 200) * y + rng.normal(size=1600)\n"
        'plots.plot_sites(uc.evaluate(y, s, site=site, metrics=["auroc"]).sites["auroc"])',
        "Several places: each, the mean one, and what to expect of a new one.",
    ),
    "plot_readers": (
        "import numpy as np\n"
        "rng = np.random.default_rng(1)\n"
        'grid = np.meshgrid(["with", "without"], range(8), range(100), indexing="ij")\n'
        'rows = {name: column.ravel() for name, column in zip(("m", "r", "c"), grid)}\n'
        'rows["y"] = (rows["c"] < 40).astype(int)\n'
        'rows["s"] = (1.2 + .5 * (rows["m"] == "with")) * rows["y"] + rng.normal(size=1600)\n'
        'plots.plot_readers(uc.readers(rows, reader="r", case="c", truth="y", score="s", modality="m"))',
        "Readers with and without a model: thin lines are readers, squares their means.",
    ),
    "plot_items": (
        "import numpy as np\n"
        "rng = np.random.default_rng(0)\n"
        "right = rng.random((200, 3)) < 1 / (1 + np.exp(-rng.normal(size=(200, 1)) - [1.5, 1.3, 0.4]))\n"
        'rows = {"item": np.repeat(np.arange(200), 3), "model": ["Ash", "Elm", "Fir"] * 200}\n'
        'plots.plot_items(uc.items(rows | {"correct": right.ravel()}))',
        "Models on the same items, and which of them are not told apart.",
    ),
    "plot_estimates": (
        'plots.plot_estimates(uc.evaluate(patients_path(), score="risk", threshold=.05, **data))',
        "Values with their intervals; the short line is what chance gives.",
    ),
    "plot_predictive_values": (
        "plots.plot_predictive_values(uc.evaluate_counts(tp=90, fp=45, fn=10, tn=855))",
        "What a positive and a negative label mean at every prevalence.",
    ),
    "plot_confusion": (
        "from unconfuse.demo import animals_path\n"
        'plots.plot_confusion(uc.evaluate(animals_path(), label="animal", scores="new_*"))',
        "Several classes: who is taken for whom.",
    ),
    "plot_metric": ('plots.plot_metric("precision")', "A metric at three prevalences."),
    "plot_multiclass_metric": (
        'plots.plot_multiclass_metric("f1_macro")',
        "A metric where one class of three is rare.",
    ),
    "plot_signal_curve": (
        'power = uc.resolving_power(uc.Binormal(), ["auroc", "average_precision"], n=2000, prevalence=.1)\n'
        'plots.plot_signal_curve(power, "average_precision")',
        "What an improvement of the model does to a metric.",
    ),
    "plot_signal_curves": (
        'power = uc.resolving_power(uc.Binormal(), ["auroc", "average_precision"], n=2000, prevalence=.1)\n'
        "plots.plot_signal_curves(power)",
        "The same, metric by metric.",
    ),
    "plot_relative_resolution": (
        'powers = [uc.resolving_power(uc.Binormal(), ["auroc", "average_precision"], n=2000, prevalence=share, '
        'method="asymptotic") for share in (.05, .2, .5)]\n'
        'plots.plot_relative_resolution(powers, "average_precision")',
        "Where a metric tells models apart better than the AUROC.",
    ),
    "plot_standard_errors": ("plots.plot_standard_errors(500)", "Standard errors of the AUROC over its values."),
    "plot_normality": ("plots.plot_normality(ev)", "Are the scores as normal as a formula assumes?"),
    "plot_plan": (
        'plots.plot_plan(uc.plan(uc.Binormal(), difference=.02, prevalence=.1, method="asymptotic"))',
        "How many cases a test set needs.",
    ),
    "overview": ('plots.overview(ev, title="risk")', "Six of them on one sheet."),
}


def write_figures(folder: Path) -> None:
    """The page `pictures.md`, and the pictures beside it."""
    place = folder / "pictures"
    place.mkdir(exist_ok=True)
    parts = ["# Every picture\n\nAll examples begin with\n", f"```python\n{START}```\n"]
    names: dict[str, object] = {}
    for name, (code, words) in EXAMPLES.items():
        draw(name, code, place / f"{name}.png", names)
        parts.append(f"## {name}\n\n{words}\n\n```python\n{code}\n```\n\n![{words}](pictures/{name}.png)\n")
    (folder / "pictures.md").write_text("\n".join(parts), encoding="utf-8")


def draw(name: str, code: str, path: Path, names: dict[str, object]) -> None:
    """Run an example and keep the picture that its last line makes; the start is run when it is first needed."""
    import matplotlib

    matplotlib.use("Agg")
    from metric_pages import newest

    from unconfuse.plots import save

    if path.exists() and path.stat().st_mtime > max(newest(), Path(__file__).stat().st_mtime):
        return
    if not names:
        exec(START, names)
    *before, last = code.split("\n")
    exec("\n".join(before), names)
    made = eval(last, names)
    save(getattr(made, "figure", made), str(path), close=True)
