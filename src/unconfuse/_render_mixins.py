"""Doors upwards: a result that draws or writes itself names the room that does so as text."""

from collections.abc import Callable, Iterable
from importlib import import_module
from os import PathLike
from typing import Any, ClassVar

from unconfuse._name_hints import AttributeHints


def lazy_import(name: str) -> Any:
    """Import the subpackage of that name, only when it is needed."""
    return import_module(f"unconfuse.{name}")


class PlotMixin(AttributeHints):
    """A result of which there is one static picture, the function of that name in `unconfuse.plots`."""

    picture: ClassVar[str]

    def plot(self, path: str | None = None, **how: Any) -> Any:
        """Draw a matplotlib figure, saved if a path is given (.png, .svg or .pdf); `how` goes to the plot function."""
        plots = lazy_import("plots")
        drawn = getattr(plots, self.picture)(self, **how)
        return drawn.figure if path is None else plots.save(drawn.figure, path)


class TableWriter:
    """Writes the table of a result for a paper, when it is called."""

    def __init__(self, result: Any) -> None:
        self._result = result

    def __call__(
        self,
        form: str = "markdown",
        path: str | PathLike[str] | None = None,
        *,
        metrics: Iterable[Any] | None = None,
        caption: str | None = None,
    ) -> Any:
        """Return the table as "markdown", "latex", "html", "csv" (text) or "docx" (bytes), and write it to a path.

        Parameters
        ----------
        form : {"markdown", "latex", "html", "csv", "docx"}
        path : str or path, optional
            A file to write as well, whose name ends as the form does: .md, .tex, .html, .csv or .docx.
        metrics : list, optional
            Which metrics are shown; by default all if they are few, else those that papers report.
        caption : str, optional
            In place of the one that says what was evaluated, on how many cases.
        """
        return lazy_import("publication").table_of(self._result, form, path, metrics=metrics, caption=caption)


class PublicationMixin:
    """A result that papers report: its table, and the paragraph that says how it was made."""

    @property
    def table(self) -> TableWriter:
        """Write a table for a paper: `.table("latex")`, `.table("docx", "results.docx")`."""
        return TableWriter(self)

    def methods_text(self, *, metrics: Iterable[Any] | None = None) -> str:
        """Return a methods paragraph with references, for what was computed: cases, design, threshold, intervals.

        Parameters
        ----------
        metrics : list, optional
            Which metrics it speaks of; by default those of `.table()`.
        """
        made: str = lazy_import("publication").methods_text(self, metrics)
        return made


class ModelCardMixin:
    """A result that a model card of a hub can state."""

    def model_index(
        self,
        path: str | PathLike[str] | None = None,
        *,
        model: str = "",
        dataset: str = "",
        dataset_id: str = "",
        split: str = "",
        task: str = "tabular-classification",
        metrics: Iterable[Any] | None = None,
    ) -> str:
        """Return the metadata of a Hugging Face model card (`model-index`, YAML), with intervals and numbers of cases.

        Parameters
        ----------
        path : str or path, optional
            A file to write as well.
        model : str
            The model's id on the hub; the name of the evaluation by default.
        dataset, dataset_id, split : str
            The data set's name (the source by default), its id on the hub (its name by default) and its part.
        task : str
            The hub's name of the task.
        metrics : list, optional
            Which metrics; by default those of `.table()`.

        Examples
        --------
        >>> import unconfuse as uc
        >>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31, metrics=["sensitivity"])
        >>> print(test.model_index(model="me/antibodies", dataset="Blood").split("args")[0])
        model-index:
        - name: "me/antibodies"
          results:
          - task:
              type: "tabular-classification"
            dataset:
              type: "Blood"
              name: "Blood"
            metrics:
            - type: "recall"
              value: 0.6778846153846154
              name: "Sensitivity (recall, TPR)"
        <BLANKLINE>
        """
        words = {"model": model, "dataset": dataset, "dataset_id": dataset_id, "split": split, "task": task}
        made: str = lazy_import("publication").model_index_of(self, path, **words, metrics=metrics)
        return made


class Reported(AttributeHints):
    """A result that is a table of estimates: it is shown as a page without sliders."""

    def report(self, path: str | PathLike[str], *, title: str = "") -> Any:
        """Write one self-contained HTML file that opens offline: the answer, pictures, tables, how it was computed.

        Parameters
        ----------
        path : str or path
        title : str
            Of the page; what it shows by default.
        """
        report = lazy_import("report")
        return report.write_report(self, path, report.PageOptions(title=title))

    def explore(self, *, height: int = 760, title: str = "") -> Any:
        """Return the same page for a notebook."""
        report = lazy_import("report")
        return report.explore(self, report.PageOptions(title=title), height=height)

    def payload(self) -> dict[str, Any]:
        """Return all that the page shows, as plain values for strict JSON; `unconfuse render` draws it."""
        made: dict[str, Any] = lazy_import("report").payload_of(self)
        return made


class ReportMixin(AttributeHints):
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
        report = lazy_import("report")
        words = {"title": title, "prevalence": prevalence, "positive_label": positive_label, "unit": unit}
        return report.write_report(self, path, report.PageOptions(**words, progress=progress))

    def explore(
        self,
        *,
        height: int = 760,
        title: str = "",
        prevalence: float | None = None,
        positive_label: str = "",
        unit: str = "",
    ) -> Any:
        """Show the same page inside a notebook; it stays alive in the notebook's HTML export."""
        report = lazy_import("report")
        page = report.PageOptions(title=title, prevalence=prevalence, positive_label=positive_label, unit=unit)
        return report.explore(self, page, height=height)

    def embed(
        self, src: str | PathLike[str] | None = None, *, height: int = 760, title: str = "", unit: str = ""
    ) -> str:
        """Return an iframe snippet for another web page: the page itself inside, or loaded from `src`.

        Parameters
        ----------
        src : str or path, optional
            Address of a page that `report` wrote, as seen from the page that embeds it; without it the snippet holds
            the whole page.
        height : int
            Height of the frame in pixels.
        title : str
            Of the page, which readers of the outer page hear; the model's name by default.
        unit : str
            What the cases are called, in the plural, such as "patients".
        """
        report = lazy_import("report")
        made: str = report.embed(self, src, report.PageOptions(title=title, unit=unit), height)
        return made

    def payload(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values for strict JSON; `unconfuse render` draws it."""
        made: dict[str, Any] = lazy_import("report").payload_of(self)
        return made
