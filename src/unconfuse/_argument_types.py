"""What a public function says of an argument that it cannot use, whichever library choked on it.

Values are checked where their meaning is known. What slips through, such as an array for a name or a number for a list,
ends below in another library's error. Then, and only then, the arguments are held against the function's own
annotations, and the one that does not fit is refused by name (`_validate.public_api`). If all of them fit, the mistake
is ours, and the error stays as it is.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable, Collection, Iterable, Mapping
from importlib import import_module
from numbers import Integral, Number, Real
from os import PathLike
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from unconfuse._errors import did_you_mean
from unconfuse._formatting import short_repr

_LOOSE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_LOOKED_AT = 100  # members of a list
_WORDS: dict[Any, str] = {
    str: "text",
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    Callable: "a function",
    Mapping: "a mapping",
    PathLike: "a path",
}


def annotation_mismatch(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Describe the first argument that is not what the function's annotations ask for; return "" if all are."""
    try:
        bound = inspect.signature(function).bind(*args, **kwargs)
    except TypeError:
        return _miscalled(function, args, kwargs)
    for name, value in {**bound.arguments, **kwargs}.items():
        loose = name in bound.signature.parameters and bound.signature.parameters[name].kind in _LOOSE
        wanted = Any if loose else _annotations(function).get(name, Any)
        if not fits(value, wanted):
            return f"`{name}` must be {words(wanted)}; got {short_repr(value)}."
    return ""


# What other libraries call an argument, what we do, and how it is written; the first that the function has.
_OURS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("y_true", "target", "truth", "y_test", "response", "actual", "ground_truth", "obs", "observed", "labels"),
        "y",
        "the labels are the first argument, evaluate(y, s)",
    ),
    (
        ("y_score", "y_scores", "y_prob", "y_proba", "probas_pred", "probabilities", "preds", "probs", "proba", "prob"),
        "s",
        "the scores are the second argument, evaluate(y, s)",
    ),
    (("predictor", "estimate", "scores", "logits"), "s", "the scores are the second argument, evaluate(y, s)"),
    (("y_pred", "y_hat", "yhat", "prediction", "predictions", "predicted_labels"), "predicted", "predicted=y_pred"),
    (("pos_label", "positive_label", "positive_class", "event", "event_level"), "positive", "positive=pos_label"),
    (("sample_weight", "sample_weights", "case_weights"), "weights", "weights=sample_weight counts cases"),
    (("labels", "class_names", "target_names", "levels"), "classes", "classes=labels"),
    (("random_state", "seed"), "rng", "rng=0"),
    (
        ("n_bootstrap", "n_boot", "n_bootstraps", "bootstrap", "bootstraps", "boot_n", "n_bootstrap_samples"),
        "n_resamples",
        "n_resamples=2000",
    ),
    (("alpha", "ci", "level", "confidence", "conf_level", "ci_level"), "confidence_level", "confidence_level=0.95"),
    (("cluster", "clusters", "patient", "patients", "subject", "subject_id"), "groups", "groups=cluster"),
    (("subgroup", "subgroups", "sensitive_features", "slices", "features"), "by", "by=subgroup"),
    (("metric", "scoring"), "metrics", "metrics=['auroc']"),
    (("prev", "pretest", "pretest_probability", "prior"), "prevalence", "prevalence=0.01"),
    (("cost", "cost_fp", "cost_fn", "fp_cost", "fn_cost"), "costs", "costs=(fp, fn), such as costs=(1, 10)"),
    (("auroc", "auc"), "quality", "quality=0.8 is the AUROC of the models"),
    (("method", "calibrator"), "kind", "kind='logistic'"),
    (("model_names", "models"), "s", "name the models, compare(y, {'a': s1, 'b': s2})"),
    (("cutoff", "cut_off", "cutpoint", "cut", "threshold_value"), "threshold", "threshold=0.5"),
    (("thresholds",), "threshold", "one number; threshold_card(y, s) compares several"),
    (("title", "model_name"), "name", "name='my model'"),
    (("baseline", "control"), "reference", "reference='a' compares all models with 'a'"),
    (("old", "reference", "champion"), "baseline", "baseline=old_scores"),
    (("correction", "p_adjust", "multiple_testing"), "adjust", "adjust='holm'"),
    (("tolerance", "delta", "noninferiority_margin"), "margin", "margin=0.01"),
    (("result", "tests", "outcome"), "results", "results='+'"),
    (("folds", "n_splits", "n_folds"), "cv", "cv=5"),
)

# What other libraries pass as an argument, and where it is asked here.
_ELSEWHERE: tuple[tuple[tuple[str, ...], str], ...] = (
    (("data", "df", "frame"), "the data come first, evaluate(frame, label='y', score='p')"),
    (
        ("prevalence", "prior", "pretest"),
        "shift_prevalence(result, prevalence=0.01) moves a result to another prevalence",
    ),
    (("cost", "costs", "cost_fp", "cost_fn"), "threshold_card(y, s, costs=(1, 10)) takes what the errors cost"),
    (("average", "averaging"), "averages over classes are metrics, such as metrics=['f1_macro']"),
    (("beta",), "metrics=['f_beta(2)']"),
    (("method", "ci_method", "boot_method"), "result['auroc'].interval(method='delong') asks for another interval"),
    (("paired", "test"), "models given on the same labels are paired; {'a': (y1, s1), 'b': (y2, s2)} are independent"),
    (("direction", "higher_is_better"), "a higher score must mean positive; if a low one does, pass -s"),
    (
        ("task", "num_classes", "n_classes", "multi_class", "multiclass"),
        "pass one column of scores for two classes, a matrix with a column for each of several",
    ),
    (("normalize", "normalise"), "evaluate(y, s).confusion holds counts; its plot shows shares"),
)


# Calls that are understood, but not taken: by function, the words that give them away, and what to write.
_COUNTED = (
    "name the four counts: evaluate_counts(tp=90, fp=5, fn=10, tn=95); for a matrix use evaluate_confusion(matrix)"
)
_INSTEAD: dict[str, tuple[set[str], str]] = {
    "evaluate_counts": ({"matrix", "counts"}, f"`evaluate_counts` takes its counts by name only. Hint: {_COUNTED}."),
    "Counts": (set(), "`Counts` takes its counts by name only. Hint: Counts(tp=90, fp=5, fn=10, tn=95)."),
    "bayes": (
        {"prior", "prior_probability", "pretest"},
        "`bayes` takes its quantities by name only, and calls the prior the prevalence. Hint: bayes(prevalence=0.01, "
        "sensitivity=0.9, specificity=0.95).",
    ),
    "posterior": (
        {"sensitivity", "specificity", "lr_positive", "lr_negative", "prevalence"},
        "`posterior` takes one test, and all else by name. Hint: posterior(bayes(prevalence=0.01, sensitivity=0.9, "
        "specificity=0.95), prior=0.01).",
    ),
}


def _miscalled(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Describe how a call fails to fit a function's signature; return "" if that is not known."""
    parameters = inspect.signature(function).parameters
    name = function.__qualname__.split(".")[0] if function.__name__ in ("__init__", "__call__") else function.__name__
    if any(_is_model(each) for each in (*args, *kwargs.values())) and "estimator" not in parameters:
        hint = f"Hint: {name}(y, model.predict_proba(X)); or cross_evaluate(model, X, y), which fits it."
        return f"`{name}` takes labels and scores, not a model. {hint}"
    if name in _INSTEAD and (len(args) > len(_by_place(parameters)) or set(kwargs) & _INSTEAD[name][0]):
        return _INSTEAD[name][1]
    unknown = next((each for each in kwargs if each not in parameters), None)
    if unknown is not None:
        return _unknown(name, unknown, parameters)
    placed = _by_place(parameters)
    if len(args) > len(placed):
        return _too_many(function, name, args, parameters)
    hint = _as_in(function, name)
    twice = next((each for each in placed[: len(args)] if each in kwargs), None)
    if twice is not None:
        return f"`{name}` got `{twice}` twice: once by its place and once by its name.{hint}"
    lacking = next((each for each in _needed(parameters) if each not in (*placed[: len(args)], *kwargs)), None)
    return f"`{name}` requires `{lacking}`.{hint}" if lacking is not None else ""


def _is_model(given: Any) -> bool:
    return any(hasattr(given, method) for method in ("predict", "predict_proba", "decision_function"))


_EXAMPLES = {  # calls as they are meant, where a guess is often another one
    "evaluate": "evaluate(y, s), or evaluate(frame, label='y', score='p')",
    "compare": "name the models, compare(y, {'a': s1, 'b': s2})",
    "curve": "evaluate(y, s).curve('roc'), or curve('roc', score_table(y, s))",
    "definitions": "definitions('auroc', score_table(y, s)); METRICS['auroc'] says what it means",
    "cross_evaluate": "cross_evaluate(model, X, y)",
    "metric": "@metric() above a function of the four counts, @metric(of='ranks') above one of the score table",
    "shift_prevalence": "shift_prevalence(evaluation, prevalence=0.01)",
    "report": "result.report('page.html')",
    "Metric": "METRICS['f1'](Counts(tp=90, fp=5, fn=10, tn=95)), or evaluate(y, s)['f1']",
    "Data": "Data(frame, label='y', score='p')",
    "recalibrate": "recalibrate(y, p, kind='isotonic')",
    "evaluate_confusion": "evaluate_confusion(matrix), or evaluate_counts(tp=90, fp=5, fn=10, tn=95)",
    "prevalence": "prevalence(y, judge=labels_of_a_rater); with true labels alone, evaluate(y, s)['prevalence']",
    "forecast": "forecast(labelled_rows, new_rows, score='p')",
    "readers": "readers(frame, reader='reader', case='case', label='y', score='rating')",
}


def _by_place(known: Mapping[str, inspect.Parameter]) -> list[str]:
    return [name for name, parameter in known.items() if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]


def _needed(known: Mapping[str, inspect.Parameter]) -> list[str]:
    loose = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        name
        for name, parameter in known.items()
        if parameter.default is inspect.Parameter.empty and parameter.kind not in loose
    ]


def _as_in(function: Callable[..., Any], name: str) -> str:
    """Return a hint that shows a call as it is meant: ours for a likely guess, else the first of the docstring."""
    if name in _EXAMPLES:
        return f" Hint: {_EXAMPLES[name]}."
    lines = re.sub(r"\n *\.\.\. *", " ", function.__doc__ or "")
    shown = re.search(rf">>> .*?\b({name}\(.*\))", lines)
    return f" Hint: as in {_innermost(shown[1])}." if shown else ""


def _innermost(text: str) -> str:
    """Return the call that a text begins with, up to its own closing bracket.

    >>> _innermost("items(rows, item='q').kept(1)"), _innermost("usefulness(Counts(1, 2)).verdict, (3)")
    ("items(rows, item='q')", 'usefulness(Counts(1, 2))')
    """
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == ")" and depth == 0:
            return text[: at + 1]
    return text


def _too_many(
    function: Callable[..., Any], name: str, args: tuple[Any, ...], known: Mapping[str, inspect.Parameter]
) -> str:
    """Explain that more values were given without their names than a function takes."""
    order = [key for key in _by_place(known) if key != "self"]
    takes = f"{', '.join(order)} in this order, and all else by name" if order else "its arguments by name only"
    takes = f"{order[0]} first, and all else by name" if len(order) == 1 else takes
    return f"`{name}` takes {takes}; got {len(args) - ('self' in known)} values.{_as_in(function, name)}"


def _unknown(name: str, given: str, known: Collection[str]) -> str:
    """Explain that a function does not have an argument of this name."""
    if name == "Metric":
        return f"a metric does not have the argument `{given}`. Hint: {_EXAMPLES[name]}."
    if given in ("tp", "fp", "fn", "tn") and "tp" not in known:
        return f"`{name}` takes labels and scores. Hint: {_COUNTED}."
    for guesses, ours, how in _OURS:
        if given in guesses and ours in known:
            return f"`{name}` has no argument `{given}`: here it is `{ours}`. Hint: {how}."
    instead = next((how for guesses, how in _ELSEWHERE if given in guesses), "")
    hint = f"Hint: {instead}." if instead else did_you_mean(given, [each for each in known if each != "self"])
    return f"`{name}` has no argument `{given}`. {hint}"


def fits(value: Any, wanted: Any) -> bool:
    """Whether a value is what an annotation asks for, as far as that can be said without changing it.

    >>> fits(3, float), fits("a", list[str]), fits(["a", 1], list[str]), fits(None, str | None)
    (True, False, False, True)
    """
    origin, members = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return any(fits(value, member) for member in members)
    if origin is Literal:
        return isinstance(value, str) and value in members
    kind = origin or wanted
    if kind in _CHECKS:
        return _CHECKS[kind](value)
    if not isinstance(kind, type) or kind is object or is_typeddict(kind) or getattr(kind, "_is_protocol", False):
        return True
    if _is_list_of(kind):
        return _is_list(value) and _members_fit(value, kind, members)
    return isinstance(value, kind) or (kind is np.ndarray and (hasattr(value, "__len__") or is_number(value)))


def is_number(value: Any) -> bool:
    """Also Decimal and Fraction, but neither text nor complex numbers."""
    return isinstance(value, Number | np.bool_) and not isinstance(value, complex)


def _is_list_of(kind: type) -> bool:
    ours = kind.__module__.startswith("unconfuse")
    return issubclass(kind, Iterable) and not ours and not issubclass(kind, Mapping | np.ndarray)


def _members_fit(values: Any, kind: type, wanted: tuple[Any, ...]) -> bool:
    if not isinstance(values, Collection) or not wanted:  # what can be gone through only once is left alone
        return True
    held = list(values)[:_LOOKED_AT]
    if kind is tuple and wanted[-1] is not Ellipsis:
        return len(held) == len(wanted) and all(map(fits, held, wanted))
    return all(fits(each, wanted[0]) for each in held)


def words(wanted: Any) -> str:
    """Describe in words what an annotation asks for.

    >>> words(str | None), words(list[int] | float)
    ('text', 'a list (of whole numbers) or a number')
    """
    origin, members = get_origin(wanted), get_args(wanted)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(words(member) for member in members if member is not type(None)))
    if origin is Literal:
        return f"one of {', '.join(map(repr, members))}"
    kind = origin or wanted
    if kind in _WORDS:
        return _WORDS[kind]
    if isinstance(kind, type) and kind.__module__.startswith("unconfuse"):
        return f"{'an' if kind.__name__[0] in 'AEIOU' else 'a'} {kind.__name__}"
    of = {str: " (of names)", float: " (of numbers)", int: " (of whole numbers)"}
    return f"a list{of.get(members[0], '') if members else ''}"


@functools.cache
def _annotations(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function, and of the words that its last argument stands for, as objects."""
    public, known = import_module("unconfuse"), dict[str, Any]()
    while True:
        try:
            found = get_type_hints(function, localns=known)
            break
        except NameError as error:  # imported for the type checker alone
            known[str(error.name)] = getattr(public, str(error.name), Any)
    more = [get_args(each)[0] for each in found.values() if getattr(get_origin(each), "__name__", "") == "Unpack"]
    return {name: hint for group in more for name, hint in get_type_hints(group).items()} | found


def _is_list(value: Any) -> bool:
    """Check whether a value can be iterated over and is not text; an array without axes says it can be, and cannot."""
    no_axes = getattr(value, "ndim", None) == 0
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray | Mapping) and not no_axes


_CHECKS: dict[Any, Callable[[Any], bool]] = {
    Any: lambda value: True,
    None: lambda value: value is None,
    type(None): lambda value: value is None,
    str: lambda value: isinstance(value, str),
    bool: lambda value: isinstance(value, bool | np.bool_),
    int: lambda value: isinstance(value, Integral | np.integer) and not isinstance(value, bool | np.timedelta64),
    float: lambda value: isinstance(value, Real | np.floating | np.integer) and not isinstance(value, np.timedelta64),
    Callable: callable,
}
