"""A map in use: saved as JSON, read where probabilities are stated, applied to new ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unconfuse._errors import InputError, warn
from unconfuse._formatting import number_text, short_repr
from unconfuse._saved import SavedKind
from unconfuse._validate import as_builtin, as_floats, as_numbers, public_api
from unconfuse.recalibration.maps import OF_SEVERAL, OF_TWO, Form, Knots
from unconfuse.table import Array
from unconfuse.table.in_memory import why_rows_are_no_probabilities

FORMAT = "unconfuse recalibration"
SAVED = SavedKind(FORMAT, 1, "recalibration map", "`unconfuse calibration FILE --repair map.json`", "make it again")
_OUTSIDE = 0.05  # share of new probabilities, and three more, that may lie beyond those of the map without a word


@public_api
@dataclass(frozen=True, eq=False)
class ProbabilityMap:
    """A map from stated to mended probabilities.

    Attributes
    ----------
    form : Form
        The kind of map and its parameters.
    classes : tuple of str
        Of a yes-or-no question the positive class is the second.
    several : bool
        Whether a case has a probability for each class.
    positive_label : object
    clip : float or None
        Probabilities nearer to 0 or 1 than this are moved there first.
    n : float
        Cases that it was fitted to.
    lowest, highest : float
        Of the probabilities that it was fitted to.
    sentence : str
        What was said of it.
    """

    form: Form
    classes: tuple[str, ...]
    several: bool
    positive_label: object
    clip: float | None
    n: float
    lowest: float
    highest: float
    sentence: str = ""

    @property
    def kind(self) -> str:
        """Kind of the map, such as "logistic"."""
        return self.form.kind

    def __call__(self, p: Any) -> Array:
        """Mend new probabilities.

        Parameters
        ----------
        p : array_like
            Probabilities of the positive class, or two columns as `predict_proba` gives them; of several classes a
            column for each, in the order of `classes`, or a mapping or frame whose columns are named by the classes.
        """
        if self.several:
            return self.form.of_several(self._rows(p))
        given = _matrix(p)
        if given is not None and given.shape[1] == 2:
            mended = self._of_two(_checked_rows(given)[:, 1])
            return np.column_stack([1 - mended, mended])
        return self._of_two(as_numbers(as_builtin(p), "p"))

    def _of_two(self, p: Array) -> Array:
        if len(p) and not (p.min() >= 0 and p.max() <= 1):
            raise InputError(f"`p` must hold probabilities; they run from {p.min():g} to {p.max():g}, outside [0, 1].")
        self._mention_outside(p)
        return self.form.of_two(clipped(p, self.clip))

    def _rows(self, p: Any) -> Array:
        names = list(p) if isinstance(p, Mapping) else list(getattr(p, "columns", []))
        if names:
            found = {str(name): name for name in names}
            missing = [name for name in self.classes if name not in found]
            if missing:
                raise InputError(
                    f"`p` has no column {short_repr(missing[0])}. Hint: name the columns by the classes, or pass an "
                    "array "
                    f"with columns in this order: {', '.join(map(short_repr, self.classes[:8]))}."
                )
            p = np.column_stack([as_numbers(as_builtin(p[found[name]]), name) for name in self.classes])
        given = _matrix(p)
        if given is None or given.shape[1] != len(self.classes):
            got = f"shape {np.shape(p)}" if given is None else f"{given.shape[1]} columns"
            raise InputError(f"`p` must have a column for each of {len(self.classes)} classes; got {got}.")
        return clipped_rows(_checked_rows(given), self.clip)

    def _mention_outside(self, p: Array) -> None:
        outside = int(((p < self.lowest) | (p > self.highest)).sum())
        if outside > _OUTSIDE * len(p) + 3:
            ends = f"{number_text(self.lowest)} to {number_text(self.highest)}"
            warn(
                f"{outside} of {len(p)} probabilities lie outside the range of the cases that the map was fitted to, "
                f"{ends}. Check that the model is the same."
            )

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        knots = self.form.knots
        return {
            "kind": self.kind,
            "parameters": self.form.named(self.classes),
            "knots": None if knots is None else {"stated": list(knots.stated), "mended": list(knots.mended)},
            "classes": list(self.classes),
            "several": self.several,
            "positive_label": _label(self.positive_label),
            "clip": self.clip,
            "data": {"n": self.n, "lowest": self.lowest, "highest": self.highest},
            "sentence": self.sentence,
        }

    def save(self, path: Any) -> None:
        """Write the map as strict JSON, whole or not at all; `read_recalibration` reads it."""
        SAVED.text_of(self.as_dict(), path)

    def __repr__(self) -> str:
        return self.sentence or f"ProbabilityMap({self.kind})"


def _label(label: object) -> object:
    """Return a label that JSON can hold."""
    plainly = label.item() if isinstance(label, np.generic) else label
    return plainly if isinstance(plainly, str | int | float | bool | None) else str(plainly)


def _matrix(p: Any) -> Array | None:
    """Return two-dimensional numbers, or None of anything else."""
    values = as_builtin(p)
    try:
        found = np.asarray(values)
    except (TypeError, ValueError):
        return None
    return as_floats(found, "p") if found.ndim == 2 and found.shape[1] > 1 else None


def _checked_rows(p: Array) -> Array:
    why = "there are missing values" if np.isnan(p).any() else why_rows_are_no_probabilities(p) if len(p) else ""
    if why:
        raise InputError(f"`p` must hold rows of probabilities; {why}.")
    return p


def clipped(p: Array, clip: float | None) -> Array:
    """Move probabilities to where they are no nearer to 0 and 1 than this."""
    return p if clip is None else np.clip(p, clip, 1 - clip)


def clipped_rows(p: Array, clip: float | None) -> Array:
    """Raise probabilities of classes to at least this; rows add up to 1, whatever rounding left of that."""
    raised = p if clip is None else np.maximum(p, clip)
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


@public_api
def read_recalibration(source: Any) -> ProbabilityMap:
    """Read a map that `Recalibration.save` wrote, from a file, JSON text or a mapping.

    Examples
    --------
    >>> import tempfile, numpy as np, unconfuse as uc
    >>> rng = np.random.default_rng(0)
    >>> p = .02 + .96 * rng.random(300)
    >>> r = uc.recalibrate(rng.random(300) < p / 2, p)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     r.save(f"{folder}/map.json")
    ...     read = uc.read_recalibration(f"{folder}/map.json")
    >>> bool((read(p) == r(p)).all())
    True
    """
    return SAVED.read(source, _read)


def _read(content: Mapping[str, Any]) -> ProbabilityMap:
    classes, several, clip, data = (content[name] for name in ("classes", "several", "clip", "data"))
    if (
        not all(isinstance(class_name, str) for class_name in classes)
        or len(classes) < 2
        or not isinstance(several, bool)
    ):
        raise ValueError("classes")
    if clip is not None and not 0 < _number(clip, "clip") < 0.5:
        raise ValueError("clip")
    return ProbabilityMap(
        _form(content, tuple(classes), several),
        tuple(classes),
        several,
        content["positive_label"],
        None if clip is None else float(clip),
        n=_number(data["n"], "n"),
        lowest=_number(data["lowest"], "lowest"),
        highest=_number(data["highest"], "highest"),
        sentence=str(content["sentence"]),
    )


def _form(content: Mapping[str, Any], classes: tuple[str, ...], several: bool) -> Form:
    kind, named, knots = content["kind"], content["parameters"], content["knots"]
    if kind not in (OF_SEVERAL if several else OF_TWO):
        raise ValueError(f"kind is {short_repr(kind)}")
    if kind == "isotonic":
        ends = [[_number(each, side) for each in knots[side]] for side in ("stated", "mended")]
        rises = all(np.all(np.diff(end) >= 0) and end[0] >= 0 and end[-1] <= 1 for end in ends)
        if not ends[0] or len(ends[0]) != len(ends[1]) or not rises:
            raise ValueError("knots")
        return Form(kind, (), Knots(tuple(ends[0]), tuple(ends[1])))
    if not several:
        found = tuple(_number(named[name], name) for name in OF_TWO[kind])
        if any(each < 0 for each in found[1:]):
            raise ValueError("a slope below 0")
        return Form(kind, found)
    slope = (_number(named["slope"], "slope"),) if kind.startswith("temperature") else ()
    if slope and slope[0] < 0:
        raise ValueError("a slope below 0")
    own = tuple(_number(named["intercepts"][name], name) for name in classes) if kind.endswith("bias") else ()
    return Form(kind, slope + own)


def _number(saved: Any, name: str) -> float:
    if isinstance(saved, bool) or not isinstance(saved, int | float) or not math.isfinite(saved):
        raise ValueError(f"{name} is {short_repr(saved, 40)}")
    return float(saved)
