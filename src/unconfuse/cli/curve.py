"""`unconfuse curve`: any curve of the scores with its band, point by point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text
from unconfuse._parameters.decisions import METRIC
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, metric_option, option
from unconfuse.cli._output import emit, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.uncertainty.bands import ConfidenceBand

_SHOWN = 21  # points on the terminal; CSV and JSON have them all
_HEADS = ["x", "y", "band"]


@command()
@_options.file_options
@option(
    "--curve NAME",
    "Which: roc, precision_recall, decision_curve, reliability, trends, ...",
    default="roc",
    guesses=("kind", "type"),
)
@option("--band pointwise|simultaneous", "Whether it holds at each point, or everywhere at once.", name="kind")
@metric_option("Which metric of decisions, for --curve trends. [default: sensitivity]", METRIC, default=None)
@_options.design_options
@_options.sampling_options()
@output_options
def curve(*, data: Words, output: Words, curve: str, n_resamples: int, **how: Any) -> None:
    """Print a curve of the scores with its band: where the true curve lies, at each point or everywhere at once.

    \b
    unconfuse curve patients.csv --label outcome --score risk --positive yes --curve precision_recall
    unconfuse curve patients.csv --label outcome --score risk --positive yes --curve decision_curve \\
        --band simultaneous --format csv
    """
    from unconfuse.api import evaluate

    own = {name: how.pop(name) for name in ("design", "confidence_level", "rng")}
    result = evaluate(_options.read(data), metrics=["auroc"], **own)
    confidence_band = result.band(curve, n_resamples=n_resamples, **how)
    labels = result.curve(curve)
    words = (
        f"{curve}, {confidence_band.kind} {100 * confidence_band.confidence_level:.4g}% band "
        f"of {len(confidence_band.x)} points: {confidence_band.method}."
    )
    axes = f"x: {labels.label(labels.x)}; y: {how['metric'] or labels.label(labels.y)}."
    told: Words = {
        "curve": curve,
        "x": labels.label(labels.x),
        "kind": confidence_band.kind,
        "method": confidence_band.method,
    }
    told |= {"confidence_level": confidence_band.confidence_level, "source": _options.source_name(data)}
    payload = told | {"points": confidence_band.rows()}
    emit(
        output,
        payload,
        confidence_band.rows(),
        markdown_text(_HEADS, _lines(confidence_band), [words, axes]),
        _drawn(confidence_band, words, axes),
    )


def _lines(found: ConfidenceBand) -> list[list[str]]:
    """Return some of the points, evenly spaced."""
    rows = found.rows()
    places = {round(k * (len(rows) - 1) / (_SHOWN - 1)) for k in range(_SHOWN)}
    shown = [rows[place] for place in sorted(places)]
    cells = [[number_text(each[name]) for name in ("x", "y", "low", "high")] for each in shown]
    return [[x, y, f"[{low}, {high}]"] for x, y, low, high in cells]


def _drawn(found: ConfidenceBand, words: str, axes: str) -> Any:
    def draw(console: Console) -> None:
        say(console, words, "bold")
        console.print(as_table(_lines(found), [{"header": head} for head in _HEADS]))
        say(console, f"{axes} --format csv has every point.", "dim")

    return draw
