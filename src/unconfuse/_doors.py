"""Doors upwards: a result that draws or writes itself names the room that does so as text."""

from collections.abc import Callable
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar


def room(name: str) -> Any:
    """The room of that name, opened when it is needed."""
    return import_module(f"unconfuse.{name}")


class Pictured:
    """A result of which there is one static picture, the function of that name in `unconfuse.plots`."""

    picture: ClassVar[str]

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """A matplotlib figure, saved if a path is given (.png, .svg or .pdf); `how` goes to the picture's function."""
        plots = room("plots")
        drawn = getattr(plots, self.picture)(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)


class Drawable:
    """A result that can be shown as an interactive page: in a file, in a notebook, or as the data behind it."""

    def report(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        prevalence: float | None = None,
        positive_label: str = "",
        unit: str = "",
        progress: Callable[[int, int], object] | None = None,
    ) -> Any:
        """Write one self-contained HTML file that opens offline, with live threshold and prevalence sliders.

        Parameters
        ----------
        path : str or path
        title : str
            Of the page; the model's name by default.
        prevalence : float, optional
            Where the prevalence slider stands at first; that of the data by default.
        positive_label : str
            What the positives are called, such as "ill"; the positive label of the data by default, if it is a word.
        unit : str
            What the cases are called, in the plural, such as "patients".
        progress : callable, optional
            Called with (done, total) parts of the page.
        """
        report = room("report")
        words = {"title": title, "prevalence": prevalence, "positive_label": positive_label, "unit": unit}
        return report.write_report(self, path, report.Page(**words, progress=progress))

    def explore(
        self,
        *,
        height: int = 760,
        title: str = "",
        prevalence: float | None = None,
        positive_label: str = "",
        unit: str = "",
    ) -> Any:
        """The same page inside a notebook; it stays alive in the notebook's HTML export."""
        report = room("report")
        page = report.Page(title=title, prevalence=prevalence, positive_label=positive_label, unit=unit)
        return report.explore(self, page, height=height)

    def payload(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values for strict JSON; `unconfuse render` draws it."""
        made: dict[str, Any] = room("report").payload_of(self)
        return made
