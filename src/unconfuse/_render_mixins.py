"""Doors upwards: a result that draws or writes itself names the room that does so as text."""

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar

from unconfuse._errors import did_you_mean


def lazy_import(name: str) -> Any:
    """Import the subpackage of that name, only when it is needed."""
    return import_module(f"unconfuse.{name}")


# What other libraries call it, and how it is written here; offered where the result has it.
_GUESSES = {
    **dict.fromkeys(("summary", "describe", "head", "print", "info"), ("__str__", "print(result)")),
    **dict.fromkeys(("to_html", "html", "save_html", "save", "export"), ("report", "result.report('page.html')")),
    **dict.fromkeys(("to_dict", "dict", "json", "to_json", "results"), ("as_dict", "result.as_dict()")),
    **dict.fromkeys(
        ("to_dataframe", "to_pandas", "dataframe", "df", "to_df", "frame"), ("to_frame", "result.to_frame()")
    ),
    **dict.fromkeys(("show", "draw", "figure", "plot_roc", "overview"), ("plot", "result.plot()")),
    **dict.fromkeys(("confusion_matrix", "cm"), ("confusion", "result.confusion")),
    **dict.fromkeys(("roc", "roc_curve", "plot_curve"), ("curve", "result.curve('roc')")),
    **dict.fromkeys(
        ("ci", "confidence_interval", "lower", "upper", "ci_low", "ci_high", "conf_int", "confint"),
        ("low", "result.low and result.high"),
    ),
    **dict.fromkeys(("pvalue", "pval", "p"), ("p_value", "result.p_value")),
    **dict.fromkeys(("best", "winner", "ranking", "rank"), ("leaderboard", "result.leaderboard")),
    **dict.fromkeys(("values_", "estimate_", "get_metric", "value", "score"), ("keys", "result['auroc'].value")),
    **dict.fromkeys(("card", "thresholds", "best_threshold"), ("threshold_card", "result.threshold_card()")),
    **dict.fromkeys(("std", "se", "stderr", "sd"), ("low", "an interval says more: result.low and result.high")),
    **dict.fromkeys(("to_csv", "csv"), ("table", "result.table('csv', 'table.csv')")),
    **dict.fromkeys(("to_latex", "latex", "to_tex"), ("table", "result.table('latex')")),
    **dict.fromkeys(("to_markdown", "markdown", "to_md"), ("table", "result.table()")),
    **dict.fromkeys(("to_word", "to_docx"), ("table", "result.table('docx', 'table.docx')")),
    **dict.fromkeys(("to_excel", "excel", "to_xlsx"), ("table", "result.table('csv', 'table.csv'), which Excel opens")),
    **dict.fromkeys(("estimate", "mean", "point", "point_estimate"), ("value", "result.value")),
    **dict.fromkeys(("error", "std_error", "sem"), ("standard_error", "result.standard_error")),
    **dict.fromkeys(("n_cases", "size", "nobs", "n_samples", "n_obs"), ("n", "result.n")),
    **dict.fromkeys(("compare", "versus", "vs"), ("counts", "uc.compare(y, {'a': s1, 'b': s2})")),
    **dict.fromkeys(("at_threshold", "with_threshold"), ("counts", "uc.evaluate(y, s, threshold=0.3)")),
    **dict.fromkeys(("predict", "labels", "y", "scores"), ("counts", "a result keeps counts, not rows: result.counts")),
    **dict.fromkeys(
        ("youden", "top_left", "max_f1", "max_mcc"), ("honest", "rules are found by name: result['youden']")
    ),
    **dict.fromkeys(
        ("difference", "differences_", "p_values", "delta", "effect"),
        ("differences", "result['auroc', 'a', 'b'], with .difference and .p_value"),
    ),
    **dict.fromkeys(("tp", "fp", "fn", "tn"), ("counts", "result.counts.tp")),
    **dict.fromkeys(("verdict", "conclusion", "interpretation", "is_good"), ("findings", "result.findings[0]")),
    **dict.fromkeys(("at_prevalence", "shift"), ("counts", "uc.shift_prevalence(result, prevalence=0.01)")),
    "at": ("counts", "uc.evaluate(y, s, threshold=0.3), or uc.shift_prevalence(result, prevalence=0.01)"),
    **dict.fromkeys(("optimal", "optimum", "threshold"), ("honest", "result['youden'].threshold")),
    "threshold_card": ("evaluations", "result.evaluations['name'].threshold_card()"),
    **dict.fromkeys(("per_group", "groups", "by"), ("subgroups", "result.subgroups")),
}


class AttributeHints:
    """A result that answers a wrong attribute with the right one."""

    if not TYPE_CHECKING:  # there, every attribute would seem to exist

        def __getattr__(self, name: str) -> Any:
            """Refuse, with what was probably meant."""
            kind = type(self)
            if name.startswith("_"):
                raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
            raise AttributeError(f"{kind.__name__} has no attribute {name!r}. {_hint(kind, name)}")


# The same, of results that hold several estimates or comparisons.
_INSIDE = {
    **dict.fromkeys(
        ("ci", "confidence_interval", "conf_int", "confint", "lower", "upper", "std", "se"),
        "result['auroc'].low and .high",
    ),
    **dict.fromkeys(("p_value", "pvalue", "pval", "p"), "result['auroc', 'a', 'b'].p_value, of two models"),
    **dict.fromkeys(("columns", "index", "shape", "loc", "iloc"), "result.to_frame()"),
    **dict.fromkeys(("best",), "result['youden'], or another of its rules"),
}


def _hint(kind: type, name: str) -> str:
    needed, how = _GUESSES.get(name.lower(), ("", ""))
    if needed and (hasattr(kind, needed) or needed in getattr(kind, "__dataclass_fields__", {})):
        return f"Hint: {how}."
    if name.lower() in _INSIDE and hasattr(kind, "keys"):
        return f"Hint: {_INSIDE[name.lower()]}."
    metric = lazy_import("metrics").METRICS.get(name) if hasattr(kind, "keys") else None
    if metric is not None:
        return f"Hint: metrics are found by name, result[{metric.name!r}]."
    return did_you_mean(name, sorted(each for each in dir(kind) if not each.startswith("_")))


_VERBS = {
    **dict.fromkeys(("classification_report", "score", "judge_model", "evaluate_multiclass"), "uc.evaluate(y, s)"),
    **dict.fromkeys(("report", "save", "to_html", "page"), "uc.evaluate(y, s).report('page.html')"),
    **dict.fromkeys(("plot", "show", "draw"), "uc.evaluate(y, s).plot()"),
    **dict.fromkeys(("help", "list_metrics", "available_metrics", "metrics_list"), "print(list(uc.METRICS))"),
    **dict.fromkeys(("ci_auc", "auc_ci", "ci"), "uc.evaluate(y, s)['auroc'], with .low and .high"),
    **dict.fromkeys(("fairness", "subgroups", "disparity"), "uc.evaluate(y, s, by=column).subgroups"),
    **dict.fromkeys(("test", "permutation_test", "paired_test", "significance"), "uc.compare(y, {'a': s1, 'b': s2})"),
    **dict.fromkeys(("calibrate", "platt", "isotonic"), "uc.recalibrate(y, p)"),
    **dict.fromkeys(("confusion_matrix", "confusion"), "uc.evaluate(y, predicted=labels).confusion"),
    **dict.fromkeys(("roc_curve", "precision_recall_curve"), "uc.evaluate(y, s).curve('roc')"),
    **dict.fromkeys(("delong", "delong_test", "mcnemar", "roc_test"), "uc.compare(y, {'a': s1, 'b': s2})"),
    **dict.fromkeys(("calibration", "calibration_curve", "reliability"), "uc.evaluate(y, s).calibration"),
    **dict.fromkeys(("predictive_value_curve", "ppv_curve"), "uc.evaluate(...).plot('prevalence')"),
    **dict.fromkeys(("cross_validate", "cross_val_score"), "uc.cross_evaluate(model, X, y)"),
    **dict.fromkeys(("best_threshold", "optimal_threshold", "thresholds"), "uc.threshold_card(y, s)"),
    **dict.fromkeys(("counts", "from_counts"), "uc.evaluate_counts(tp=90, fp=5, fn=10, tn=95)"),
    **dict.fromkeys(("sample_size", "power"), "uc.plan(...)"),
    **dict.fromkeys(("read_csv", "load", "open"), "uc.evaluate('file.csv')"),
}


def unknown_name(name: str, known: Sequence[str]) -> str:
    """Say what stands for a public name that does not exist.

    >>> unknown_name("plot_roc", [])
    "unconfuse has no name 'plot_roc'. Hint: pictures are in unconfuse.plots: from unconfuse.plots import plot_roc."
    """
    said = f"unconfuse has no name {name!r}."
    plots = lazy_import("plots").__all__ if name.startswith("plot") else ()
    if name in plots:
        return f"{said} Hint: pictures are in unconfuse.plots: from unconfuse.plots import {name}."
    if name.lower() in _VERBS:
        return f"{said} Hint: {_VERBS[name.lower()]}."
    curves = lazy_import("curves")
    if (curve := curves.curve_name(name.lower())) in curves.CURVES:
        return f"{said} Hint: uc.evaluate(y, s).curve({curve!r})."
    metric = lazy_import("metrics").METRICS.get(name)
    if metric is not None:
        return f"{said} Hint: it is a metric: uc.evaluate(y, s)[{metric.name!r}]."
    return f"{said} {did_you_mean(name, [*known, *plots])}"


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
