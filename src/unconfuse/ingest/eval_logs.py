"""Logs of evaluation frameworks as they are: samples of lm-evaluation-harness (JSONL) and of Inspect (JSON).

lm-evaluation-harness writes samples_TASK_DATE.jsonl into a folder named after the model. Inspect writes one log for
each evaluation, which names its model and task, with its samples and epochs.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError, argument_name, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse.ingest._file_discovery import find_files, is_pipe

_HEAD = 1 << 16  # bytes that tell what a file is
_SAMPLES = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d{2}-\d{2}T.*)?\.jsonl$")
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}  # Inspect's: correct, incorrect, partial, no answer
_FIXED = ("item", "model", "run", "cluster", "judge")  # what logs know by themselves, or do not hold
Rows = dict[str, list[Any]]


def columns_of_logs(source: Any, roles: Mapping[str, str | None]) -> dict[str, npt.NDArray[Any]] | None:
    """Columns by role, if the source is a log, a pattern or folder of logs, or a list of them; else None."""
    paths = _paths(source)
    kinds = [_kind(path) for path in paths]
    if not any(kinds):
        return None
    if not all(kind == kinds[0] for kind in kinds):
        odd = next(path for path, kind in zip(paths, kinds, strict=True) if kind != kinds[0])
        raise InputError(f"{short_repr(odd, 200)} is not a log like the others. Hint: read logs of one kind at a time.")
    for role in _FIXED:
        if roles.get(role) is not None:
            raise InputError(f"logs do not support `{role}`: they name their own. Hint: leave it out.")
    correct = roles.get("correct")
    found = _of_harness(paths, correct) if kinds[0] == "harness" else _of_inspect(paths, correct)
    return {role: np.array(values, dtype=object) for role, values in found.items()}


def _paths(source: Any) -> list[str]:
    if isinstance(source, list | tuple) and source and all(isinstance(each, str | os.PathLike) for each in source):
        return [path for each in source for path in find_files(os.fspath(each))]
    if not isinstance(source, str | os.PathLike):
        return []
    path = os.fspath(source)
    if path == "-" or "://" in path or is_pipe(path):
        return []
    if path.endswith(".eval"):
        raise InputError(
            f"{short_repr(path, 200)} is a packed log of Inspect. Hint: convert it: inspect log convert --to json."
        )
    if Path(path).is_dir():  # of logs, beside which lie files of results
        return sorted(str(each) for each in Path(path).rglob("*") if each.is_file() and _kind(str(each)))
    return find_files(path)


def _kind(path: str) -> str:
    """Return what the beginning of a file says: `harness`, `inspect` or nothing."""
    if not path.lower().endswith((".jsonl", ".json")):
        return ""
    with Path(path).open("rb") as file:
        head = file.read(_HEAD).decode("utf-8", "replace")
    if '"doc_id"' in head and '"target"' in head and head.lstrip().startswith("{"):
        return "harness"
    keys = ('"eval"', '"status"', '"model"', '"task"')
    return "inspect" if head.lstrip().startswith("{") and all(key in head for key in keys) else ""


def _of_harness(paths: Sequence[str], correct: str | None) -> Rows:
    rows: Rows = {"item": [], "model": [], "correct": [], "run": []}
    several = len({_task(path) for path in paths}) > 1
    seen: dict[tuple[str, str], int] = {}
    for path, model in zip(paths, _model_names(paths), strict=True):
        run = str(seen.setdefault((model, _task(path)), 0) + 1)
        seen[model, _task(path)] += 1
        metric, chosen = correct, None
        for number, line in enumerate(_lines(path), 1):
            metric = metric or _first_metric(line, path)
            chosen = chosen or line.get("filter")
            if line.get("filter") != chosen:  # other ways to read the same answer: the first counts
                continue
            if metric not in line:
                raise _no_score(path, f"line {number}", metric, line.get("metrics") or [])
            rows["item"].append(f"{_task(path)}/{line['doc_id']}" if several else str(line["doc_id"]))
            rows["model"].append(model)
            rows["correct"].append(line[metric])
            rows["run"].append(run)
    return _without_one_run(rows)


def _task(path: str) -> str:
    match = _SAMPLES.match(Path(path).name)
    return match["task"] if match else Path(path).stem


def _model_names(paths: Sequence[str]) -> list[str]:
    """Return the folders that hold the files, as the harness names them; files in one folder are of one model."""
    return [Path(path).resolve().parent.name.replace("__", "/") for path in paths]


def _first_metric(line: Mapping[str, Any], path: str) -> str:
    names = line.get("metrics") or [key for key in ("acc", "exact_match", "pass@1") if key in line]
    if not names:
        raise InputError(
            f"{short_repr(path, 200)} does not say which metric it holds. "
            f"Hint: name it, such as {argument_name('correct', 'exact_match')}."
        )
    return str(names[0])


def _lines(path: str) -> Iterator[dict[str, Any]]:
    with Path(path).open(encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                try:
                    found = json.loads(text)
                except ValueError:
                    found = None
                if not isinstance(found, dict) or "doc_id" not in found:
                    raise InputError(
                        f"line {number} of {short_repr(path, 200)} is not a sample. Hint: was the file cut short?"
                    )
                yield found


def _of_inspect(paths: Sequence[str], correct: str | None) -> Rows:
    rows: Rows = {"item": [], "model": [], "correct": [], "run": []}
    logs = [_log(path) for path in paths]
    several = len({log["eval"].get("task") for log in logs}) > 1
    times: dict[Any, int] = {}
    for path, log in zip(paths, logs, strict=True):
        own = log["eval"].get("model"), log["eval"].get("task")
        again = times[own] = times.get(own, 0) + 1
        for sample in log["samples"]:
            name = str(sample.get("id"))
            rows["item"].append(f"{own[1]}/{name}" if several else name)
            rows["model"].append(str(own[0]))
            rows["correct"].append(_grade(sample, correct, path))
            rows["run"].append(f"{again}-{sample.get('epoch', 1)}")
    return _without_one_run(rows)


def _log(path: str) -> dict[str, Any]:
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        raise InputError(f"{short_repr(path, 200)} is not whole JSON. Hint: was the file cut short?") from None
    if not isinstance(found.get("eval"), dict) or not found.get("samples"):
        raise InputError(
            f"{short_repr(path, 200)} holds no samples (status {short_repr(found.get('status'))}). "
            "Hint: read a finished log that was written with its samples."
        )
    return dict(found)


def _grade(sample: Mapping[str, Any], scorer: str | None, path: str) -> Any:
    scores = sample.get("scores") or {}
    name = scorer or next(iter(scores), None)
    if name not in scores:
        raise _no_score(path, f"sample {short_repr(sample.get('id'))}", scorer or "any scorer", list(scores))
    value = scores[name].get("value") if isinstance(scores[name], dict) else scores[name]
    if not isinstance(value, str | bool | int | float):
        raise InputError(
            f"sample {short_repr(sample.get('id'))} of {short_repr(path, 200)} has {short_repr(value)} by "
            f"{short_repr(name)}, not one "
            f"score. Hint: name a scorer that gives one, {argument_name('correct', 'name')}."
        )
    return _GRADES.get(value, value) if isinstance(value, str) else value


def _no_score(path: str, where: str, name: str, known: Sequence[str]) -> InputError:
    offer = (
        did_you_mean(name, known)
        if known
        else "Hint: samples that ended in an error have no score; drop or rerun them."
    )
    return InputError(f"{where} of {short_repr(path, 200)} has no score by {short_repr(name)}. {offer}")


def _without_one_run(rows: Rows) -> Rows:
    """One run of each item is no run that could be compared with another."""
    if len(set(rows["run"])) < 2:
        del rows["run"]
    return rows
