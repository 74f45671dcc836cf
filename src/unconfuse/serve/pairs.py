"""Two saved evaluations compared: case by case where both kept theirs, else as independent samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import unconfuse as uc
from unconfuse._errors import InputError
from unconfuse.report import PageOptions, payload_of
from unconfuse.serve.result_summary import public_summary, stored_summary
from unconfuse.table import Counts, ScoreTable

Progress = Callable[[str, int, int], None]


def compared(task: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return what a page shows of the comparison, and whether it was paired."""
    both = first, second = task["first"], task["second"]
    names = _two_names(first["name"], second["name"])
    watch: Any = {"progress": lambda done, total: progress("comparing", done, total)}
    paired = _paired(first.get("cases"), second.get("cases"))
    if paired is None:
        models = {name: _sample(each) for name, each in zip(names, both, strict=True)}
        result = uc.compare(models, threshold=_cuts(names, both), **watch)
    else:
        label, scores = paired[0], dict(zip(names, paired[1:], strict=True))
        result = uc.compare(
            label, scores, positive=first["cases"].get("positive"), threshold=_cuts(names, both), **watch
        )
    payload = payload_of(result, PageOptions(title=task.get("title", "")))
    return (
        public_summary(result)
        | {"payload": payload, "paired": paired is not None, "cases": None}
        | stored_summary(result)
    )


def _two_names(first: str, second: str) -> list[str]:
    return [first, second] if first != second else [f"{first} (first)", f"{second} (second)"]


def _sample(saved: Mapping[str, Any]) -> Any:
    kept = saved.get("scores")
    if kept is None:
        why = "kept neither a score table nor counts, so it cannot be compared"
        raise InputError(f"{saved['name']!r} {why}. Hint: evaluate it again.")
    if "counts" in kept:
        return Counts(**kept["counts"])
    return ScoreTable(*(np.asarray(kept["table"][name], dtype=float) for name in ("score", "positives", "negatives")))


def _paired(one: Any, other: Any) -> tuple[Any, Any, Any] | None:
    """Cases of the same number and the same true answer; None if they cannot be matched one by one."""
    if not one or not other or not one.get("id") or not other.get("id") or one.get("positive") != other.get("positive"):
        return None
    places = {each: place for place, each in enumerate(other["id"])}
    if set(places) != set(one["id"]):
        return None
    order = [places[each] for each in one["id"]]
    if [other["label"][place] for place in order] != one["label"]:
        return None
    return one["label"], one["score"], [other["score"][place] for place in order]


def _cuts(names: list[str], both: tuple[Mapping[str, Any], ...]) -> dict[str, float] | None:
    """Each model's own threshold, as it was judged before."""
    cuts = {name: (each.get("scores") or {}).get("threshold") for name, each in zip(names, both, strict=True)}
    return {name: cut for name, cut in cuts.items() if cut is not None} or None
