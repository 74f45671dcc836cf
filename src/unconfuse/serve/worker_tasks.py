"""What a child process does: look at a file, or answer a question about it. Runs behind limits, knows no server."""

from __future__ import annotations

import gzip
import warnings
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

import unconfuse as uc
from unconfuse._errors import InputError
from unconfuse._formatting import plain_json
from unconfuse._parameters import names_in
from unconfuse.ingest._file_discovery import sniff
from unconfuse.ingest.preview import preview
from unconfuse.ingest.read_columns import read_columns, read_matrix
from unconfuse.report import PageOptions, payload_of
from unconfuse.serve.folder_access import by_descriptor
from unconfuse.serve.history_export import read_history
from unconfuse.serve.pairs import compared
from unconfuse.serve.result_summary import public_summary, stored_summary
from unconfuse.serve.wording import in_fields, in_form

Progress = Callable[[str, int, int], None]
Answers = dict[str, Any]
_ROWS = (
    "label",
    "positive",
    "weight",
    "group",
    "id",
    "fold",
    "on_bad_row",
    "table",
    "delimiter",
    "decimal",
    "predicted",
    "by",
    "site",
)


_TIGHTEST, _SURELY_ROWS = 200, 64 << 20  # times; bytes up to which packing well is no offence
_DEEPEST = 500  # objects inside objects; rows need one


def run(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the answer to a task, as plain values, with what was said along the way."""
    said: list[str] = []
    question = task.get("question", "evaluate")
    with by_descriptor(task) as own, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer: dict[str, Any] = TASKS[own["task"]](own, progress)
        except uc.UnconfuseError as error:
            raise in_form(error, question, task.get("answers", {})) from None
        notes = [_named(str(each.message), task) for each in caught if issubclass(each.category, uc.UnconfuseWarning)]
        said += [in_fields(note, question) for note in notes]
    return dict(plain_json(answer)) | {"notes": said}


def _named(said: str, task: Mapping[str, Any]) -> str:
    """Return a sentence that speaks of the file by the name that its owner gave it."""
    return said.replace(task["path"], task["name"]) if task.get("path") else said


def look(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the beginning of a file, and what its columns may be for."""
    from unconfuse.serve.column_guesses import suggested, with_comma

    path, name = task["path"], task["name"]
    _renamed(lambda: check_size(path, name, task["limits"]), path, name)
    words = {key: value for key, value in task["words"].items() if key in ("table", "delimiter", "decimal")}
    seen = _renamed(lambda: preview(path, **words).as_dict(), path, name)
    given = {key: {"value": value, "reason": ""} for key, value in words.items()}
    comma = None if "decimal" in words else with_comma(seen)
    if comma is not None:
        seen = _renamed(lambda: preview(path, **words, decimal=",").as_dict(), path, name)
        given["decimal"] = {"value": ",", "reason": f"{comma} holds numbers such as 0,5"}
    return {**seen, "suggestions": suggested(seen) | given}


def ask(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """One question, answered: what a page shows, and what is kept for later questions."""
    answers, path, name = dict(task["answers"]), task.get("path"), task.get("name", "")
    if path is not None:
        _renamed(lambda: check_size(path, name, task["limits"]), path, name)
    keep = answers.pop("keep_cases", False)
    words = {name: answers.pop(name) for name in ("positive_label", "unit") if name in answers}
    page = PageOptions(title=task.get("title", ""), prevalence=_slider(task["question"], answers), **words)
    result = _renamed(lambda: ANSWERS[task["question"]](path, name, dict(answers), progress), path, name)
    progress("drawing the page", 0, 0)
    made = {"payload": None if task["question"] == "plan" else payload_of(result, page)}
    made["cases"] = _renamed(lambda: _cases(path, answers), path, name) if keep and path is not None else None
    return public_summary(result) | made | stored_summary(result)


def check_size(path: str, name: str, limits: Mapping[str, int]) -> None:
    """Check how large a file is: a small one can unpack to more than anybody meant."""
    with Path(path).open("rb") as file:
        head = file.read(4)
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        raise InputError(f"{name} is compressed with zstd, which is not taken here. Hint: unpack it first.")
    if head.startswith(b"\x1f\x8b"):
        _check_gzip(path, name, limits["unpacked"])
    if head == b"PAR1":
        _check_parquet(path, name, limits["rows"])
    elif Path(path).suffix in (".json", ".jsonl", ".ndjson") or head.lstrip()[:1] in (b"{", b"["):
        _check_depth(path, name)


def _check_gzip(path: str, name: str, most: int) -> None:
    """Rows pack to a tenth or a fiftieth of their size; what packs much better was made to fill a disk."""
    size, hint = 0, "Hint: unpack it first, or use the command line."
    try:
        with Path(path).open("rb") as packed, gzip.open(packed, "rb") as file:
            while part := file.read(1 << 20):
                size += len(part)
                if size > _SURELY_ROWS and size > _TIGHTEST * packed.tell():
                    raise InputError(f"{name} unpacks to more than {_TIGHTEST} times its size. {hint}")
                if size > most:
                    raise InputError(f"{name} unpacks to more than {most >> 20:,} MB, which are taken at most. {hint}")
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{name} is damaged or was cut short. Hint: copy or download it again.") from None


def _check_depth(path: str, name: str) -> None:
    """Check how deep values are nested: the engine follows them by recursion, and too deep ones end the process."""
    depth = 0
    with _unpacked(path) as file:
        while part := file.read(1 << 20):
            letters = np.frombuffer(part, dtype=np.uint8)
            steps = np.isin(letters, (91, 123)).astype(np.int64) - np.isin(letters, (93, 125))
            inside = depth + np.cumsum(steps)
            if inside.max() > _DEEPEST:
                raise InputError(
                    f"{name} holds values inside values, more than {_DEEPEST} deep. Hint: keep plain columns."
                )
            depth = int(inside[-1])


def _unpacked(path: str) -> IO[bytes]:
    with Path(path).open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(IO[bytes], gzip.open(path, "rb")) if packed else Path(path).open("rb")


def _check_parquet(path: str, name: str, most: int) -> None:
    from unconfuse.ingest.preview import parquet_rows

    rows = parquet_rows(sniff(path, name))
    if rows > most:
        hint = "Hint: use the command line for files of this size."
        raise InputError(f"{name} has {rows:,} rows; {most:,} are taken at most. {hint}")


def _renamed(work: Callable[[], Any], path: str | None, name: str) -> Any:
    """Complaints speak of the file by the name that its owner gave it."""
    try:
        return work()
    except uc.UnconfuseError as error:
        said = str(error)
        if path is None or path not in said:
            raise
        error.args = (said.replace(path, name), *error.args[1:])
        raise


def _slider(question: str, answers: Answers) -> float | None:
    """Where the page's slider of prevalence begins: these questions are about the data as they are."""
    share: float | None = answers.get("prevalence") if question in ("evaluate", "counts", "thresholds") else None
    if question in ("evaluate", "counts"):
        answers.pop("prevalence", None)
    return share


def _data(path: str, answers: Answers, **more: Any) -> uc.Data:
    words = {name: answers.pop(name) for name in _ROWS if name in answers}
    negative, rest = answers.pop("negative", None), answers.pop("rest_negative", None)
    if negative and rest:
        raise InputError("`negative` and `rest_negative` cannot be combined. Hint: use one of them.")
    words |= {"negative": "rest" if rest else negative} if rest or negative else {}
    return uc.Data(path, **words, **more)


def _evaluate(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    scores = answers.pop("scores", None)
    chosen = {"scores": scores if scores is None or "*" in scores else names_in(scores)}
    chosen = chosen if scores else {"score": answers.pop("score")} if "score" in answers else {}
    data = _data(path, answers, **chosen)
    judged = uc.evaluate(data, **answers, progress=lambda done, total: progress("judging", done, total))
    return judged.with_changes(source=name)


def _compare(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    data = _data(path, answers, score=answers.pop("score", None))
    cuts = answers.pop("threshold", None)
    answers |= {} if cuts is None else {"threshold": cuts if isinstance(cuts, dict) else cuts[0]}
    answers["baselines"] = tuple(answers.get("baselines", ()))
    return uc.compare(data, **answers, progress=lambda done, total: progress("comparing", done, total))


def _thresholds(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    data = _data(path, answers, **({"score": answers.pop("score")} if "score" in answers else {}))
    costs = {who: tuple(pair) for who, pair in answers.pop("costs", {}).items()}
    progress("choosing and measuring", 0, 0)
    return uc.threshold_card(data, costs=costs or None, **answers)


def _resolve(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    data = _data(path, answers, **({"score": answers.pop("score")} if "score" in answers else {}))
    metrics, how = answers.pop("metrics", None), answers.pop("method", "asymptotic")
    watch: Any = {"progress": lambda done, total: progress("simulating", done, total)}
    return uc.resolving_power(uc.Empirical(data), metrics, method=how, **answers, **watch)


def _plan(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    progress("planning", 0, 0)
    decided = "sensitivity" in answers or "specificity" in answers
    ratio = answers.pop("sd_ratio", None)
    if decided and ratio is not None:
        raise InputError("`sd_ratio` is for normal scores; it cannot be combined with `sensitivity` or `specificity`.")
    asked: Answers = {"prevalence": 0.5} | answers
    return uc.plan(None if decided else uc.Binormal(sd_ratio=ratio or 1.0), **asked)


def _benchmark(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    progress("comparing", 0, 0)
    read = {name: answers.pop(name) for name in ("table", "delimiter", "decimal") if name in answers}
    return uc.benchmark(uc.Data(path, **read), **answers)


def _items(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    progress("judging", 0, 0)
    return uc.items(path, **answers)


def _counts(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    return uc.evaluate_counts(**answers)


def _matrix(path: Any, name: str, answers: Answers, progress: Progress) -> Any:
    place = Path("matrix.csv")  # in the child's own folder
    place.write_text(answers.pop("matrix"), encoding="utf-8")
    counts, classes = _renamed(lambda: read_matrix(str(place)), str(place), "the matrix")
    return uc.evaluate_confusion(counts, classes, **answers)


def _cases(path: str, answers: Answers) -> dict[str, Any] | None:
    """Labels and scores, case by case, for a paired comparison later."""
    names = ["label", "score", "id", "delimiter", "decimal", "table", "on_bad_row"]
    if answers.get("on_bad_row") == "skip":  # a row that lacks any of these was not evaluated
        names += ["weight", "group"]
    own = {name: answers[name] for name in names if name in answers}
    if not isinstance(own.get("score"), str):
        raise InputError("`keep_cases` requires one column of scores. Hint: choose a `score`, or clear the box.")
    number_columns = read_columns(uc.Data(path, **own))
    (scores,) = number_columns.numbers.values()
    labels, names = (
        [] if each is None else [str(one) for one in each] for each in (number_columns.label, number_columns.id)
    )
    return {"label": labels, "score": scores.tolist(), "id": names, "positive": answers.get("positive")}


ANSWERS: dict[str, Callable[[Any, str, Answers, Progress], Any]] = {
    "evaluate": _evaluate,
    "compare": _compare,
    "thresholds": _thresholds,
    "resolve": _resolve,
    "benchmark": _benchmark,
    "items": _items,
    "plan": _plan,
    "counts": _counts,
    "matrix": _matrix,
}


def import_history(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Read and check an exported history."""
    return {"evaluations": read_history(task["path"], task["name"], task["limits"]["unpacked"])}


TASKS: dict[str, Callable[[Mapping[str, Any], Progress], dict[str, Any]]] = {
    "look": look,
    "ask": ask,
    "compare": compared,
    "import": import_history,
}
