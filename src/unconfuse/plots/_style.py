"""How all pictures look: colour-blind safe, few lines, words beside the lines instead of legends.

For papers there is a matplotlib style of its own, and files whose text stays text.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from unconfuse._atomic_files import in_place_of
from unconfuse._errors import ArgumentError, InputError
from unconfuse._html_repr import BLUE, COLOURS, FAINT, GREEN, GREY, INK, ORANGE, PURPLE, ROLES, SKY

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from matplotlib.axes import Axes


Picture = TypeVar("Picture", bound=Callable[..., Any])
_PANEL, _WIDE_PANEL = (5.0, 4.6), (7.0, 4.6)  # inches of one of several panels; results have longer names
_SHEETS = {None: ["look"], 1: ["look", "one_column"], 2: ["look", "two_columns"], "slide": ["look", "slide"]}
KEEPS_COLOUR = "keeps colour"  # of words on a shade, which is the same on every ground
_SLIDE = 16 / 9  # width to height; only a style for slides has this shape
# What is drawn in the colours of a light ground, on a dark one.
_ON_DARK = dict(ROLES.values()) | {FAINT: ROLES["faint"][1], GREY: ROLES["quiet"][1]}
_ON_DARK |= {BLUE: "#62b0e8", GREEN: "#3ecb9c", PURPLE: "#e6a3c8", ORANGE: "#f0b93a", SKY: "#8ecbf0"}
_AS_TEXT: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "unconfuse"}
_NO_DATE = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}  # the same figure is the same file


def style(columns: int | str | None = None) -> AbstractContextManager[None]:
    """Figures that are made inside have the look of this package; with `columns`, the size of a paper's column.

    Parameters
    ----------
    columns : {None, 1, 2, "slide"}
        1: 88 mm wide; 2: 180 mm wide; "slide": 16:9 with large words on a dark ground; None leaves the sizes as they
        are.

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
        raise ArgumentError(f"`columns` must be 1, 2, 'slide' or None; got {columns!r}.")
    return styles.context([str(Path(__file__).with_name(f"{name}.mplstyle")) for name in _SHEETS[columns]])


def save(picture: Any, path: str, *, close: bool = False) -> Any:
    """Write a figure as PNG, SVG or PDF, by the ending of its name; returns the figure, closed if you wish.

    In SVG and PDF words stay words, with their fonts embedded in PDF; the same figure makes the same file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import unconfuse as uc
    >>> from unconfuse import plots
    >>> ax = plots.plot_roc(uc.score_table([1, 0, 1, 0], [.9, .4, .4, .1]))
    >>> path = Path(tempfile.mkdtemp()) / "roc.svg"
    >>> drawn = plots.save(ax.figure, str(path), close=True)
    >>> path.exists()
    True
    """
    from matplotlib import pyplot

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
    """Return the given axes, or new ones, with title, labels and style set."""
    if ax is None:
        ax = figure(figsize=(5.2, 5.0) if square else (6.4, 4.4)).subplots()
        ax.set_box_aspect(1 if square and is_slide() else None)
    ax.set_prop_cycle(color=COLOURS)  # a style's dashes are for lines of equal rank, which are given theirs by `draw`
    wide, high = (float(side) / ax.figure.dpi for side in ax.get_window_extent().size)
    x, y = _wrapped(x, wide, 0.52 * 9), _wrapped(y, high, 0.52 * 9)
    entitle(ax, title, wide)
    ax.set_xlabel(x, fontsize=points(9), color=INK)
    ax.set_ylabel(y, fontsize=points(9), color=INK)
    ax.tick_params(labelsize=points(8), colors=INK, length=3)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(GREY)
    ax.grid(color=FAINT, linewidth=line(0.6))
    ax.set_axisbelow(True)
    return ax


def entitle(ax: Axes, title: str, inches: float) -> None:
    """Write a title over the axes, in as many lines as so many inches take."""
    look: dict[str, Any] = {"fontsize": points(11), "color": INK, "fontweight": "bold", "pad": 10}
    ax.set_title(_wrapped(title, inches, 0.62 * 11), loc="left", **look)


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
    """Make a new figure of this shape, through pyplot so that notebooks show it.

    Examples
    --------
    >>> from unconfuse import plots
    >>> plots.figure((6, 4)).get_size_inches().tolist()
    [6.0, 4.0]
    """
    need_matplotlib()
    from matplotlib import pyplot

    wide = width_of(figsize)
    high = wide / _SLIDE if is_slide() else wide * figsize[1] / figsize[0]
    size = figsize if wide == figsize[0] else (wide, high)
    made = pyplot.figure(figsize=size, layout="constrained")
    if is_slide():
        made.add_artist(_on_dark())
    return made


def is_slide() -> bool:
    """Whether the style in use is one for slides."""
    from matplotlib import rcParams

    wide, high = rcParams["figure.figsize"]
    return abs(float(wide) / float(high) - _SLIDE) < 1e-3


def words_for_several() -> AbstractContextManager[Any]:
    """Words of half the size inside, on a slide: several pictures share it."""
    from matplotlib import rc_context, rcParams

    half: Any = {name: rcParams[name] / 2 for name in ("font.size", "lines.linewidth")}
    return rc_context(half if is_slide() else None)


def _on_dark() -> Any:
    """Make an invisible artist that, before a figure is drawn, replaces colours of ours by those for a dark ground.

    Pictures name the colours of a light ground; this is the one place that knows the other.
    """
    from matplotlib.artist import Artist

    class OnDark(Artist):
        def draw(self, renderer: Any) -> None:
            for each in self.figure.findobj(lambda artist: artist.get_gid() != KEEPS_COLOUR):
                for name in ("color", "facecolor", "edgecolor", "markerfacecolor", "markeredgecolor"):
                    found = getattr(each, f"get_{name}", lambda: None)()
                    lighter = None if found is None else _lighter(found)
                    if lighter is not None:
                        getattr(each, f"set_{name}")(lighter)

    made = OnDark()
    made.set_zorder(-1e6)  # before all others
    return made


def _lighter(colour: Any) -> Any:
    """Return the colours for a dark ground, as transparent as they were; None if none of them is ours."""
    from matplotlib.colors import to_hex, to_rgba_array

    known = {to_hex(light): to_rgba_array(dark)[0] for light, dark in _ON_DARK.items()}
    rows = to_rgba_array(colour)
    if not any(to_hex(row) in known for row in rows):
        return None
    made = [(*known.get(to_hex(row), row)[:3], row[3]) for row in rows]
    return made if len(made) > 1 else made[0]


def width_of(figsize: tuple[float, float]) -> float:
    """How wide a figure becomes that asks for this size: as wide as it asks, unless a style wants another width."""
    from matplotlib import rcParams, rcParamsDefault

    wide, usual = rcParams["figure.figsize"][0], rcParamsDefault["figure.figsize"][0]
    return figsize[0] if wide == usual else float(wide)


def points(size: float) -> float:
    """Scale a size of words or marks with the style's words (10 points unless it says otherwise)."""
    from matplotlib import rcParams

    return size * float(rcParams["font.size"]) / 10


def line(width: float) -> float:
    """Scale a width of lines with the style's lines (1.5 points unless it says otherwise)."""
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
    """Make a picture of one model's data draw several models as panels side by side, and return their axes."""
    return _side_by_side(picture, are_models, _PANEL)


def for_each_result(picture: Picture) -> Picture:
    """Make a picture of one result, which may be a mapping itself, draw several results side by side."""
    return _side_by_side(picture, lambda data: isinstance(data, Mapping) and not hasattr(data, "as_dict"), _WIDE_PANEL)


def _side_by_side(picture: Picture, are_several: Callable[[Any], bool], size: tuple[float, float]) -> Picture:
    @functools.wraps(picture)
    def drawn(data: Any, *words: Any, ax: Any = None, **more: Any) -> Any:
        if not are_several(data):
            return picture(data, *words, ax=ax, **more)
        if ax is not None or not data:
            raise ArgumentError("several models are drawn side by side. Hint: leave out `ax`, or draw one model there.")
        axes = figure(figsize=(size[0] * len(data), size[1])).subplots(1, len(data), squeeze=False)[0]
        for axis, (name, each) in zip(axes, data.items(), strict=True):
            picture(each, *words, ax=axis, **more)
            letters = {"fontsize": axis.title.get_fontsize(), "color": INK, "weight": "bold"}
            axis.set_title(f"{name}\n{axis.get_title(loc='left')}", loc="left", **letters)
        return axes

    return drawn  # type: ignore[return-value]
