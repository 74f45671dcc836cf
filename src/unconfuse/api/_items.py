"""`items`: models that answered the same items, once or several times, scored by people or by a judge."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError, argument_name
from unconfuse._formatting import short_repr
from unconfuse._phrases import counted
from unconfuse._validate import check_probability, check_text, public_api
from unconfuse.ingest.read_items import ItemResponses, ResponseColumns, read_answers
from unconfuse.multilevel.items import ItemScores, mean_of
from unconfuse.results.item_raters import VerifiedItems
from unconfuse.results.items import Items
from unconfuse.table import Array
from unconfuse.table.counts import summed_by

Codes = npt.NDArray[np.int64]


@public_api
def items(
    source: Any,
    *,
    item: str | None = None,
    model: str | None = None,
    correct: str | None = None,
    run: str | None = None,
    cluster: str | None = None,
    judge: str | None = None,
    confidence_level: float = 0.95,
    table: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
) -> Items:
    """Evaluate models on the same items: means for new items, paired differences, tiers, items or runs, pass@k.

    Parameters
    ----------
    source : data frame, mapping of columns, file, or logs
        One row for each answer. A file, a pattern, or a list of logs: samples of lm-evaluation-harness (JSONL, in a
        folder for each model) and logs of Inspect (JSON) are read as they are.
    item : str
        Column of items, such as questions. [default: item, q, question, doc_id or id]
    model : str
        Column of models. [default: model or m; without one there is a single model]
    correct : str
        Column of what people or tests found: right or wrong, or scores from 0 to 1. With `judge` it may be missing in
        part. Of logs, the name of the metric or scorer. [default: correct, ok, right, score or acc]
    run : str, optional
        Column of runs, if items were answered several times.
    cluster : str, optional
        Column of what items belong together, such as the passage that several questions are about.
    judge : str, optional
        Column of what an imperfect judge said of every answer; `correct` then holds checks on some, drawn at random.
    confidence_level : float
    table, delimiter, decimal : str, optional
        Of files: the sheet of a spreadsheet, the separator of a CSV file, and its decimal character.

    Returns
    -------
    Items
        `it["a"]` (Estimate), `it["a", "b"].difference`, `.tiers`, `.ranks`, `.variance`, `.pass_at(k)`,
        `.pass_hat(k)`, `.same_items(model)`, `.plan(width)`, `.findings`.

    Notes
    -----
    Answers of one item are averaged first; items, or clusters of items, are what was sampled. Means have Wilson's
    interval with an effective number of items, two pseudo clusters and t over clusters. Differences are paired; their
    intervals hold for all pairs together (max-t). Judged answers are corrected by PPI++ with Korn and Graubard's
    interval.

    References
    ----------
    Miller (2024), Adding error bars to evals; Chen et al. (2021), Evaluating large language models trained on code
    (pass@k); Angelopoulos, Duchi & Zrnic (2023), PPI++; Korn & Graubard (1998), Survey Methodology 24:193.

    Examples
    --------
    >>> import unconfuse as uc
    >>> rows = {"q": [1, 2, 3, 4] * 2, "m": ["new"] * 4 + ["old"] * 4, "ok": [1, 1, 1, 0, 1, 0, 1, 0]}
    >>> it = uc.items(rows, item="q", model="m", correct="ok")
    >>> print(it["new"])
    accuracy 0.750 [0.242, 0.987] 95% mid-p, 'new' on 4 items; for new items like these
    >>> it["new", "old"].verdict
    'cannot tell'
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    roles = {"item": item, "model": model, "correct": correct, "run": run, "cluster": cluster, "judge": judge}
    for name, given in roles.items():
        if given is not None:
            check_text(given, name)
    named = [given for given in roles.values() if given is not None]
    if len(set(named)) < len(named):
        raise ArgumentError(f"each role must have a column of its own; got {', '.join(named)}.")
    answers = read_answers(source, roles, {"table": table, "delimiter": delimiter, "decimal": decimal})
    if answers.judge is not None and answers.cluster is not None:
        raise InputError("`judge` cannot be combined with `cluster`. Hint: leave one of them out.")
    return _wrapped(answers, _gathered(answers), level)


def _wrapped(answers: ItemResponses, scores: ItemScores, level: float) -> Items:
    names, checks = answers.model.names, _checks(answers, scores)
    values = [
        mean_of(scores.mean[:, place])
        if checks is None
        else checks.corrected(checks.truth[:, place], checks.judged[:, place]).value
        for place in range(len(names))
    ]
    order = sorted(range(len(names)), key=lambda place: (-values[place], names[place]))
    ordered = ItemScores(scores.mean[:, order], scores.within[:, order], scores.runs[:, order], scores.cluster)
    verified_items = None if checks is None else VerifiedItems(checks.truth[:, order], checks.judged[:, order])
    given = answers.correct[~np.isnan(answers.correct)]
    is_binary = bool(np.isin(given, (0.0, 1.0)).all())
    return Items(tuple(names[place] for place in order), ordered, level, is_binary, verified_items)


def _gathered(answers: ItemResponses) -> ItemScores:
    """Return means, variances and numbers of runs, of items by models."""
    item, model = answers.item, answers.model
    shape = len(item.names), len(model.names)
    _refuse_missing(item, model)
    _refuse_single(answers)
    cell = item.code * shape[1] + model.code
    counts = np.bincount(cell, minlength=shape[0] * shape[1])
    _refuse_repeated(answers, cell, counts)
    said = answers.correct if answers.judge is None else answers.judge
    mean = summed_by(cell, said, len(counts)) / counts
    squares = summed_by(cell, (said - mean[cell]) ** 2, len(counts))
    within = squares / np.maximum(counts - 1, 1)
    return ItemScores(mean.reshape(shape), within.reshape(shape), counts.reshape(shape), _clusters(answers))


def _refuse_missing(item: ResponseColumns, model: ResponseColumns) -> None:
    n_items, n_models = len(item.names), len(model.names)
    cell = model.code * n_items + item.code
    if n_items * n_models <= len(cell) and np.bincount(cell, minlength=n_items * n_models).all():
        return
    answered = np.unique(cell)
    per_model = np.bincount(answered // n_items, minlength=n_models)
    fewest = int(per_model.argmin())
    own = set((answered[answered // n_items == fewest] % n_items).tolist())
    example = min(name for place, name in enumerate(item.names) if place not in own)
    short = int((per_model < n_items).sum())
    raise InputError(
        f"{short} of {n_models} models did not answer all items: {short_repr(model.names[fewest])} has no answer to "
        f"{n_items - int(per_model[fewest]):,} of {n_items:,}, such as {short_repr(example)}. Hint: keep the items "
        "that "
        "every model answered, or score a missing answer 0 if it counts as wrong."
    )


def _refuse_single(answers: ItemResponses) -> None:
    if len(answers.item.names) < 2:
        raise InputError(f"there is one item only, {short_repr(answers.item.names[0])}: nothing tells how items vary.")
    if answers.cluster is not None and len(answers.cluster.names) < 2:
        raise InputError(
            f"there is one cluster only, {short_repr(answers.cluster.names[0])}: nothing tells how clusters vary. "
            "Hint: leave `cluster` out if items are independent."
        )


def _refuse_repeated(answers: ItemResponses, cell: Codes, counts: Codes) -> None:
    if answers.run is None:
        if counts.max() > 1:
            first = int(counts.argmax())
            item, model = (short_repr(name) for name in _names(answers, first))
            raise InputError(
                f"model {model} has {counts[first]} answers to item {item}. Hint: name the column of runs, "
                f"{argument_name('run', 'name')}, or drop duplicates."
            )
        return
    each, times = np.unique(cell * len(answers.run.names) + answers.run.code, return_counts=True)
    if times.max() > 1:
        first = int(each[int(times.argmax())])
        item, model = (short_repr(name) for name in _names(answers, first // len(answers.run.names)))
        run = short_repr(answers.run.names[first % len(answers.run.names)])
        raise InputError(f"model {model} has {times.max()} answers to item {item} in run {run}. Hint: drop duplicates.")


def _names(answers: ItemResponses, cell: int) -> tuple[str, str]:
    item, model = divmod(cell, len(answers.model.names))
    return answers.item.names[item], answers.model.names[model]


def _clusters(answers: ItemResponses) -> Codes | None:
    """Return the cluster of each item, which must be the same in all its rows."""
    if answers.cluster is None:
        return None
    own = np.empty(len(answers.item.names), dtype=np.int64)
    own[answers.item.code] = answers.cluster.code
    odd = own[answers.item.code] != answers.cluster.code
    if odd.any():
        name = answers.item.names[int(answers.item.code[odd][0])]
        raise InputError(f"item {short_repr(name)} is in more than one cluster. Hint: give each item one cluster.")
    return own


def _checks(answers: ItemResponses, scores: ItemScores) -> VerifiedItems | None:
    if answers.judge is None:
        return None
    shape, models = scores.mean.shape, answers.model.names
    cell = answers.item.code * shape[1] + answers.model.code
    checked = ~np.isnan(answers.correct)
    counts = np.bincount(cell[checked], minlength=scores.mean.size)
    some = (counts > 0) & (counts < scores.runs.reshape(-1))
    if some.any():
        item, model = (short_repr(each) for each in _names(answers, int(np.flatnonzero(some)[0])))
        raise InputError(
            f"some runs of item {item} by model {model} are checked and others are not. Hint: check all runs of an "
            "item, or none."
        )
    truth: Array = np.full(scores.mean.size, np.nan)
    sums = summed_by(cell[checked], answers.correct[checked], scores.mean.size)
    truth[counts > 0] = sums[counts > 0] / counts[counts > 0]
    truth = truth.reshape(shape)
    per_model = (~np.isnan(truth)).sum(axis=0)
    if per_model.min() < 2:
        name = short_repr(models[int(per_model.argmin())])
        raise InputError(
            f"model {name} has {counted(int(per_model.min()), 'checked item')}: a rater cannot be corrected by fewer "
            "than 2. Hint: let people score some answers of every model, drawn at random."
        )
    return VerifiedItems(truth, scores.mean)
