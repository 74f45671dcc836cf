"""An evaluation in small pictures: ROC and the scores of both classes, side by side, and the 2x2 table."""

from collections.abc import Sequence

import numpy as np
from rich.console import Console
from rich.text import Text

from unconfuse._formatting import number_text, percent, threshold_words
from unconfuse._html_repr import TERMINAL
from unconfuse.cli._layout import count_text, say
from unconfuse.cli._terminal_canvas import Canvas, CharacterSet, in_runs, marks_for
from unconfuse.curves import Curve, curve, score_histogram
from unconfuse.results.evaluation import Evaluation
from unconfuse.table import Array, ScoreTable

_WIDEST, _GAP, _SIDE_BY_SIDE = 48, 4, 72
_CLASS_ROWS = 5
_ALL_POINTS = 1 << 17  # of longer tables not every point is drawn
_PARTS_OF_A_DOT = 8
ROC_ROWS = 2 * _CLASS_ROWS
_DUST = 1e-9  # of rounding, in columns
MARGIN = 6  # cells left of a picture: the numbers and the axis
_WIDEST_BOX, _NARROWEST_BOX, _LABEL = 18, 10, 18
Cell = tuple[float, str, float, str]  # count, name, share of its class, role of its colour


def draw_pictures(console: Console, evaluation: Evaluation) -> None:
    """Both pictures; nothing where only counts, or only cases of one class, are known."""
    table = evaluation.score_table
    if table is None or not (table.n_positives > 0 and table.n_negatives > 0):
        return
    beside = console.width >= _SIDE_BY_SIDE
    room = min((console.width - _GAP) // 2 if beside else console.width, _WIDEST)
    marks = marks_for(console)
    roc, scores = roc_picture(evaluation, room, marks), score_picture(evaluation, room, marks)
    if beside:
        for left, right in zip(roc, scores, strict=True):
            left.pad_right(room + _GAP - left.cell_len)
            console.print(Text.assemble(left, right), no_wrap=True, overflow="crop")
    else:
        console.print(Text("\n").join([*roc, Text(), *scores]), no_wrap=True, overflow="crop")
    console.print()


def roc_picture(evaluation: Evaluation, room: int, marks: CharacterSet) -> list[Text]:
    """Draw the ROC curve, the line of a useless classifier, and where the threshold lies."""
    canvas = Canvas(room - MARGIN, ROC_ROWS, braille=marks.braille)
    canvas.line([0, 1], [0, 1], ".", "dim", every=12 if marks.braille else 1)
    canvas.line(*roc_points_to_draw(_middles(evaluation), canvas.finest), "*", TERMINAL["line"])
    title = Text("ROC", style="bold")
    if evaluation.has_decisions:
        fpr, tpr = operating_point(evaluation)
        canvas.mark(fpr, tpr, marks.value, "bold")
        title = Text.assemble(title, (f"  {marks.value} TPR {number_text(tpr)}, FPR {number_text(fpr)}", "dim"))
    rows = _with_axis(canvas.lines(), {0: "1", ROC_ROWS - 1: "0", 1: "TPR"}, marks)
    return [title, *rows, *_axis("0", "false positive rate", "1", canvas.columns, marks)]


def roc_points_to_draw(table: ScoreTable, finest: int) -> tuple[Array, Array]:
    """FPR and TPR: of a long table only points where the curve enters or leaves a small part of a dot.

    Taken piece by piece: all points of ten million scores would take as much memory again as the table.
    """
    if len(table) <= _ALL_POINTS:
        roc = curve("roc", table)
        return roc["fpr"], roc["tpr"]
    kept, before = [np.zeros((2, 1))], np.zeros((2, 1))
    totals = np.array([[table.n_negatives], [table.n_positives]])
    for first in range(0, len(table), _ALL_POINTS):
        piece = slice(first, first + _ALL_POINTS)
        rates = before + np.cumsum([table.negatives[piece], table.positives[piece]], axis=1) / totals
        step = np.floor(rates.sum(axis=0) * finest * _PARTS_OF_A_DOT)
        moves = np.diff(step) > 0
        kept.append(rates[:, np.append(True, moves) | np.append(moves, True)])
        before = rates[:, -1:]
    fpr, tpr = np.minimum(np.concatenate(kept, axis=1), 1.0)
    return fpr, tpr


def operating_point(evaluation: Evaluation) -> tuple[float, float]:
    """Return the false and the true positive rate at the threshold."""
    counts = evaluation.counts
    return float(counts.fp / counts.negatives), float(counts.tp / counts.positives)


def score_picture(evaluation: Evaluation, room: int, marks: CharacterSet) -> list[Text]:
    """Draw the scores of the positives above those of the negatives, on one axis, with the threshold.

    Each class has a scale of its own, whose top is the share of the class in its fullest bin: shapes are to be seen.
    """
    columns = room - MARGIN
    bars = score_histogram(_middles(evaluation), n_bins=columns)
    low, high = float(bars["left"][0]), float(bars["right"][-1])
    at = threshold_column(evaluation.threshold, low, high, columns)
    rows = []
    for name in ("positive", "negative"):
        shares = in_columns(bars, f"share_of_{name}s", columns)
        top = float(shares.max())
        lines = [in_runs(cells) for cells in _cells(shares / top, marks, at, TERMINAL[name])]
        rows += _with_axis(lines, {0: percent(float(f"{top:.2g}"))}, marks)
    positives, negatives = ((f"{name}s", TERMINAL[name]) for name in ("positive", "negative"))
    title = Text.assemble(("Scores", "bold"), "  ", positives, (" above ", "dim"), negatives)
    words = _score_words(evaluation.threshold, at, marks)
    return [title, *rows, *_axis(f"{low:.3g}", words, f"{high:.3g}", columns, marks, at)]


def _score_words(threshold: float | None, at: int | None, marks: CharacterSet) -> str:
    if threshold is None:
        return "score"
    shown = threshold_words(threshold)
    return f"score; {shown} lies outside" if at is None else f"score, {marks.threshold} {shown}"


def _middles(evaluation: Evaluation) -> ScoreTable:
    """Return the midpoints of the blocks of a binned table; an exact one is its own midpoints."""
    assert evaluation.score_table is not None, "only evaluations with scores have pictures"
    return evaluation.score_table.at_midpoints()


def in_columns(bars: Curve, name: str, columns: int) -> Array:
    """Return the highest bar that reaches into each of so many columns: bins of few scores are wider, or narrower."""
    low, high = float(bars["left"][0]), float(bars["right"][-1])
    begin, end = ((bars[side] - low) / (high - low) * columns for side in ("left", "right"))
    first = np.clip(np.floor(begin + _DUST).astype(int), 0, columns - 1)
    last = np.clip(np.ceil(end - _DUST).astype(int), first + 1, columns)
    heights = np.zeros(columns)
    for left, right, share in zip(first, last, bars[name], strict=True):
        heights[left:right] = np.maximum(heights[left:right], share)
    return heights


def threshold_column(threshold: float | None, low: float, high: float, columns: int) -> int | None:
    """Return the column that holds a threshold; None if it lies beyond the scores."""
    if threshold is None or not low <= threshold <= high:
        return None
    return min(int((threshold - low) / (high - low) * columns), columns - 1)


def _cells(heights: Array, marks: CharacterSet, at: int | None, style: str) -> list[list[tuple[str, str]]]:
    """Characters and their styles, from the top row down; the threshold shows where no bar is."""
    steps = len(marks.levels)
    filled = np.where(heights > 0, np.maximum(np.round(heights * _CLASS_ROWS * steps), 1), 0).astype(int)
    rows = []
    for floor in range((_CLASS_ROWS - 1) * steps, -1, -steps):
        there = np.clip(filled - floor, 0, steps)
        row = [(marks.levels[level - 1], style) if level else (" ", "") for level in there.tolist()]
        if at is not None and not there[at]:
            row[at] = (marks.upright, "dim")
        rows.append(row)
    return rows


def _with_axis(lines: Sequence[Text], numbers: dict[int, str], marks: CharacterSet) -> list[Text]:
    signs = [marks.tick if row in numbers else marks.upright for row in range(len(lines))]
    sides = [(f"{numbers.get(row, ''):>{MARGIN - 2}} {sign}", "dim") for row, sign in enumerate(signs)]
    return [Text.assemble(side, line) for side, line in zip(sides, lines, strict=True)]


def _axis(low: str, words: str, high: str, columns: int, marks: CharacterSet, at: int | None = None) -> list[Text]:
    """Draw the line below a picture, with a mark where the threshold is, then its ends and what it shows."""
    line = [(marks.track, "dim")] * columns
    if at is not None:
        line[at] = (marks.threshold, "bold")
    middle = words.center(max(columns - len(low) - len(high), len(words) + 2))
    floor = in_runs([(" " * (MARGIN - 1) + marks.origin, "dim"), *line])
    return [floor, Text(" " * MARGIN + low + middle + high, style="dim")]


def draw_matrix(console: Console, evaluation: Evaluation, *, per_thousand: bool = False) -> None:
    """Draw the 2x2 table with its margins; of 1,000 cases where nobody has been counted."""
    marks = marks_for(console)
    c = evaluation.counts
    scale = 1000 / float(c.total) if per_thousand else 1.0
    tp, fp, fn, tn = (scale * float(cell) for cell in (c.tp, c.fp, c.fn, c.tn))
    rows: list[tuple[str, tuple[Cell, Cell]]] = [
        ("labelled positive", ((tp, "TP", tp / (tp + fn or 1), "good"), (fp, "FP", fp / (fp + tn or 1), "bad"))),
        ("labelled negative", ((fn, "FN", fn / (tp + fn or 1), "bad"), (tn, "TN", tn / (fp + tn or 1), "good"))),
    ]
    total = count_text(tp + fp + fn + tn)
    wide = min(max((console.width - _LABEL - len(total) - 8) // 2, _NARROWEST_BOX), _WIDEST_BOX)
    heads = ("truly positive", "truly negative") if wide >= 14 else ("positive", "negative")
    lines = [_margin("of 1,000 cases" if per_thousand else "", heads, "all", wide), _rule(marks, wide, 0)]
    for row, (label, cells) in enumerate(rows):
        lines += [_rule(marks, wide, 3)] if row else []
        side, name, both = Text(marks.upright, style="dim"), (f"{label:<{_LABEL}}", "dim"), cells[0][0] + cells[1][0]
        counted, bars = (side.join([part(cell, wide, marks) for cell in cells]) for part in (_count, _bar))
        lines.append(Text.assemble(name, side, counted, side, f"  {count_text(both)}"))
        lines.append(Text.assemble(" " * _LABEL, side, bars, side))
    lines += [_rule(marks, wide, 6), _margin("all", (count_text(tp + fn), count_text(fp + tn)), total, wide)]
    console.print(Text("\n").join(lines), no_wrap=True, overflow="crop")
    say(console, f"{'':<{_LABEL}} bars: shares of each column", "dim")
    console.print()


def _margin(label: str, columns: tuple[str, str], last: str, wide: int) -> Text:
    inside = " ".join(column.center(wide) for column in columns)
    return Text.assemble((f"{label:<{_LABEL}} {inside}", "dim"), f"   {last}")


def _rule(marks: CharacterSet, wide: int, start: int) -> Text:
    left, middle, right = list(marks.corners[start : start + 3])
    line = marks.track * wide
    return Text.assemble(" " * _LABEL, (f"{left}{line}{middle}{line}{right}", "dim"))


def _count(cell: Cell, wide: int, marks: CharacterSet) -> Text:
    count, name, _, role = cell
    words = Text.assemble(" ", (count_text(count), f"bold {TERMINAL[role]}"), (f" {name}", "dim"))
    words.pad_right(wide - words.cell_len)
    return words


def _bar(cell: Cell, wide: int, marks: CharacterSet) -> Text:
    """At least one character for what occurred at all; none for a share that nobody knows."""
    *_, share, role = cell
    length = max(round(share * (wide - 2)), 1) if share > 0 else 0
    bar = Text.assemble(" ", (marks.block * length, TERMINAL[role]))
    bar.pad_right(wide - bar.cell_len)
    return bar
