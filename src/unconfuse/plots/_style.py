"""How all pictures look: colour-blind safe, few lines, words beside the lines instead of legends.

For papers there is a matplotlib style of its own, and files whose text stays text.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unconfuse._cards import COLOURS, FAINT, GREEN, GREY, INK, ROLES, VERMILION
from unconfuse._errors import ArgumentError, InputError
from unconfuse._files import in_place_of

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes


Picture = TypeVar("Picture", bound=Callable[..., Any])
_PANEL, _WIDE_PANEL = (5.0, 4.6), (7.0, 4.6)  # inches of one of several panels; results have longer names
_DARK = ROLES["paper"][1]  # the ground of slide.mplstyle
# Colours of marks on a light ground, and the same on a dark one.
_TURNED = dict(ROLES.values()) | {GREY: ROLES["quiet"][1], FAINT: ROLES["faint"][1]}
_TURNED |= {VERMILION: ROLES["negative"][1], GREEN: ROLES["good"][1]}
_ON_DARK = {light.lower(): dark for light, dark in _TURNED.items()}
_SHEETS = {None: ["look"], 1: ["look", "one_column"], 2: ["look", "two_columns"]}
_AS_TEXT: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "unconfuse"}
_NO_DATE = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}  # the same figure is the same file


def style(columns: int | None = None, *, slide: bool = False) -> AbstractContextManager[None]:
    """Figures that are made inside have the look of this package; with `columns`, the size of a paper's column.

    Parameters
    ----------
    columns : {None, 1, 2}
        1: 88 mm wide; 2: 180 mm wide; None leaves the sizes as they are.
    slide : bool
        For slides instead: 16:9, with large letters, on a dark ground; for one picture at a time, not for overviews.

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
    if slide and columns is not None:
        raise ArgumentError("`slide` cannot be combined with `columns`. Hint: give one of them.")
    names = ["look", "slide"] if slide else _SHEETS[columns]
    context: AbstractContextManager[None] = styles.context(
        [str(Path(__file__).with_name(f"{name}.mplstyle")) for name in names]
    )
    return _on_slides(context) if slide else context


@contextmanager
def _on_slides(context: AbstractContextManager[None]) -> Iterator[None]:
    """Turn the figures that are made inside into slides; those that are saved inside are turned by `save`."""
    from matplotlib import pyplot

    before = set(pyplot.get_fignums())
    with context:
        yield
        for number in set(pyplot.get_fignums()) - before:
            _as_slide(pyplot.figure(number))


def _as_slide(picture: Any) -> None:
    """Give a figure the shape of a slide, and its marks the colours that belong to a dark ground."""
    from matplotlib import rcParams

    picture.set_size_inches(rcParams["figure.figsize"])
    for artist in picture.findobj():
        for part in ("color", "edgecolor", "facecolor", "markerfacecolor", "markeredgecolor"):
            _turn(artist, part)


def _turn(artist: Any, part: str) -> None:
    from matplotlib.colors import to_hex

    get, put = getattr(artist, f"get_{part}", None), getattr(artist, f"set_{part}", None)
    if get is None or put is None:
        return
    try:
        now = to_hex(get())
    except (ValueError, TypeError):  # several colours, or none
        return
    if now in _ON_DARK:
        put(_ON_DARK[now])


def save(picture: Any, path: str, *, close: bool = False) -> Any:
    """Write a figure as PNG, SVG or PDF, by the ending of its name; returns the figure, closed if you wish.

    In SVG and PDF words stay words, with their fonts embedded in PDF; the same figure makes the same file.
    """
    from matplotlib import pyplot, rcParams

    if rcParams["figure.facecolor"] == _DARK:
        _as_slide(picture)
    try:
        _write(picture, path)
    except BaseException:
        pyplot.close(picture)  # nobody will see it
        raise
    if close:
        pyplot.close(picture)
    return picture


def _write(picture: Any, path: str) -> None:
    from matplotlib import rc_context

    ending = Path(path).suffix.lower()
    finest = 150 if ending == ".png" else 300
    try:
        with rc_context(_AS_TEXT), in_place_of(Path(path)) as place, place.open("wb") as file:
            picture.savefig(file, format=ending[1:] or "png", dpi=finest, metadata=_NO_DATE.get(ending))
    except InputError:
        raise
    except (OSError, ValueError) as error:
        hint = "Hint: end it in .png, .svg or .pdf."
        raise InputError(f"the picture {path} cannot be written: {error}. {hint}") from None


def new_axes(ax: Axes | None, *, title: str, x: str, y: str, square: bool = False) -> Axes:
    """The given axes, or new ones, dressed."""
    if ax is None:
        ax = figure(figsize=(5.2, 5.0) if square else (6.4, 4.4)).subplots()
    ax.set_prop_cycle(color=COLOURS)  # a style's dashes are for lines of equal rank, which are given theirs by `draw`
    wide, high = (float(side) / ax.figure.dpi for side in ax.get_window_extent().size)
    title, x, y = _wrapped(title, wide, 0.62 * 11), _wrapped(x, wide, 0.52 * 9), _wrapped(y, high, 0.52 * 9)
    ax.set_title(title, loc="left", fontsize=points(11), color=INK, fontweight="bold", pad=10)
    ax.set_xlabel(x, fontsize=points(9), color=INK)
    ax.set_ylabel(y, fontsize=points(9), color=INK)
    ax.tick_params(labelsize=points(8), colors=INK, length=3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.grid(color=FAINT, linewidth=line(0.6))
    ax.set_axisbelow(True)
    return ax


def _wrapped(words: str, inches: float, letter: float) -> str:
    """Words over as many lines as it takes, for letters about so many points wide."""
    room = max(int(72 * inches / points(letter)), 12)
    return "\n".join(textwrap.fill(part, room) for part in words.split("\n"))


def need_matplotlib() -> None:
    """Say what to install where it is missing."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ArgumentError("plots need matplotlib. Hint: pip install 'unconfuse[plot]'.") from None


def figure(figsize: tuple[float, float]) -> Any:
    """A new figure of this shape, through pyplot so that notebooks show it."""
    need_matplotlib()
    from matplotlib import pyplot

    wide = width_of(figsize)
    size = figsize if wide == figsize[0] else (wide, wide * figsize[1] / figsize[0])
    return pyplot.figure(figsize=size, layout="constrained")


def width_of(figsize: tuple[float, float]) -> float:
    """How wide a figure becomes that asks for this size: as wide as it asks, unless a style wants another width."""
    from matplotlib import rcParams, rcParamsDefault

    wide, usual = rcParams["figure.figsize"][0], rcParamsDefault["figure.figsize"][0]
    return figsize[0] if wide == usual else float(wide)


def points(size: float) -> float:
    """A size of words or marks, which grows and shrinks with the style's words (10 points unless it says otherwise)."""
    from matplotlib import rcParams

    return size * float(rcParams["font.size"]) / 10


def line(width: float) -> float:
    """A width of lines, which grows and shrinks with the style's lines (1.5 points unless it says otherwise)."""
    from matplotlib import rcParams

    return width * float(rcParams["lines.linewidth"]) / 1.5


def unit_square(ax: Axes) -> None:
    """Both axes from 0 to 1, with a little room so that lines at the edge are seen."""
    ax.set_xlim(-0.015, 1.015)
    ax.set_ylim(-0.015, 1.015)


def are_models(data: Any) -> bool:
    """Whether these are several models by name; an evaluation is a mapping too, but of metrics."""
    return isinstance(data, Mapping) and not hasattr(data, "score_table")


def for_each_model(picture: Picture) -> Picture:
    """A picture of one model's data: of several it draws as many panels side by side, and returns their axes."""
    return _side_by_side(picture, are_models, _PANEL)


def for_each_result(picture: Picture) -> Picture:
    """The same of a picture of a result, which may be a mapping itself."""
    return _side_by_side(picture, lambda data: isinstance(data, Mapping) and not hasattr(data, "as_dict"), _WIDE_PANEL)


def _side_by_side(picture: Picture, are_several: Callable[[Any], bool], size: tuple[float, float]) -> Picture:
    @functools.wraps(picture)
    def drawn(data: Any, *words: Any, ax: Any = None, **more: Any) -> Any:
        if not are_several(data):
            return picture(data, *words, ax=ax, **more)
        if ax is not None or not data:
            raise ArgumentError("several models are drawn side by side. Hint: leave out `ax`, or draw one model there.")
        axes = figure(figsize=(size[0] * len(data), size[1])).subplots(1, len(data), squeeze=False)[0]
        for one, (name, each) in zip(axes, data.items(), strict=True):
            picture(each, *words, ax=one, **more)
            letters = {"fontsize": one.title.get_fontsize(), "color": INK, "weight": "bold"}
            one.set_title(f"{name}\n{one.get_title(loc='left')}", loc="left", **letters)
        return axes

    return drawn  # type: ignore[return-value]
