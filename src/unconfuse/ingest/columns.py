"""Which columns of a frame or a file are meant: by the given names, or by the names that people usually give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unconfuse._errors import InputError, nearest
from unconfuse._validate import brief

USUAL_LABELS = ("label", "y", "target", "truth")
USUAL_SCORES = ("score", "p", "probability", "prob", "prediction")


@dataclass(frozen=True)
class Wanted:
    """The columns asked for, as given."""

    label: str | None = None
    score: str | Sequence[str] | Mapping[str, str] | None = None
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    by: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """What was asked for, by role."""
        return {
            "label": self.label,
            "score": self.score,
            "weight": self.weight,
            "group": self.group,
            "id": self.id,
            "by": self.by or None,
        }


@dataclass(frozen=True)
class Chosen:
    """The columns found; `scores` maps each model to its column."""

    label: str
    scores: Mapping[str, str]
    weight: str | None = None
    group: str | None = None
    id: str | None = None
    by: tuple[str, ...] = ()

    @property
    def texts(self) -> dict[str, str]:
        """Columns of names, by role: `label`, `group`, `id`, `by 0`, `by 1`, ..."""
        named = {role: name for role in ("label", "group", "id") if (name := getattr(self, role)) is not None}
        return named | {f"by {position}": name for position, name in enumerate(self.by)}

    @property
    def numbers(self) -> dict[str, str]:
        """Columns of numbers, by role: `score 0`, `score 1`, ..., `weight`."""
        scores = {f"score {position}": name for position, name in enumerate(self.scores.values())}
        return scores if self.weight is None else {**scores, "weight": self.weight}

    def as_wanted(self) -> Wanted:
        """Ask for the same columns again, from another file."""
        return Wanted(self.label, self.scores, self.weight, self.group, self.id, self.by)


def choose_columns(names: Sequence[str], wanted: Wanted, where: str) -> Chosen:
    """The columns asked for, or an error that says which there are.

    Examples
    --------
    >>> choose_columns(["id", "Y", "p"], Wanted(), "the frame")
    Chosen(label='Y', scores={'p': 'p'}, weight=None, group=None, id=None, by=())
    """
    _refuse_duplicates(names, where)
    known = set(names)
    label = _guess(names, USUAL_LABELS, "label", where) if wanted.label is None else wanted.label
    scores = _score_columns(wanted.score, lambda: _guess(names, USUAL_SCORES, "score", where))
    for name in (label, *scores.values(), wanted.weight, wanted.group, wanted.id, *wanted.by):
        if name is not None and name not in known:
            raise InputError(f"{where} has no column {brief(name)}. {_offer(str(name), names)}")
    if label in scores.values():
        raise InputError(f"the column {brief(label)} cannot be both the label and the score.")
    return Chosen(label, scores, wanted.weight, wanted.group, wanted.id, wanted.by)


def _score_columns(score: Any, guess: Any) -> dict[str, str]:
    if score is None:
        score = guess()
    if isinstance(score, Mapping):
        columns = dict(score)
    else:
        columns = {name: name for name in (score if _is_several(score) else [score])}
    if not columns:
        raise InputError("no score column was named. Hint: pass score='name'.")
    return columns


def _is_several(score: Any) -> bool:
    """Pandas may name a column by a number."""
    return isinstance(score, Iterable) and not isinstance(score, str)


def _guess(names: Sequence[str], usual: Iterable[str], role: str, where: str) -> str:
    for candidate in usual:
        matches = [name for name in names if name.lower() == candidate]
        if len(matches) == 1:
            return matches[0]
    raise InputError(
        f"which column of {where} is the {role}? It has {_listed(names)}. "
        f"Hint: pass {role}='name' (on the command line: --{role} NAME).{_no_header(names)}"
    )


def _no_header(names: Sequence[str]) -> str:
    def is_number(name: str) -> bool:
        return name.lstrip("-").replace(".", "", 1).isdigit()

    return " The first line must hold the column names." if any(map(is_number, names)) else ""


def _refuse_duplicates(names: Sequence[str], where: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(f"{where} has more than one column named {brief(twice[0])}. Hint: rename one of them.")


def _offer(name: str, names: Sequence[str]) -> str:
    shorter = [each if len(each) <= 60 else f"{each[:57]}..." for each in names]
    return nearest(name[:1000], shorter[:2000])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"the columns {', '.join(map(brief, names[:20]))}{more}" if names else "no columns"
