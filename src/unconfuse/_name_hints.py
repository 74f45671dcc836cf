"""What a name was meant to be: attributes of results and public names, as other libraries call them."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unconfuse._errors import did_you_mean

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
    metric = import_module("unconfuse.metrics").METRICS.get(name) if hasattr(kind, "keys") else None
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
    plots = import_module("unconfuse.plots").__all__ if name.startswith("plot") else ()
    if name in plots:
        return f"{said} Hint: pictures are in unconfuse.plots: from unconfuse.plots import {name}."
    if name.lower() in _VERBS:
        return f"{said} Hint: {_VERBS[name.lower()]}."
    curves = import_module("unconfuse.curves")
    if (curve := curves.curve_name(name.lower())) in curves.CURVES:
        return f"{said} Hint: uc.evaluate(y, s).curve({curve!r})."
    metric = import_module("unconfuse.metrics").METRICS.get(name)
    if metric is not None:
        return f"{said} Hint: it is a metric: uc.evaluate(y, s)[{metric.name!r}]."
    return f"{said} {did_you_mean(name, [*known, *plots])}"
