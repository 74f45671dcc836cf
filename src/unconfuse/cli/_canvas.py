"""Lines on a terminal: a grid of dots, eight to a cell in braille, one to a cell in ASCII."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unconfuse.table import Array

if TYPE_CHECKING:
    from rich.text import Text

_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]])


class Canvas:
    """A picture of the unit square: the origin at the bottom left, later layers over earlier ones.

    Examples
    --------
    >>> canvas = Canvas(4, 2, braille=False)
    >>> canvas.line([0, 1], [0, 1], "*", "")
    >>> canvas.mark(0, 1, "o", "")
    (0, 0)
    >>> [line.plain for line in canvas.lines()]
    ['o **', '**  ']
    """

    def __init__(self, columns: int, rows: int, *, braille: bool) -> None:
        self.columns, self.rows, self.braille = columns, rows, braille
        self._across, self._down = (2, 4) if braille else (1, 1)
        self._cells = np.full((rows, columns), " ", dtype="<U1")
        self._styles = np.full((rows, columns), "", dtype=object)

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Row and column of the cell that holds a point."""
        across, down = self._dots(np.array([x]), np.array([y]))
        return int(down[0]) // self._down, int(across[0]) // self._across

    def line(
        self, x: Sequence[float] | Array, y: Sequence[float] | Array, ascii_mark: str, style: str, *, every: int = 1
    ) -> None:
        """A line through points, or every so many of its dots."""
        across, down = self._dots(*_fine(np.asarray(x, dtype=float), np.asarray(y, dtype=float), self._finest))
        kept = slice(None, None, every)
        dots = np.zeros((self.rows * self._down, self.columns * self._across), dtype=bool)
        dots[down[kept], across[kept]] = True
        blocks = dots.reshape(self.rows, self._down, self.columns, self._across).swapaxes(1, 2)
        there = blocks.any(axis=(2, 3))
        if self.braille:
            codes = (blocks * _BITS).sum(axis=(2, 3)) + 0x2800
            characters = np.array([chr(code) for code in codes.ravel()]).reshape(codes.shape)
        else:
            characters = np.full(there.shape, ascii_mark)
        self._cells[there], self._styles[there] = characters[there], style

    def mark(self, x: float, y: float, mark: str, style: str) -> tuple[int, int]:
        """One character at a point; says in which row and column."""
        place = self.cell(x, y)
        self._cells[place], self._styles[place] = mark, style
        return place

    def lines(self) -> list[Text]:
        """The picture from top to bottom."""
        from rich.text import Text

        rows = zip(self._cells.tolist(), self._styles.tolist(), strict=True)
        return [Text.assemble(*zip(cells, styles, strict=True)) for cells, styles in rows]

    @property
    def _finest(self) -> int:
        return 2 * max(self.columns * self._across, self.rows * self._down)

    def _dots(self, x: Array, y: Array) -> tuple[Array, Array]:
        wide, high = self.columns * self._across - 1, self.rows * self._down - 1
        across = np.floor(np.clip(x, 0, 1) * wide + 0.5).astype(int)
        return across, high - np.floor(np.clip(y, 0, 1) * high + 0.5).astype(int)


def _fine(x: Array, y: Array, n_points: int) -> tuple[Array, Array]:
    """Points close enough together that no dot between two of them is left out, evenly along the line."""
    along = np.append(0.0, np.cumsum(np.maximum(np.abs(np.diff(x)), np.abs(np.diff(y)))))
    spots = np.unique(np.concatenate([along, np.linspace(0.0, along[-1], n_points * 2)]))
    return np.interp(spots, along, x), np.interp(spots, along, y)
