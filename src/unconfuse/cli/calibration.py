"""`unconfuse calibration`: can the stated probabilities be taken at their word?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._plain import number_text, p_text
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Column, Console, fit, say
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit_result, markdown_text, output_options, plot_of, wrote

if TYPE_CHECKING:
    from unconfuse.results.calibration import Calibration
    from unconfuse.uncertainty import Estimate


@command()
@_options.file_options
@_options.option("--level SHARE", "Confidence level of the intervals.", to="confidence_level", default=0.95)
@plot_of("the reliability diagram with its band")
@output_options
def calibration(*, data: Words, output: Words, confidence_level: float) -> None:
    """Say how far stated probabilities are from what occurs, without bins and without smoothing.

    \b
    unconfuse calibration patients.csv --label outcome --score risk --positive yes
    unconfuse calibration patients.csv --label outcome --score risk --positive yes --plot reliability.png
    """
    from unconfuse.api import evaluate as judge

    sample = _options.read(data)
    result = judge(sample, metrics=["brier"], confidence_level=confidence_level, name=sample.models[0])
    found = result.calibration
    if output["plot"] is not None:
        result.plot("reliability", path=output["plot"])
        wrote(output["plot"])
    sizes = {"n": result.n, "positives": result.positives, "source": _options.source_name(data)}
    emit_result(output, found, _markdown, _draw, **sizes)


def _estimates(found: Calibration) -> list[Estimate]:
    distances = [found.ici, found.e50, found.e90, found.emax]
    return [found.intercept, found.slope, *distances, found.miscalibration, found.discrimination, found.uncertainty]


def _test(found: Calibration) -> str:
    test = found.spiegelhalter
    return f"Spiegelhalter's test: z = {number_text(test.z)}, {p_text(test.p_value)}."


def _markdown(found: Calibration) -> str:
    lines = [[each.label, number_text(each.value), each.interval_text] for each in _estimates(found)]
    return markdown_text(["", "Value", "Interval"], lines, [found, _test(found)])


def _draw(console: Console, found: Calibration) -> None:
    say(console, f"{found.sentence}\n", "bold")
    shown: list[Any] = _estimates(found)
    columns = [
        Column("", [each.label for each in shown], narrowest=24),
        Column("value", [number_text(each.value) for each in shown], right=True),
        Column(f"{100 * found.confidence_level:.4g}% interval", [each.interval_text for each in shown]),
    ]
    fit(columns, console.width).draw_all(console)
    say(console, f"\nIdeal: intercept 0, slope 1, distances 0. {_test(found)}", "dim")
