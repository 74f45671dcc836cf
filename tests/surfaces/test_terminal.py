"""What is printed fits, stays plain in pipes, obeys the terminal, and shows marks where the numbers say."""

import os
import pty
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

import unconfuse as uc
from unconfuse.cli._comparison_output import draw_comparison
from unconfuse.cli._evaluation_output import draw_evaluation
from unconfuse.cli._layout import in_encoding, shortened
from unconfuse.cli._terminal_canvas import ASCII, UNICODE, AxisScale, Canvas, interval_bar
from unconfuse.cli._terminal_plots import (
    MARGIN,
    ROC_ROWS,
    in_columns,
    operating_point,
    roc_picture,
    score_picture,
    threshold_column,
)
from unconfuse.cli.resolve import _draw as draw_resolution
from unconfuse.cli.thresholds import draw_card
from unconfuse.curves import score_histogram
from unconfuse.demo import patients_path

WIDTHS = (100, 80, 60)
QUICK = ("--resamples", "200")
OPTIONS = ("--label", "outcome", "--positive", "yes", "--score", "risk")
NASTY = "\x1b[31m\x1b]0;owned\x07\x9b2J\r\b\u202eevil\u2066 \u05d0\u05d1\u05d2 \U0001f468\u200d\U0001f469 \u8a3a\u65ad"


def printed(draw, *arguments, width=100, encoding="utf-8"):
    file = open(os.devnull, "w", encoding=encoding)  # noqa: SIM115, PTH123 - only its encoding is asked for
    with file:
        console = Console(file=file, width=width, markup=False, highlight=False, emoji=False, force_terminal=False)
        with console.capture() as drawn:
            draw(console, *arguments)
    return drawn.get()


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    y = rng.random(400) < 0.3
    return y, 1 / (1 + np.exp(-(rng.normal(size=400) + 1.4 * y - 1)))


@pytest.fixture(scope="module")
def evaluation(rows):
    return uc.evaluate(*rows, threshold=0.35, n_resamples=100, name="model")


@pytest.fixture(scope="module")
def pages(rows, evaluation):
    """Every result with the function that draws it."""
    y, s = rows
    other = np.clip(s + np.random.default_rng(1).normal(0, 0.2, len(s)), 0, 1)
    long = {"a" * 10_000: s, NASTY * 20: other, "constant": np.full(len(s), 0.5)}
    with pytest.warns(uc.UnconfuseWarning, match="all scores are"):
        one_score = uc.evaluate([1, 0, 0], [0.5] * 3, n_resamples=100)
    return {
        "evaluate": (draw_evaluation, evaluation),
        "counts": (draw_evaluation, uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)),
        "empty cells": (draw_evaluation, uc.evaluate_counts(tp=0, fp=0, fn=5, tn=7)),
        "huge counts": (draw_evaluation, uc.evaluate_counts(tp=2e12, fp=123456789.5, fn=1e7, tn=3e12)),
        "perfect": (draw_evaluation, uc.evaluate([1, 1, 0, 0], [4e9, 3, -2, -1e-7], threshold=0, n_resamples=100)),
        "one score": (draw_evaluation, one_score),
        "compare": (draw_comparison, uc.compare(y, long, n_resamples=100)),
        "thresholds": (draw_card, uc.threshold_card(y, s, costs={NASTY * 9: (1, 10)}, n_resamples=50)),
        "resolve": (
            lambda console, found: draw_resolution(console, found, None),
            uc.resolving_power(uc.Binormal(), n=500, prevalence=0.1, at=[0.6, 0.99], method="asymptotic"),
        ),
    }


def is_harmless(text):
    """No control characters, no changes of direction, nothing that has no place on a line."""
    return not any(unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp") for each in text)


def assert_fits(text, width):
    for line in text.splitlines():
        assert cell_len(line) <= width, line
    assert is_harmless(text.replace("\n", ""))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_every_page_fits(pages, width, encoding):
    for name, (draw, result) in pages.items():
        text = printed(draw, result, width=width, encoding=encoding)
        assert_fits(text, width)
        assert len(text.splitlines()) < 400, name


def test_pages_in_ascii_are_ascii_but_for_names(pages):
    for draw, result in (pages["evaluate"], pages["counts"], pages["resolve"]):
        text = printed(draw, result, encoding="ascii")
        assert in_encoding(text, "ascii").isascii()
        assert not any("\u2500" <= each <= "\u28ff" for each in text)


@settings(max_examples=60, deadline=None)
@given(name=st.text(min_size=1, max_size=300), source=st.text(max_size=200), width=st.sampled_from(WIDTHS))
def test_names_cannot_break_the_page(name, source, width):
    result = uc.evaluate_counts(tp=8, fp=2, fn=1, tn=9, metrics=["precision"]).with_changes(name=name, source=source)
    assert_fits(printed(draw_evaluation, result, width=width), width)


@settings(max_examples=100, deadline=None)
@given(text=st.text(max_size=200), room=st.integers(8, 60))
def test_shortened_names_are_short_and_harmless(text, room):
    shown = shortened(text, room)
    assert cell_len(shown) <= room and is_harmless(shown)


def test_long_names_are_shortened_quickly(evaluation):
    text = printed(draw_evaluation, evaluation.with_changes(name="n" * 10_000_000, source=NASTY * 1000))
    assert_fits(text, 100)
    assert "n" * 100 not in text and "..." in text.splitlines()[0]


def test_operating_point_is_where_the_numbers_say(rows):
    y, s = rows
    for threshold in (0.05, 0.2, 0.35, 0.6, 0.95, 1.0):
        result = uc.evaluate(y, s, threshold=threshold, metrics=["auroc"])
        tpr, fpr = (s[y] >= threshold).mean(), (s[~y] >= threshold).mean()
        assert operating_point(result) == pytest.approx((fpr, tpr))
        for marks, room in ((UNICODE, 48), (ASCII, 33)):
            columns = room - MARGIN
            lines = [line.plain[MARGIN:].ljust(columns) for line in roc_picture(result, room, marks)[1 : ROC_ROWS + 1]]
            [(row, column)] = [(i, line.index(marks.value)) for i, line in enumerate(lines) if marks.value in line]
            assert abs(column / (columns - 1) - fpr) <= 1.01 / (columns - 1)
            assert abs(1 - row / (ROC_ROWS - 1) - tpr) <= 1.01 / (ROC_ROWS - 1)


@pytest.mark.parametrize("marks", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_every_point_of_the_curve_is_drawn(evaluation, marks):
    canvas = Canvas(42, ROC_ROWS, braille=marks.braille)
    lines = [line.plain[MARGIN:] for line in roc_picture(evaluation, 48, marks)[1 : ROC_ROWS + 1]]
    curve = evaluation.curve("roc")
    for fpr, tpr in zip(curve["fpr"], curve["tpr"], strict=True):
        row, column = canvas.cell(fpr, tpr)
        assert lines[row][column] != " "


def test_histogram_bars_are_shares_and_the_threshold_stands_in_its_column(evaluation, rows):
    y, s = rows
    columns = 48 - MARGIN
    lines = score_picture(evaluation, 48, UNICODE)
    floor = lines[-2].plain[MARGIN:]
    column = floor.index(UNICODE.threshold)
    assert column / columns <= 0.35 < (column + 1) / columns
    assert column == threshold_column(0.35, 0.0, 1.0, columns)
    shares = np.histogram(s[y], np.linspace(0, 1, columns + 1))[0] / y.sum()
    shown = in_columns(score_histogram(evaluation.table, n_bins=columns), "share_of_positives", columns)
    np.testing.assert_allclose(shown, shares)
    heights = [
        sum(UNICODE.levels.find(line.plain[MARGIN + i : MARGIN + i + 1]) + 1 for line in lines[1:6])
        for i in range(columns)
    ]
    assert np.all((np.array(heights) > 0) == (shares > 0))
    assert np.abs(np.array(heights) / 40 - shares / shares.max()).max() <= 1 / 40


def test_bins_narrower_than_a_column_are_not_lost():
    y, s = [1, 0, 0, 1], [0.5, 0.5001, 0.0, 100.0]
    result = uc.evaluate(y, s, metrics=["auroc"])
    bars = score_histogram(result.table, n_bins=30)
    assert in_columns(bars, "share_of_positives", 30).max() == 0.5
    assert (in_columns(bars, "share_of_negatives", 30) > 0).any()


@settings(max_examples=100, deadline=None)
@given(ends=st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)), cells=st.integers(5, 40))
def test_interval_bars_hold_their_value(ends, cells):
    low, value, high = sorted(ends)
    bar = interval_bar(UNICODE, AxisScale(-1, 1, cells), value=value, low=low, high=high, reference=0.0).plain
    assert len(bar) == cells
    at = bar.index(UNICODE.value)
    assert abs(at / (cells - 1) * 2 - 1 - value) <= 2 / (cells - 1)
    covered = [i for i, each in enumerate(bar) if each in "━╼╾●"]
    assert min(covered) <= at <= max(covered)


def in_a_pipe(*arguments, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    command = [str(Path(sys.executable).with_name("unconfuse")), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, env={**clean, **environment}, check=True, timeout=120)
    return done.stdout


def on_a_terminal(*arguments, **environment):
    """The same on a pseudo-terminal: what it is sent, as bytes."""
    clean = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "TERM")}
    command = [str(Path(sys.executable).with_name("unconfuse")), *map(str, arguments)]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.DEVNULL, env={**clean, **environment}) as process:
        os.close(theirs)
        sent = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux says so at the end
                break
            if not piece:
                break
            sent += piece
    os.close(ours)
    assert process.returncode == 0
    return sent


COUNTS = ("counts", "--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31)


def test_pipes_get_plain_text_of_one_width(tmp_path):
    first = in_a_pipe("evaluate", patients_path(), *OPTIONS, *QUICK, TERM="xterm-256color", COLUMNS="40")
    assert b"\x1b" not in first
    assert_fits(first.decode(), 100)
    assert "●" in first.decode()
    assert in_a_pipe(*COUNTS, COLUMNS="40") == in_a_pipe(*COUNTS, COLUMNS="200")


def test_ascii_where_the_encoding_is_not_utf_8():
    shown = in_a_pipe("evaluate", patients_path(), *OPTIONS, *QUICK, PYTHONIOENCODING="ascii")
    assert shown.isascii()
    assert b"ROC  o TPR" in shown


def test_colour_only_where_it_is_wanted():
    colour = b"38;5;"
    assert colour in on_a_terminal(*COUNTS, TERM="xterm-256color", COLUMNS="100")
    assert colour not in on_a_terminal(*COUNTS, TERM="xterm-256color", NO_COLOR="1", COLUMNS="100")
    assert b"\x1b" not in on_a_terminal(*COUNTS, TERM="dumb", COLUMNS="100")
    assert colour in in_a_pipe(*COUNTS, FORCE_COLOR="1", TERM="xterm-256color")


def test_a_name_in_a_file_cannot_reach_the_terminal(tmp_path):
    file = tmp_path / "\x1b[2Jdata.csv"
    file.write_text('y,"\x1b]0;owned\x07p"\n' + "1,.9\n0,.1\n1,.4\n0,.6\n", encoding="utf-8")
    sent = on_a_terminal("evaluate", file, "--score", "\x1b]0;owned\x07p", *QUICK, TERM="xterm-256color", COLUMNS="80")
    assert b"owned" in sent
    assert b"\x1b]" not in sent and b"\x1b[2J" not in sent and b"\x07" not in sent


def test_a_long_curve_is_drawn_from_few_points_as_from_all(monkeypatch):
    """Piece by piece, at rare positives too: no point lies farther from the curve than a part of a dot."""
    from unconfuse.cli import _terminal_plots
    from unconfuse.curves import curve

    rng = np.random.default_rng(1)
    y = rng.random(30_000) < 0.002
    table = uc.score_table(y, rng.normal(size=len(y)) + y)
    monkeypatch.setattr(_terminal_plots, "_ALL_POINTS", 1000)
    fpr, tpr = _terminal_plots.roc_points_to_draw(table, 80)
    whole = curve("roc", table)
    assert len(fpr) < len(table) / 10
    assert (fpr[0], tpr[0]) == (0, 0) and (fpr[-1], tpr[-1]) == pytest.approx((1, 1))
    along, all_along = fpr + tpr, whole["fpr"] + whole["tpr"]
    assert np.abs(np.interp(all_along, along, tpr) - whole["tpr"]).max() <= 1 / 80 / _terminal_plots._PARTS_OF_A_DOT
