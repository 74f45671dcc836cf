"""The look for papers: a matplotlib style of its own, and files whose text stays text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse.plots._style import need_matplotlib

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

_SHEETS = {None: ["look"], 1: ["look", "one_column"], 2: ["look", "two_columns"]}
_AS_TEXT: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "unconfuse"}
_NO_DATE = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}  # the same figure is the same file


def style(columns: int | None = None) -> AbstractContextManager[None]:
    """Figures that are made inside have the look of this package; with `columns`, the size of a paper's column.

    Parameters
    ----------
    columns : {None, 1, 2}
        1: 88 mm wide; 2: 180 mm wide; None leaves the sizes as they are.

    Examples
    --------
    >>> import unconfuse as uc
    >>> from unconfuse.plots import plot_roc, style
    >>> with style(columns=1):
    ...     ax = plot_roc(uc.score_table([1, 0, 1, 0], [.9, .4, .7, .1]))
    >>> round(25.4 * ax.figure.get_size_inches()[0])
    88
    """
    need_matplotlib()
    from matplotlib import style as styles

    if columns not in _SHEETS:
        raise ArgumentError(f"`columns` must be 1, 2 or None; got {columns!r}.")
    return styles.context([str(Path(__file__).with_name(f"{name}.mplstyle")) for name in _SHEETS[columns]])


def save(picture: Any, path: str, *, close: bool = False) -> Any:
    """Write a figure as PNG, SVG or PDF, by the ending of its name; returns the figure, closed if you wish.

    In SVG and PDF words stay words, with their fonts embedded in PDF; the same figure makes the same file.
    """
    from matplotlib import rc_context

    finest = 150 if Path(path).suffix.lower() == ".png" else 300
    try:
        with rc_context(_AS_TEXT):
            picture.savefig(path, dpi=finest, metadata=_NO_DATE.get(Path(path).suffix.lower()))
    except (OSError, ValueError) as error:
        hint = "Hint: end it in .png, .svg or .pdf."
        raise InputError(f"the picture {path} cannot be written: {error}. {hint}") from None
    if close:
        from matplotlib import pyplot

        pyplot.close(picture)
    return picture
