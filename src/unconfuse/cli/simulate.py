"""`unconfuse simulate`: a sample of two Gaussian classes, and every trend against the threshold with its baseline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from unconfuse._formatting import number_text
from unconfuse._parameters.outputs import HTML
from unconfuse._parameters.uncertainty import SEED
from unconfuse._table_view import csv_text
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, file_to_write, option, refuse
from unconfuse.cli._output import emit, emit_text, markdown_text, output_options, wrote

if TYPE_CHECKING:
    from unconfuse.reproduce.demortier_trends import GaussianSample

_COLUMNS = ("threshold", "recall", "queue_rate", "precision", "prevalence", "accuracy")
_STEPS = 13  # thresholds that are shown


@command()
@option(
    "--scenario N",
    "Start from case 1 (balanced), 2 (reversed), 3 (few cases) or 4 (imbalanced).",
    was="--case",
    default=1,
)
@option("--positives N", "How many positives.")
@option("--negatives N", "How many negatives.")
@option("--mean-positive SCORE", "Mean score of the positives.")
@option("--mean-negative SCORE", "Mean score of the negatives.")
@option("--sd SCORE", "Standard deviation of the scores in both classes.")
@option(SEED, "Another seed is another sample.", name="seed")
@file_to_write(
    "--save-rows FILE", "Write the sample as CSV (label, score), for the other commands.", name="rows", was="--rows"
)
@file_to_write(HTML, "Write a live page with sliders: what chance does to every metric. Prints nothing else.")
@output_options
def simulate(*, output: Words, scenario: int, seed: int, rows: str | None, html: str | None, **changed: Any) -> None:
    """Draw a sample of two classes with Gaussian scores and follow the metrics as the threshold rises.

    Recall has the queue rate as its baseline, precision the prevalence: a useful classifier lies above both.

    \b
    unconfuse simulate --scenario 3
    unconfuse simulate --positives 50 --negatives 950 --seed 7 --save-rows sample.csv
    unconfuse simulate --html live.html
    """
    if html is not None:
        _write_live_page(
            html, output, seed, {"scenario": scenario if scenario != 1 else None, "save-rows": rows} | changed
        )
        return
    sample = _sample(scenario, seed, changed)
    labels, scores = sample.rows()
    told = _told(sample, labels, scores)
    if rows is not None:
        lines = [{"label": int(label), "score": score} for label, score in zip(labels, scores.tolist(), strict=True)]
        emit_text(csv_text(lines), rows)
        wrote(rows)
    table = [[number_text(line[name]) for name in _COLUMNS] for line in told["trend"]]
    markdown = markdown_text(list(_COLUMNS), table, told["findings"])
    emit(output, told, told["trend"], markdown, lambda console: _draw(console, told, table))


def _write_live_page(path: str, output: Words, seed: int, of_one_sample: dict[str, Any]) -> None:
    """Write the page; its sliders choose the populations, so options of a single sample are refused."""
    from unconfuse.reproduce.chance import page

    named = {name.replace("_", "-"): value for name, value in of_one_sample.items()}
    refuse(named, "is of one sample; the page of --html has sliders for that.")
    if output["form"] != "table" or output["path"] is not None:
        raise click.UsageError(
            "--html writes a page and prints nothing. Hint: leave out --format, --json and --output."
        )
    _check_seed(seed)
    emit_text(page(seed), path)
    wrote(path)


def _check_seed(seed: int) -> None:
    if seed < 0:
        raise click.UsageError(f"--seed must be a whole number of at least 0; got {seed}.")


def _sample(case: int, seed: int, changed: dict[str, Any]) -> GaussianSample:
    from dataclasses import replace

    from unconfuse.reproduce.demortier_trends import CASES

    if f"case {case}" not in CASES:
        raise click.UsageError(f"--scenario must be 1, 2, 3 or 4; got {case}.")
    _check_seed(seed)
    given = {name: value for name, value in changed.items() if value is not None}
    for name in ("positives", "negatives"):
        if name in given and given[name] < 1:
            raise click.UsageError(f"--{name} must be at least 1; got {given[name]}.")
    width = given.pop("sd", None)
    if width is not None:
        if not 0 < width < float("inf"):
            raise click.UsageError(f"--sd must be a positive number; got {width:g}.")
        given |= {"sd_positive": width, "sd_negative": width}
    return replace(CASES[f"case {case}"], seed=seed, **given)


def _told(sample: GaussianSample, labels: Any, scores: Any) -> dict[str, Any]:
    """Areas beside those of the population, the trend at a few thresholds, and what it shows."""
    from unconfuse._scipy_special import ndtr
    from unconfuse.api import evaluate
    from unconfuse.bayesian import expected_rates

    area = evaluate(labels, scores, metrics=["auroc"])["auroc"]
    spread = float(np.hypot(sample.sd_negative, sample.sd_positive))
    population = float(ndtr((sample.mean_positive - sample.mean_negative) / spread))
    curve = _curve(labels, scores)
    at = np.linspace(0, len(curve["threshold"]) - 1, min(_STEPS, len(curve["threshold"]))).round().astype(int)
    trend = [{name: float(curve[name][i]) for name in _COLUMNS} for i in at]
    share = sample.positives / (sample.positives + sample.negatives)
    return {
        "positives": sample.positives,
        "negatives": sample.negatives,
        "auroc": area.as_dict(),
        "auroc_of_the_population": population,
        "expected_over_random_thresholds": expected_rates(share, population).as_dict(),
        "trend": trend,
        "findings": _findings(curve, area, population),
    }


def _curve(labels: Any, scores: Any) -> dict[str, Any]:
    """Return the metrics at all thresholds, from the lowest to the highest score."""
    from unconfuse.api import score_table
    from unconfuse.curves import trends

    table = score_table(labels, scores)
    columns = trends(table, metrics=["sensitivity", "precision", "accuracy", "queue_rate"]).columns
    order = np.argsort(columns["threshold"])
    order = order[np.isfinite(columns["threshold"][order]) & (columns["queue_rate"][order] > 0)]
    share = np.full(len(order), table.n_positives / table.n)
    named = {"recall": "sensitivity", "threshold": "threshold", "queue_rate": "queue_rate"}
    named |= {"precision": "precision", "accuracy": "accuracy"}
    return {"prevalence": share} | {name: columns[column][order] for name, column in named.items()}


def _findings(curve: dict[str, Any], area: Any, population: float) -> list[str]:
    up, down = (int((sign * np.diff(curve["precision"]) > 1e-12).sum()) for sign in (1, -1))
    rises = int((np.diff(curve["recall"]) > 1e-12).sum())
    middle = (curve["queue_rate"] > 0.01) & (curve["queue_rate"] < 0.99)
    above = {
        name: float(np.mean(curve[name][middle] > curve[base][middle])) if middle.any() else float("nan")
        for name, base in (("recall", "queue_rate"), ("precision", "prevalence"))
    }
    here = f"{number_text(area.value)} {area.interval_text}"
    return [
        f"AUROC {here} in this sample; {number_text(population)} in the population.",
        f"As the threshold rises, recall {'never rises' if not rises else f'rises {rises} times'}; precision rises "
        f"{up:,} times and falls {down:,} times.",
        f"Recall lies above its baseline, the queue rate, at {above['recall']:.0%} of the thresholds; precision lies "
        f"above its own, the prevalence, at {above['precision']:.0%}.",
    ]


def _draw(console: Console, told: dict[str, Any], table: list[list[str]]) -> None:
    say(console, f"{told['positives']:,} positives and {told['negatives']:,} negatives", "bold")
    for each in told["findings"]:
        say(console, each)
    say(console)
    heads = [{"header": name.replace("_", " "), "justify": "right"} for name in _COLUMNS]
    console.print(as_table(table, heads, gap=3))
