"""Which columns of a source are meant: by the given names, or by the names that people usually give them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from unconfuse._errors import InputError, argument_name, did_you_mean, surface_text
from unconfuse._formatting import short_repr
from unconfuse._validate import ColumnRef
from unconfuse.ingest.data import Data
from unconfuse.ingest.grouping import named_by

USUAL_LABELS = ("label", "y", "target", "truth")
USUAL_SCORES = ("score", "p", "probability", "prob", "prediction")
WEIGHTS = ("weight", "sampling_weight")  # columns of numbers besides scores
UNITS = ("stratum", "group")  # columns of names of what was sampled
ONLY_MODEL = "score"  # what the only model is called when nobody named it


@dataclass(frozen=True)
class ColumnRoles:
    """The columns found, by what they are for."""

    label: str | None = None
    scores: Mapping[str, str] = field(default_factory=dict)  # by model, of a yes-or-no question
    matrices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by model and class
    predicted: Mapping[str, str] = field(default_factory=dict)  # by model
    weight: str | None = None
    sampling_weight: str | None = None
    stratum: str | None = None
    group: str | None = None
    id: str | None = None
    by: tuple[str, ...] = ()
    fold: str | None = None
    site: str | None = None

    @property
    def score_columns(self) -> list[str]:
        """All columns of scores, model after model."""
        return [*self.scores.values(), *(name for matrix in self.matrices.values() for name in matrix.values())]

    @property
    def slices(self) -> tuple[str, ...]:
        """What divides the rows: into subgroups, then into folds, and last into sites."""
        return (*self.by, *(each for each in (self.fold, self.site) if each is not None))

    @property
    def texts(self) -> dict[str, str]:
        """Columns of names, by role: `label`, `stratum`, `group`, `id`, `predicted 0`, ..., `by 0`, `by 1`, ..."""
        named = {
            role: name for role in ("label", "stratum", "group", "id") if (name := getattr(self, role)) is not None
        }
        named |= {f"predicted {place}": name for place, name in enumerate(self.predicted.values())}
        return named | {f"by {place}": name for place, name in enumerate(self.slices)}

    @property
    def numbers(self) -> dict[str, str]:
        """Columns of numbers, by role: `score 0`, `score 1`, ..., `weight`, `sampling_weight`."""
        scores = {f"score {place}": name for place, name in enumerate(self.score_columns)}
        return scores | {role: name for role in WEIGHTS if (name := getattr(self, role)) is not None}

    @property
    def keys(self) -> dict[str, str]:
        """Columns of names that engines group rows by."""
        return {role: name for role, name in self.texts.items() if role != "id"}

    @property
    def unit(self) -> str | None:
        """What names the cases that are drawn together, or the single case."""
        return self.group or self.id

    @property
    def needs_rows(self) -> bool:
        """Whether sums over rows are not enough: several classes, groups, sampled cases, or cases of sites."""
        grouped = bool(self.scores) and self.group is not None
        return bool(self.matrices) or grouped or self.sampling_weight is not None or self.site is not None

    @property
    def needed(self) -> list[str]:
        """Every column once."""
        return list(dict.fromkeys([*self.texts.values(), *self.numbers.values()]))

    def asked_again(self, data: Data) -> Data:
        """Return a description that asks for the same columns of another file."""
        several = {"scores": self.matrices or None, "predicted": self.predicted or data.predicted}
        return replace(
            data, label=self.label, **(several if self.matrices or self.predicted else {"score": self.scores})
        )


def place_of(name: object) -> ColumnRef:
    """How to speak of a column that has a name."""
    return ColumnRef(f"column {short_repr(name)}")


def choose(
    names: Sequence[str], data: Data, where: str, *, labelled: bool = True, everything: bool = False
) -> ColumnRoles:
    """Return the columns asked for, or raise an error that says which there are.

    Rows need not be `labelled`; and `everything` but the label may count as a score.

    Examples
    --------
    >>> found = choose(["id", "Y", "p"], Data(None), "the frame")
    >>> found.label, found.scores
    ('Y', {'p': 'p'})
    >>> choose(["y", "p_a", "p_b"], Data(None, scores="p_*"), "the frame").matrices
    {'score': {'a': 'p_a', 'b': 'p_b'}}
    """
    _refuse_duplicates(names, where)
    label = data.label
    if label is None and labelled:
        label = _guess(names, USUAL_LABELS, "label", where)
    by, _ = named_by(data.by)
    roles = ("weight", "sampling_weight", "stratum", "group", "id", "fold")
    site = data.site if isinstance(data.site, str) else None
    column_roles = ColumnRoles(label=label, by=by, site=site, **{role: getattr(data, role) for role in roles})
    if everything:
        column_roles = replace(column_roles, scores={name: name for name in names if name != label})
    elif data.scores is None and data.predicted is None:
        column_roles = replace(
            column_roles, scores=_of_models(data.score, lambda: _guess(names, USUAL_SCORES, "score", where))
        )
    else:
        column_roles = replace(column_roles, predicted=_predicted(data.predicted))
        column_roles = replace(column_roles, matrices=_matrices(data.scores, names, column_roles.needed))
    known = set(names)
    for name in column_roles.needed:
        if name not in known:
            raise InputError(f"{where} has no column {short_repr(name)}. {_offer(str(name), names)}")
    if label is not None and label in column_roles.score_columns:
        raise InputError(f"the column {short_repr(label)} cannot be both the label and the score.")
    return column_roles


def _of_models(score: Any, guess: Any) -> dict[str, str]:
    if score is None:
        score = guess()
    if isinstance(score, Mapping):
        columns = dict(score)
    else:  # pandas may name a column by a number
        is_several = isinstance(score, Iterable) and not isinstance(score, str)
        columns = {name: name for name in (score if is_several else [score])}
    if not columns:
        raise InputError(f"no score column was named. Hint: give {argument_name('score', 'name')}.")
    return columns


def _predicted(predicted: Any) -> dict[str, str]:
    """Columns of predicted classes by model; values that were given apart are no columns."""
    named = predicted if isinstance(predicted, Mapping) else {ONLY_MODEL: predicted}
    return {str(model): name for model, name in named.items() if isinstance(name, str)}


def _matrices(scores: Any, names: Sequence[str], taken: Sequence[str]) -> dict[str, dict[str, str]]:
    """Columns by class, for each model."""
    if scores is None:
        return {}
    models = scores if _are_models(scores) else {ONLY_MODEL: scores}
    return {str(model): _by_class(own, names, taken) for model, own in models.items()}


def _are_models(scores: Any) -> bool:
    """Whether a mapping gives a pattern, names or a mapping for each model, rather than a column for each class."""
    return isinstance(scores, Mapping) and all(not isinstance(score, str) or "*" in score for score in scores.values())


def _by_class(columns: Any, names: Sequence[str], taken: Sequence[str]) -> dict[str, str]:
    if isinstance(columns, str):
        return matched(columns, names, taken)
    found = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    return {str(key): name for key, name in found.items()}


def matched(pattern: str, names: Sequence[str], taken: Sequence[str] = ()) -> dict[str, str]:
    """Columns by class: what the star of a pattern stands for.

    >>> matched("p_*", ["y", "p_cat", "p_dog"])
    {'cat': 'p_cat', 'dog': 'p_dog'}
    """
    if pattern.count("*") != 1:
        raise InputError(
            f"a pattern of score columns needs one star; got {short_repr(pattern)}. Hint: for instance 'p_*'."
        )
    before, after = pattern.split("*")
    shortest = len(before) + len(after)
    found = {
        name[len(before) : len(name) - len(after)]: name
        for name in names
        if name not in taken and len(name) > shortest and name.startswith(before) and name.endswith(after)
    }
    if len(found) < 2:
        shown = ", ".join(map(short_repr, names[:20]))
        raise InputError(
            f"{len(found) or 'no'} column{'' if len(found) == 1 else 's'} match {short_repr(pattern)}; "
            f"the columns are {shown}. Hint: there must be one for each class."
        )
    return found


def _guess(names: Sequence[str], usual: Iterable[str], role: str, where: str) -> str:
    for candidate in usual:
        matches = [name for name in names if name.lower() == candidate]
        if len(matches) == 1:
            return matches[0]
    given = surface_text(f"name it with `{role}`", f"give --{role} NAME")
    of_answers = len(names) == 1 or any(name.lower() in ("correct", "ok") for name in names)
    if role in ("label", "score") and of_answers:
        given += surface_text("; for answers that are right or wrong, use `items`", "; or use `unconfuse items`")
    raise InputError(
        f"which column of {where} is the {role}? It has {_listed(names)}. Hint: {given}.{_no_header(names)}"
    )


def choose_roles(
    names: Sequence[str],
    given: Mapping[str, str | None],
    usual: Mapping[str, Sequence[str]],
    where: str,
    optional: Sequence[str] = (),
) -> dict[str, str]:
    """Columns by role, for questions whose roles are not those of `Data`: named, or guessed by their usual names.

    >>> choose_roles(["Q", "ok"], {"item": None, "correct": "ok", "run": None}, {"item": ["q"]}, "the frame")
    {'item': 'Q', 'correct': 'ok'}
    """
    _refuse_duplicates(names, where)
    found: dict[str, str] = {}
    for role, name in given.items():
        if name is not None and name not in names:
            raise InputError(f"{where} has no column {short_repr(name)}. {_offer(str(name), names)}")
        if name is not None:
            found[role] = name
        elif role in usual:
            try:
                found[role] = _guess(names, usual[role], role, where)
            except InputError:
                if role not in optional:
                    raise
    return found


def _no_header(names: Sequence[str]) -> str:
    def is_number(name: str) -> bool:
        return name.lstrip("-").replace(".", "", 1).isdigit()

    return " The first line must hold the column names." if any(map(is_number, names)) else ""


def _refuse_duplicates(names: Sequence[str], where: str) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError(f"{where} has more than one column named {short_repr(twice[0])}. Hint: rename one of them.")


def _offer(name: str, names: Sequence[str]) -> str:
    several = [each.strip() for each in name.split(",")]
    if len(several) > 1 and set(several) <= set(names):
        return f"Hint: {', '.join(map(short_repr, several))} are columns; name each by itself."
    shorter = [each if len(each) <= 60 else f"{each[:57]}..." for each in names]
    return did_you_mean(name[:1000], shorter[:2000])


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"the columns {', '.join(map(short_repr, names[:20]))}{more}" if names else "no columns"
