"""What every verb does first: describe the data once, read them, check that they can be judged, and say what a reader
must know of them."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any, ParamSpec, TypeVar

import numpy as np

from unconfuse._errors import ArgumentError, InputError, argument_name, surface_text, warn
from unconfuse._formatting import short_repr
from unconfuse._validate import check_both_classes, check_not_empty, public_api, warn_fractions, warn_skipped
from unconfuse.ingest import sources
from unconfuse.ingest.data import CaseOptions, Data, DataOptions, Progress, ReadRequest, reject_options
from unconfuse.ingest.sources.score_tables import in_bins
from unconfuse.table import Question, Sample, ScoreTable

_QUERY = re.compile(r"\s*(select|with|from)\s", re.IGNORECASE)
P = ParamSpec("P")
R = TypeVar("R")
_FIRST = ("arrays", "score_tables")  # what most calls give: no other module is imported for them
_LAST = "frames"  # recognises whatever no other does


def read(
    data: Data,
    *,
    rows: bool = False,
    edges: Sequence[float] = (),
    models: bool = False,
    progress: Progress | None = None,
) -> Sample:
    """Read and check the cases that are described: near, where their rows are in memory, or distant.

    Parameters
    ----------
    data : Data
        Its source may be a `Sample`, which is handed back.
    rows : bool
        Whether cases must be told apart (as when models are compared). Otherwise sources that can add up their rows
        hand over tables alone.
    edges : floats
        Where bins must begin, so that the 2x2 table at these thresholds stays exact.
    models : bool
        Whether a mapping of scores is of models, even if its keys could name the classes.
    progress : callable, optional
        Called with (rows read, rows in all or 0) while files are read.

    Examples
    --------
    >>> read(Data([1, 0, 1], [.9, .2, .4]))
    InMemorySample(3 cases, 2 positive, models: score)
    >>> read(Data({"y": ["a", "b"], "p": [.1, .8]}, positive="b")).classes
    ('a', 'b')
    >>> read(Data({"y": ["a", "b", "a"], "p_a": [.7, .2, .5], "p_b": [.3, .8, .5]}, scores="p_*"))
    InMemorySample(3 cases, 2 classes, models: score)
    """
    if isinstance(data.source, Sample):
        reject_options(data, frozenset(("source",)), "the cases have been read already")
        return data.source
    data = _placed(data)
    needs = ReadRequest(rows, tuple(edges), models, progress)
    if data.judge is not None:
        from unconfuse.ingest.read_double_sample import read as read_judged

        return read_judged(data, needs)
    source = source_of(data)
    sample: Sample = source.read(data, needs)
    makes_bins = getattr(source, "MAKES_BINS", False)
    return sample if data.bins is None or makes_bins else in_bins(sample, data.bins, needs)


_ADDRESS = re.compile(r"(https?|s3|gs|ftp)://")


def _placed(data: Data) -> Data:
    """Return the data with the rows that a connection's table or query stands for; a query alone has no place."""
    source = data.source
    if isinstance(source, str) and _QUERY.match(source) and not Path(source).exists():
        here = "`unconfuse evaluate sqlite:///file.db --query 'select ...'`, or export the rows to a file"
        hint = "evaluate(duckdb.sql('select ...'), label='y', score='p'), or pass the database and `query='select ...'`"
        raise InputError(f"a query alone does not say where its tables are. Hint: {surface_text(hint, here)}.")
    if isinstance(source, str) and _ADDRESS.match(source):
        raise InputError(f"{short_repr(source)} is not on this computer. Hint: download the file, and pass its path.")
    if type(source).__name__ != "DuckDBPyConnection":
        return data
    if (data.table is None) == (data.query is None):
        raise InputError("which rows of the connection? Hint: pass `table='name'` or `query='select ...'`.")
    found = source.sql(data.query) if data.table is None else source.table(data.table)
    return replace(data, source=found, table=None, query=None)


def source_of(data: Data) -> Any:
    """Return the module that reads this kind of source."""
    modules = (import_module(f"{sources.__name__}.{name}") for name in _kinds_of_source())
    return next(module for module in modules if module.recognises(data))


@functools.cache
def _kinds_of_source() -> tuple[str, ...]:
    """Return the modules in `ingest/sources`, in the order in which they are asked."""
    found = sorted(module.name for module in iter_modules(sources.__path__))
    return (*_FIRST, *(each for each in found if each not in (*_FIRST, _LAST)), _LAST)


def public_data_api(verb: Callable[P, R]) -> Callable[P, R]:
    """Make public a verb whose `**data` are the words of `Data`: its signature and its refusals name each word."""
    known = inspect.signature(verb)
    parameters = [
        parameter for parameter in known.parameters.values() if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    described = inspect.signature(Data).parameters
    words = [described[name] for name in DataOptions.__annotations__ if name not in known.parameters]

    @functools.wraps(verb)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        reject_unknown({name: each for name, each in kwargs.items() if name not in known.parameters})
        return verb(*args, **kwargs)

    call.__signature__ = known.replace(parameters=[*parameters, *words])  # type: ignore[attr-defined]
    return public_api(call)


def sample_of(source: Any, s: Any, words: CaseOptions, *, sites: bool = False, **needs: Any) -> Sample:
    """Return the sample behind a verb's arguments: a `Data`, or a source with the same words; for `needs` see `read`.

    A verb that does not know `sites` refuses them, unless they just came with a table.

    What a reader must know is said when rows are read: not again of a sample that a result kept.
    """
    if isinstance(source, Data):
        beside = [*(["s"] if s is not None else []), *words]
        if beside:
            raise ArgumentError(
                f"the data are described already, but `{beside[0]}` came beside them. Hint: put it into Data(...)."
            )
    if hasattr(type(source), "predict") or hasattr(type(s), "predict"):
        raise ArgumentError(
            "labels and scores are needed, not a model. Hint: evaluate(y, model.predict_proba(X)); or "
            "cross_evaluate(model, X, y), which fits it."
        )
    if hasattr(type(source), "findings") or hasattr(type(s), "findings"):
        raise ArgumentError(
            "labels and scores are needed, not a result. Hint: pass the same y and s again, or ask the result: "
            "result.curve('roc'), result.threshold_card(), compare(y, {'a': s1, 'b': s2})."
        )
    reject_unknown(words)
    data = source if isinstance(source, Data) else Data(source, s, **words)
    sample = read(data, **needs)
    if sites:
        check_sites(sample)
    elif data.site is not None:
        raise ArgumentError(
            f"{argument_name('site')} is for `evaluate`, and for `compare` on the same cases. Hint: leave it out."
        )
    elif sample.has_sites:
        sample = sample.unplaced()
    if isinstance(data.source, Sample):
        return sample
    warn_skipped(sample.skipped)
    return sample


def check_sites(sample: Sample) -> None:
    """Refuse what cannot be pooled over sites."""
    rows = sample.in_memory
    if rows is None or rows.sites is None:
        return
    if rows.has_folds:
        raise ArgumentError(
            f"{argument_name('site')} cannot be combined with folds: both divide the cases. Hint: leave one of them "
            "out, or "
            "use `by`."
        )
    if rows.groups is not None:
        sites = np.unique(np.stack([rows.groups, rows.sites.code]), axis=1)[0]
        straddling = int(np.count_nonzero(np.bincount(sites) > 1))
        if straddling:
            what = "group has cases" if straddling == 1 else "groups have cases"
            raise InputError(
                f"{straddling} {what} in several sites, which must share none. Hint: leave out "
                f"{argument_name('group')}, or "
                "name sites that hold whole groups."
            )


_OF_CLASSES = {  # which method of an evaluation of several classes answers the question of a verb
    "`indistinguishability`": "evaluate(y, S).indistinguishability('name of a class')",
    "`resolving_power`": "evaluate(y, S).resolving_power()",
    "`threshold_card`": "evaluate(y, S).threshold_card('name of a class')",
}


def only_table(
    source: Any, s: Any, words: CaseOptions, question: Question, *, named: bool = False, classes: bool = False
) -> Sample:
    """Return a sample of one yes-or-no question and one model, drawn in a way that the question supports; several
    classes only where the verb knows them.

    `named` says whether the result shows the name of the positive class, which is all that a table's can mean.
    """
    if isinstance(source, ScoreTable) and not named and words.get("positive", words.get("classes")) is not None:
        raise ArgumentError("a score table knows which cases are positive. Hint: leave out `positive` and `classes`.")
    sample = sample_of(source, s, words)
    too_much = {
        "several classes": sample.is_multiclass and not classes,
        "subgroups": bool(sample.by),
        "several models": len(sample.models) > 1,
    }
    for kind, given in too_much.items():
        if given:
            hint = _OF_CLASSES.get(question.verb) if kind == "several classes" else None
            raise ArgumentError(
                f"{question.verb} does not support {kind}. Hint: {hint or 'leave them out, or use `evaluate`'}."
            )
    sample.sampling.require(question)
    return sample


def check_judgeable(sample: Sample) -> None:
    """Cases of at least two classes; weights that count no cases, and constant scores, are worth a word."""
    check_not_empty(int(sample.n > 0))
    warn_fractions(sample.has_fractions)
    if sample.is_multiclass:
        if (sample.sizes > 0).sum() < 2:
            held = [name for name, size in zip(sample.classes, sample.sizes, strict=True) if size > 0]
            raise InputError(
                f"the labels hold one class only: only {short_repr(held[0])} among {sample.n:g} rows. Hint: pass "
                "cases of at least two classes."
            )
        warn_missing(sample)
        return
    check_both_classes(sample.positives, sample.negatives, sample.positive_label)
    if sample.has_scores and len(sample.models) == 1:  # one of several models may be a baseline
        table = sample.table()
        if len(table) == 1 and table.is_exact:
            words = f"all scores are {table.score[0]:g}, so the cases are not ranked."
            warn(words)


def warn_missing(sample: Sample) -> None:
    """Classes without a case are worth a word."""
    missing = [name for name, size in zip(sample.classes, sample.sizes, strict=True) if size == 0]
    if missing:
        shown = ", ".join(map(short_repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        warn(
            f"no case belongs to {shown}: how well it is found is undefined, and averages of recall do not include it."
        )


def refuse(sample: Sample, **words: object) -> None:
    """Refuse what makes no sense for these data instead of passing over it."""
    for name, value in words.items():
        if value is not None:
            what = f"{sample.n_classes} classes" if sample.is_multiclass else "a yes-or-no question"
            raise ArgumentError(f"`{name}` makes no sense for {what}; got {short_repr(value)}. Hint: leave it out.")


def reject_unknown(words: Mapping[str, Any]) -> None:
    """Refuse words that do not describe data; `public_api` then says what was probably meant."""
    unknown = [name for name in words if name not in DataOptions.__annotations__]
    if unknown:
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
