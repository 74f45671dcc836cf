"""The flow of cases: read, left out and why, used, by label and by class; as text and as a picture."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from unconfuse._formatting import printable
from unconfuse.publication._shared_text import count, listed

if TYPE_CHECKING:
    from unconfuse.results.evaluation import Evaluation

_MOST = 12  # classes of which the diagram has a box each
_WIDE, _HIGH, _GAP, _LINE = 230, 16, 34, 15


@dataclass(frozen=True)
class Flow:
    """How many cases came through to the analysis, and where they ended up.

    >>> import unconfuse as uc
    >>> print(flow_of(uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)))
    Rows read: 239
      |
    Cases used: 239
      |
      +-- labelled positive: 141 (141 positive, 0 negative)
      +-- labelled negative: 98 (67 positive, 31 negative)
    """

    read: str
    left_out: tuple[tuple[str, str], ...]
    used: str
    ends: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        lines = [self.read, "  |"]
        for why, size in self.left_out:
            lines.append(f"  +-- left out, {why}: {size}")
        lines += ["  |"] if self.left_out else []
        lines += [self.used, "  |"] if self.ends else [self.used]
        return "\n".join([*lines, *(f"  +-- {name}: {what}" for name, what in self.ends)])

    def svg(self) -> str:
        """Return the diagram as a picture: boxes from the top to the ends."""
        out = [f"Left out, {why}: {size}" for why, size in self.left_out]
        ends = [f"{name}: {what}" for name, what in self.ends] or [""]
        wide = max(len(ends) * (_WIDE + 10), 2 * _WIDE + 60)
        middle = wide // 2
        parts, top = [_box(middle, 10, [self.read])], 10 + _HIGH + 12
        if out:
            parts += [_box(middle + _WIDE, top + 6, out), _line(middle, top + 14, middle + _WIDE // 2, top + 14)]
        below = top + max(_GAP, len(out) * _LINE + 24)
        parts += [_line(middle, top, middle, below), _box(middle, below, [self.used])]
        last = below + _HIGH + 12 + _GAP
        for place, words in enumerate(ends if self.ends else []):
            centre = int(wide * (place + 0.5) / len(ends))
            parts += [_line(middle, below + _HIGH + 12, centre, last), _box(centre, last, words.split(" (", 1))]
        height = last + 2 * _LINE + 30
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{height}" viewBox="0 0 {wide} {height}" '
            f'font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n'
        )


def _box(centre: int, top: int, lines: list[str]) -> str:
    height = _LINE * (len(lines) - 1) + _HIGH + 12
    box = f'<rect x="{centre - _WIDE // 2}" y="{top}" width="{_WIDE}" height="{height}" fill="none" stroke="#222"/>'
    shown = [f"({line}" if place and line.endswith(")") else line for place, line in enumerate(lines)]
    words = "".join(
        f'<text x="{centre}" y="{top + 18 + _LINE * place}" text-anchor="middle">{escape(_short(each))}</text>'
        for place, each in enumerate(shown)
    )
    return box + words


def _short(words: str) -> str:
    plain = printable(words)
    return plain if len(plain) <= 38 else f"{plain[:37]}\u2026"


def _line(x: int, y: int, to_x: int, to_y: int) -> str:
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="#222" fill="none"/>'


def flow_of(evaluation: Evaluation) -> Flow:
    """Return the flow of the cases of an evaluation; weights count as cases."""
    skipped = evaluation.skipped
    used = f"Cases used: {count(evaluation.n)}"
    weighted = evaluation.sample.is_weighted or evaluation.sample.is_sampled
    read = "Rows read: " + ("not known (rows are weighted)" if weighted else count(evaluation.n + skipped.total))
    out = tuple((reason, f"{rows:,}") for reason, rows in skipped.counts)
    return Flow(read, out, used, tuple(_ends(evaluation)))


def _ends(evaluation: Evaluation) -> list[tuple[str, str]]:
    if evaluation.sample.is_multiclass:
        return _of_classes(evaluation)
    if not evaluation.has_decisions:
        sizes = {"positive": evaluation.positives, "negative": evaluation.negatives}
        return [(name, f"{count(size)} (no threshold, so no labels)") for name, size in sizes.items()]
    cells = evaluation.counts
    ends = []
    for name, positives, negatives in (("positive", cells.tp, cells.fp), ("negative", cells.fn, cells.tn)):
        both = float(positives) + float(negatives)
        own = f"{count(float(positives))} positive, {count(float(negatives))} negative"
        own += ", estimated" if evaluation.sample.is_double_sampled else ""
        ends.append((f"labelled {name}", f"{count(both)} ({own})"))
    return ends


def _of_classes(evaluation: Evaluation) -> list[tuple[str, str]]:
    matrix = evaluation.confusion.counts
    order = sorted(range(len(evaluation.classes)), key=lambda k: -float(matrix[:, k].sum()))
    ends = []
    for k in order[:_MOST]:
        labelled = float(matrix[:, k].sum())
        ends.append((f"labelled {evaluation.classes[k]}", f"{count(labelled)} ({count(float(matrix[k, k]))} rightly)"))
    rest = order[_MOST:]
    if rest:
        total = float(matrix[:, rest].sum())
        ends.append((f"labelled with one of {len(rest)} other classes", count(total)))
    return ends


def two_by_two(evaluation: Evaluation) -> str:
    """Return the cross tabulation of labels and truth in a sentence."""
    if evaluation.sample.is_multiclass:
        matrix, names = evaluation.confusion.counts, evaluation.classes
        right = sum(float(matrix[k, k]) for k in range(len(names)))
        return f"{count(right)} of {count(evaluation.n)} cases on the diagonal of the {len(names)} x {len(names)} table"
    cells = evaluation.counts
    named = (("TP", cells.tp), ("FP", cells.fp), ("FN", cells.fn), ("TN", cells.tn))
    table = listed([f"{name} {count(float(cell))}" for name, cell in named])
    return f"Estimated from the verified cases: {table}" if evaluation.sample.is_double_sampled else table
