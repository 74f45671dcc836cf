"""`unconfuse calibration`: can the stated probabilities be taken at their word?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._formatting import number_text, p_text
from unconfuse._parameters.cases import SCORES
from unconfuse._parameters.uncertainty import SEED
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, TerminalColumn, fit, say
from unconfuse.cli._options import Words
from unconfuse.cli._output import emit_result, markdown_text, output_options, plot_of, wrote

if TYPE_CHECKING:
    from unconfuse.results.calibration import Calibration
    from unconfuse.results.class_calibration import ClassCalibration
    from unconfuse.uncertainty import Estimate


@command()
@_options.file_options
@_options.level_option
@_options.file_to_write("--repair FILE", "Write a map that recalibrates the probabilities, for `unconfuse apply`.")
@_options.collected(
    "mending",
    _options.option("--kind NAME", "With --repair: fit this kind of map instead of choosing one, such as logistic."),
    _options.option(
        "--clip SHARE", "With --repair: first move probabilities that are closer to 0 or 1 than this to this distance."
    ),
    _options.option(SEED, "With --repair: seed of the folds. [default: 0]", default=None),
)
@_options.collected("data", _options.option(SCORES, "Columns of several classes, such as 'p_*'."))
@plot_of("the reliability diagram with its band (--repair: before and after)")
@output_options
def calibration(*, data: Words, output: Words, mending: Words, repair: str | None, confidence_level: float) -> None:
    """Check probabilities against what occurs, without bins and without smoothing; and recalibrate them.

    \b
    unconfuse calibration patients.csv --label outcome --score risk --positive yes
    unconfuse calibration patients.csv --label outcome --score risk --positive yes --plot reliability.png
    unconfuse calibration patients.csv --label outcome --score risk --positive yes --repair map.json
    unconfuse calibration animals.csv --label animal --scores 'new_*'
    """
    from unconfuse.api import evaluate as judge

    if repair is None:
        _options.refuse(mending, "is for mending: it needs --repair FILE.")
    sample = _options.read(data)
    if repair is not None:
        _mend(sample, data, output, mending, repair, confidence_level)
        return
    result = judge(sample, metrics=["brier"], confidence_level=confidence_level, name=sample.models[0])
    found = result.calibration
    if sample.is_multiclass:
        _options.refuse({"plot": output["plot"]}, "draws one reliability diagram. Hint: give --score of one class.")
        emit_result(output, found, _classes_markdown, _draw_classes, n=result.n, source=_options.source_name(data))
        return
    if output["plot"] is not None:
        result.plot("reliability", path=output["plot"])
        wrote(output["plot"])
    sizes = {"n": result.n, "positives": result.positives, "source": _options.source_name(data)}
    emit_result(output, found, _markdown, _draw, **sizes)


def _mend(sample: Any, data: Words, output: Words, mending: Words, repair: str, confidence_level: float) -> None:
    """Write the map; of a yes-or-no question show how far off the probabilities were as well."""
    import unconfuse
    from unconfuse.cli._recalibration_output import draw_repair, repair_table

    given = {name: value for name, value in mending.items() if value is not None}
    mended = unconfuse.recalibrate(sample, confidence_level=confidence_level, **given)
    sizes: Words = {"n": sample.n, "source": _options.source_name(data)}
    found: Any = None
    if not sample.is_multiclass:
        sizes["positives"] = sample.positives
        found = unconfuse.evaluate(sample, metrics=["brier"], confidence_level=confidence_level).calibration
        sizes["calibration"] = found.as_dict()
    mended.save(repair)
    wrote(repair)
    if output["plot"] is not None:
        mended.plot(output["plot"])
        wrote(output["plot"])

    def markdown(result: Any) -> str:
        table = markdown_text(*repair_table(result), list(result.findings))
        return table if found is None else f"{_markdown(found)}\n{table}"

    def draw(console: Console, result: Any) -> None:
        if found is not None:
            _draw(console, found)
            say(console)
        draw_repair(console, result)

    emit_result(output, mended, markdown, draw, **sizes)


def _overall(found: ClassCalibration) -> list[str]:
    """Describe in words what holds for all classes at once."""
    slope, test, shares = found.slope, found.spiegelhalter, found.shares
    fitted = slope.undefined or f"{number_text(slope.value)} {slope.interval_text}, ideally 1"
    return [
        f"Slope of the log probabilities: {fitted}.",
        f"Shares of the classes (chi-squared, {shares.freedom} df): {p_text(shares.p_value)}.",
        f"Spiegelhalter's test over all classes: z = {number_text(test.z)}, {p_text(test.p_value)}.",
    ]


def _classes_markdown(found: ClassCalibration) -> str:
    return markdown_text(*found.lines(), [found, *_overall(found)])


def _draw_classes(console: Console, found: ClassCalibration) -> None:
    say(console, f"{found.sentence}\n", "bold")
    for each in _overall(found):
        say(console, each)
    heads, lines = found.lines()
    say(console)
    columns = [TerminalColumn(head, [line[place] for line in lines]) for place, head in enumerate(heads)]
    fit(columns, console.width).draw_all(console)
    level = f"{100 * found.confidence_level:.4g}%"
    say(console, f"\nEach row is a question of its own, with {level} intervals. Ideal: intercept 0, slope 1.", "dim")


def _estimates(found: Calibration) -> list[Estimate]:
    distances = [found.ici, found.e50, found.e90, found.emax]
    return [found.intercept, found.slope, *distances, found.miscalibration, found.discrimination, found.uncertainty]


def _test(found: Calibration) -> str:
    test = found.spiegelhalter
    return f"Spiegelhalter's test: z = {number_text(test.z)}, {p_text(test.p_value)}."


def _markdown(found: Calibration) -> str:
    lines = [[estimate.label, number_text(estimate.value), estimate.interval_text] for estimate in _estimates(found)]
    return markdown_text(["", "Value", "Interval"], lines, [found, _test(found)])


def _draw(console: Console, found: Calibration) -> None:
    say(console, f"{found.sentence}\n", "bold")
    shown: list[Any] = _estimates(found)
    columns = [
        TerminalColumn("", [each.label for each in shown], narrowest=24),
        TerminalColumn("value", [number_text(each.value) for each in shown], right=True),
        TerminalColumn(f"{100 * found.confidence_level:.4g}% interval", [each.interval_text for each in shown]),
    ]
    fit(columns, console.width).draw_all(console)
    say(console, f"\nIdeal: intercept 0, slope 1, distances 0. {_test(found)}", "dim")
