"""One table, written in any form: Markdown, HTML, LaTeX, CSV and Word; and rows as CSV.

Cells are text, never markup, wherever they come from: each form escapes what it would read as its own signs.
"""

from __future__ import annotations

import csv
import html
import io
import math
import re
import string
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from unconfuse._atomic_files import in_place_of
from unconfuse._errors import ArgumentError
from unconfuse._formatting import columns_in, printable, short_repr

ENDINGS = {".md": "markdown", ".html": "html", ".tex": "latex", ".docx": "docx", ".csv": "csv"}
FORMS = tuple(ENDINGS.values())
Kind = Literal["text", "number"]


@dataclass(frozen=True)
class Cell:
    """Text, with the mark of a footnote."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class Column:
    """A head, and what stands under it: text to the left, numbers to the right."""

    head: str
    kind: Kind = "text"


@dataclass(frozen=True)
class Footnote:
    """A remark under a table; cells refer to it by its mark, if it has one."""

    text: str
    mark: str = ""


@dataclass(frozen=True)
class TableView:
    """A table as every surface shows it.

    >>> columns, notes = [Column("a|b"), Column("n", "number")], [Footnote("Cases.", "a")]
    >>> view = TableView(columns, [["<x>", Cell("1", "a")]], "Sizes", notes)
    >>> print(view.markdown())
    **Sizes**
    <BLANKLINE>
    | a\\|b | n |
    | --- | ---: |
    | &lt;x&gt; | 1<sup>a</sup> |
    <BLANKLINE>
    <sup>a</sup> Cases.
    <BLANKLINE>
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str | Cell]]
    caption: str = ""
    footnotes: Sequence[Footnote] = ()

    def markdown(self) -> str:
        """Return the table as Markdown (GitHub's)."""
        lines = ["---:" if column.kind == "number" else "---" for column in self.columns]
        heads = [markdown_escaped(column.head) for column in self.columns]
        body = [[_marked(markdown_escaped(cell.text), cell.mark) for cell in row] for row in self._cells()]
        table = "".join(f"| {' | '.join(line)} |\n" for line in (heads, lines, *body))
        said = [f"**{markdown_escaped(self.caption)}**\n"] if self.caption else []
        notes = [
            f"{_marked('', footnote.mark)} {markdown_escaped(footnote.text)}".strip() + "\n"
            for footnote in self.footnotes
        ]
        return "\n".join([*said, table, *notes])

    def html(self) -> str:
        """Return the table as HTML: a figure without script or style of its own."""
        sides = [' style="text-align:right"' if column.kind == "number" else "" for column in self.columns]
        heads = "".join(
            f'<th scope="col"{side}>{_html(column.head)}</th>' for column, side in zip(self.columns, sides, strict=True)
        )
        body = "".join(f"<tr>{self._html_row(row, sides)}</tr>\n" for row in self._cells())
        caption = f"<caption>{_html(self.caption)}</caption>\n" if self.caption else ""
        notes = "".join(f"<p>{_marked('', footnote.mark)} {_html(footnote.text)}</p>\n" for footnote in self.footnotes)
        table = f"<table>\n{caption}<thead>\n<tr>{heads}</tr>\n</thead>\n<tbody>\n{body}</tbody>\n</table>\n"
        return f"<figure>\n{table}{notes}</figure>\n"

    def page_html(self) -> str:
        """Return the table for a page of ours, whose sheet has a class for numbers and stacks cells on a phone."""
        kinds = [' class="num"' if column.kind == "number" else "" for column in self.columns]
        heads = [_html(column.head) for column in self.columns]
        top = "".join(f'<th scope="col"{kind}>{head}</th>' for head, kind in zip(heads, kinds, strict=True))
        starts = [f'<td{kind} data-head="{head}">' for head, kind in zip(heads[1:], kinds[1:], strict=True)]
        lines = []
        for first, *rest in self._cells():
            cells = "".join(f"{start}{_html(cell.text)}</td>" for start, cell in zip(starts, rest, strict=True))
            lines.append(f'<tr><th scope="row">{_html(first.text)}</th>{cells}</tr>\n')
        return f"<table>\n<thead>\n<tr>{top}</tr>\n</thead>\n<tbody>\n{''.join(lines)}</tbody>\n</table>\n"

    def latex(self) -> str:
        """Return the table as LaTeX for the package booktabs."""
        sides = "".join("r" if column.kind == "number" else "l" for column in self.columns)
        heads = " & ".join(latex_escaped(column.head) for column in self.columns)
        body = "".join(" & ".join(map(_latex_cell, row)) + r" \\" + "\n" for row in self._cells())
        caption = [rf"\caption{{{latex_escaped(self.caption)}}}"] if self.caption else []
        notes = [_latex_note(footnote) for footnote in self.footnotes]
        lines = [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            *caption,
            rf"\begin{{tabular}}{{{sides}}}",
            r"\toprule",
            rf"{heads} \\",
            rf"\midrule{'' if not body else chr(10)}{body.rstrip()}",
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par\smallskip", *notes] if notes else []),
            r"\end{table}",
        ]
        return "\n".join(lines) + "\n"

    def csv(self) -> str:
        """Return heads and cells as CSV, without caption, marks and footnotes; formulas of spreadsheets stay text."""
        file = io.StringIO()
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow([_no_formula(column.head) for column in self.columns])
        lines.writerows([_no_formula(cell.text) for cell in row] for row in self._cells())
        return file.getvalue()

    def _cells(self) -> list[list[Cell]]:
        return [[Cell(each) if isinstance(each, str) else each for each in row] for row in self.rows]

    def _html_row(self, row: Sequence[Cell], sides: Sequence[str]) -> str:
        cells = zip(row, sides, strict=True)
        return "".join(f"<td{side}>{_marked(_html(cell.text), cell.mark)}</td>" for cell, side in cells)

    def _blocks(self) -> list[str]:
        """Return the table as parts of a Word document."""
        from unconfuse import _docx

        rows = [
            [
                [_docx.Run(printable(cell.text)), *([_docx.Run(cell.mark, raised=True)] if cell.mark else [])]
                for cell in row
            ]
            for row in self._cells()
        ]
        heads, right = (
            [printable(column.head) for column in self.columns],
            [column.kind == "number" for column in self.columns],
        )
        caption = [_docx.paragraph([_docx.Run(printable(self.caption), bold=True)], keep=True)] if self.caption else []
        notes = [_docx.small(printable(footnote.text), footnote.mark) for footnote in self.footnotes]
        return [*caption, _docx.table(heads, rows, right), *notes, _docx.paragraph([])]


def rendered(views: Sequence[TableView], form: str, *, before: Sequence[str] = ()) -> str | bytes:
    """Return tables as one text, or as the bytes of a Word document; `before` are paragraphs above them.

    >>> rendered([TableView([Column("a")], [["=1+1"]])], "csv")
    "a\\n'=1+1\\n"
    """
    if not isinstance(form, str) or form not in FORMS:
        raise ArgumentError(f"`form` must be one of {', '.join(FORMS)}; got {short_repr(form)}.")
    if form == "docx":
        from unconfuse import _docx

        paragraphs = [_docx.paragraph([_docx.Run(printable(each))]) for each in before]
        return _docx.document([*paragraphs, *(block for view in views for block in view._blocks())])
    above = {"markdown": markdown_escaped, "html": lambda text: f"<p>{_html(text)}</p>", "latex": latex_escaped}
    said = [f"{above[form](text)}\n" for text in before] if form in above else []
    return "\n".join([*said, *(getattr(view, form)() for view in views)])


def form_of(path: str | PathLike[str], forms: Sequence[str] = FORMS) -> str:
    """Return the form that the ending of a file's name means.

    >>> form_of("results.docx")
    'docx'
    """
    known = [ending for ending, form in ENDINGS.items() if form in forms]
    ending = Path(path).suffix.lower()
    if ending not in known:
        raise ArgumentError(f"the name of a table must end in {', '.join(known)}; got {short_repr(str(path))}.")
    return ENDINGS[ending]


def write(made: str | bytes, path: str | PathLike[str]) -> None:
    """Write a text or a document to a file, whole or not at all."""
    with in_place_of(Path(path)) as place:
        place.write_bytes(made.encode() if isinstance(made, str) else made)


class MarkupStyle:
    """Footnotes by letters; the same words get the same letter.

    >>> marks = MarkupStyle()
    >>> marks.of("mid-p"), marks.of("DeLong"), marks.of("mid-p"), [each.mark for each in marks.footnotes]
    ('a', 'b', 'a', ['a', 'b'])
    """

    def __init__(self) -> None:
        self._marks = dict[str, str]()

    def of(self, words: str) -> str:
        """Return the letter of these words; after z come aa, ab, ..."""
        if words not in self._marks:
            place, letters = len(self._marks), string.ascii_lowercase
            self._marks[words] = (letters[place // 26 - 1] if place >= 26 else "") + letters[place % 26]
        return self._marks[words]

    @property
    def footnotes(self) -> list[Footnote]:
        """All of them, in the order of their letters."""
        return [Footnote(words, mark) for words, mark in self._marks.items()]


_TAG = re.compile(r"^>|[<>](?![ =\d.])")  # "p < 0.001" is no tag, and stays legible as text
_ENTITY = {"<": "&lt;", ">": "&gt;"}
_EMPHASIS = re.compile(r"(?<![^\W_])_+|_+(?![^\W_])")  # underscores within a word are no markup
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",  # after the end of a row it would begin an optional argument
    "]": "{]}",
    "\u03ba": r"$\kappa$",
    "\u00b1": r"$\pm$",
    "\u00d7": r"$\times$",
    "\u2265": r"$\geq$",
    "\u2264": r"$\leq$",
    "\u2212": "$-$",
} | {each: f"\\{each}" for each in "{}$&#%_"}
_MINUS = re.compile(r"(?<!\w)-(?=[\d.])")
_LATEX_SIGNS = str.maketrans(_LATEX)


def markdown_escaped(text: str) -> str:
    r"""Return text that Markdown shows as it is: no table cell, link, emphasis, code or HTML comes of it.

    >>> markdown_escaped("a|b *c* [d](e) _f_ g_h <i>"), markdown_escaped("0.5 [0.4, 0.6], p < 0.001")
    ('a\\|b \\*c\\* [d]\\(e) \\_f\\_ g_h &lt;i&gt;', '0.5 [0.4, 0.6], p < 0.001')
    """
    plain = printable(text).replace("\\", "\\\\").replace("&", "&amp;")
    plain = _TAG.sub(lambda found: _ENTITY[found[0]], plain)
    for raw, escaped in (("|", "\\|"), ("*", "\\*"), ("`", "\\`"), ("~", "\\~"), ("](", "]\\("), ("][", "]\\[")):
        plain = plain.replace(raw, escaped)
    return _EMPHASIS.sub(lambda found: "\\_" * len(found[0]), plain)


def _html(text: str) -> str:
    return html.escape(printable(text))


def _marked(text: str, mark: str) -> str:
    return f"{text}<sup>{mark}</sup>" if mark else text


def latex_escaped(text: str) -> str:
    r"""Return text in which no sign is a command.

    >>> latex_escaped(r"50% of \input{x} & -- [a]")
    '50\\% of \\textbackslash{}input\\{x\\} \\& -{}- {[}a{]}'
    """
    signs = _MINUS.sub("\u2212", printable(text)).translate(_LATEX_SIGNS)
    return re.sub("-(?=-)", "-{}", signs)  # two would become one long dash


def _latex_cell(cell: Cell) -> str:
    return latex_escaped(cell.text) + (rf"\textsuperscript{{{cell.mark}}}" if cell.mark else "")


def _latex_note(note: Footnote) -> str:
    mark = rf"\textsuperscript{{{note.mark}}} " if note.mark else ""
    return rf"\parbox{{\linewidth}}{{\footnotesize {mark}{latex_escaped(note.text)}}}\par"


def csv_text(rows: Sequence[Mapping[str, Any]], *, for_spreadsheets: bool = False) -> str:
    """Return rows as CSV, a line for each below a header; what is missing or undefined is empty.

    What is written `for_spreadsheets` holds no text that they would compute.

    >>> csv_text([{"metric": "=1+1", "value": -0.5, "low": None}], for_spreadsheets=True)
    "metric,value,low\\n'=1+1,-0.5,\\n"
    """

    def cell(value: Any) -> Any:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return ""
        return _no_formula(value) if for_spreadsheets and isinstance(value, str) else value

    heads, text = columns_in(rows), io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(map(cell, heads))
    lines.writerows([cell(row.get(name)) for name in heads] for row in rows)
    return text.getvalue()


def _no_formula(text: str) -> str:
    """Return text that no spreadsheet computes: a name may begin as a formula does, a number keeps its sign."""
    number = re.fullmatch(r"[-+]?[\d.,]+(e[-+]?\d+)?( \[.*\])?", text)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") and not number else text


def view_of(heads: Iterable[str], lines: Iterable[Sequence[str | Cell]], numbers: Container[int] = ()) -> TableView:
    """Return a view of lines under heads; the columns at the places in `numbers` stand to the right."""
    columns = [Column(head, "number" if place in numbers else "text") for place, head in enumerate(heads)]
    return TableView(columns, list(lines))
