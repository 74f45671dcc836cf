"""What a gate remembers from look to look: a small JSON file, written whole or not at all."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from unconfuse._atomic_files import write_atomically
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import plain_json, read_json, short_repr
from unconfuse._schemas import problem_of
from unconfuse._validate import as_floats
from unconfuse.policy import Verdict
from unconfuse.results.gate import GateCheck
from unconfuse.table.looks import Looks, check_looks
from unconfuse.uncertainty import Estimate

FORMAT, VERSION = "unconfuse gate state", 1
_KEPT = 64  # fingerprints of cases, those with the smallest values: enough to notice another model or cases left out
_LOOK = {
    "type": "object",
    "required": ["cases", "verdict", "limits"],
    "properties": {
        "cases": {"type": "number", "minimum": 1},
        "verdict": {"type": "string"},
        "limits": {"type": "object"},
    },
}
_RULE: Mapping[str, Any] = {
    "type": "object",
    "required": ["format", "version", "question", "looks", "cases"],
    "properties": {
        "format": {"const": FORMAT},
        "version": {"const": VERSION},
        "question": {"type": "object"},
        "looks": {"type": "array", "items": _LOOK},
        "cases": {"type": "array", "items": {"type": "string"}},
    },
}


@dataclass
class GateState:
    """The looks so far of one gate.

    Intervals that hold at every look hold together: the difference lies in all of them, so each look narrows what the
    earlier ones left.
    """

    path: str
    question: Mapping[str, Any]
    fingerprints: list[str]
    cases: int
    earlier: list[dict[str, Any]] = field(default_factory=list)
    limits: dict[str, tuple[float, float]] = field(default_factory=dict)
    contradicting: list[str] = field(default_factory=list)

    @property
    def look(self) -> int:
        """Number of this look."""
        return len(self.earlier) + 1

    @property
    def looks(self) -> Looks:
        """The looks, with those so far."""
        whole = check_looks(self.question["looks"])
        assert whole is not None
        sizes = (*(float(each["cases"]) for each in self.earlier), float(self.cases))
        return replace(whole, one_sided=True).at_look(sizes)

    def narrowed(self, name: str, found: Estimate) -> Estimate:
        """Return an estimate with the interval that all looks so far leave; as it is where they contradict."""
        if found.undefined is not None or math.isnan(found.low):
            low, high = self._earlier(name)
            self.limits[name] = low, high
            return found
        low, high = max(self._earlier(name)[0], found.low), min(self._earlier(name)[1], found.high)
        if low > high:
            self.contradicting.append(name)
            self.limits[name] = found.low, found.high
            return found
        self.limits[name] = low, high
        ends = min(low, found.value), max(high, found.value)  # earlier looks may exclude what this one shows
        if ends == (found.low, found.high):
            return found
        return replace(found, low=ends[0], high=ends[1], recompute=None, method=found.method + ", all looks so far")

    @property
    def decided(self) -> tuple[Verdict | None, str]:
        """Return the first verdict of the earlier looks and when it was reached; nothing if there was none."""
        for place, each in enumerate(self.earlier):
            if each["verdict"] in (Verdict.PASS, Verdict.WORSE):
                return Verdict(each["verdict"]), f"decided at look {place + 1} ({each['cases']:,.10g} cases)"
        return None, ""

    def doubted(self, checks: Sequence[GateCheck]) -> list[GateCheck]:
        """Return the checks, without a verdict where looks contradict each other: something has changed."""
        told = "Earlier looks exclude all of this interval: the difference has changed over time, or the cases have."
        return [
            replace(check, verdict=Verdict.CANNOT_TELL, sentence=f"{check.sentence} {told}")
            if {check.name, f"{check.name}: new - old"} & set(self.contradicting)
            else check
            for check in checks
        ]

    def _earlier(self, name: str) -> tuple[float, float]:
        """Return the limits that the look before left; all numbers without one."""
        if not self.earlier:
            return -math.inf, math.inf
        ends = self.earlier[-1]["limits"].get(name, [None, None])
        low, high = ends
        return (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))

    def save(self, verdict: str) -> None:
        """Write this look down with the earlier ones."""
        limits = {name: [end if math.isfinite(end) else None for end in ends] for name, ends in self.limits.items()}
        looks = [*self.earlier, {"cases": self.cases, "verdict": verdict, "limits": limits}]
        content = {"format": FORMAT, "version": VERSION, "question": dict(self.question), "looks": looks}
        write_atomically(self.path, json.dumps(plain_json(content | {"cases": self.fingerprints}), indent=1) + "\n")


def state_of(path: Any, question: Mapping[str, Any], y: Any, scores: Mapping[str, Any]) -> GateState:
    """Return what a gate remembers; refused if it was begun with another question, another model or other cases."""
    if not isinstance(path, str | os.PathLike):
        raise ArgumentError(f"`state` must be the path of a file; got {short_repr(path)}.")
    place = os.fspath(path)
    if not place:
        raise ArgumentError("`state` must be the path of a file; got an empty text.")
    asked, known = plain_json(dict(question)), fingerprints(y, scores)
    new = GateState(place, asked, known[:_KEPT], len(known))
    if not _exists(place):
        return new
    found = _read(place)
    for name, value in asked.items():
        if found["question"].get(name) != value:
            raise InputError(
                f"{place} was begun with another `{name}`: {_told(found['question'].get(name))}; got {_told(value)}. "
                "Hint: ask as before, or begin a new file."
            )
    return _continued(new, found, set(known))


def _exists(place: str) -> bool:
    try:
        return Path(place).exists()
    except (OSError, ValueError) as error:  # a name that is too long, or holds what no name may
        reason = getattr(error, "strerror", None) or error
        raise ArgumentError(
            f"`state` must be the path of a file: {str(reason).lower()}. Hint: a shorter name."
        ) from None


def _continued(new: GateState, found: Mapping[str, Any], known: set[str]) -> GateState:
    """Add the earlier looks; cases that were seen then must still be here, with the same label and scores."""
    missing = [each for each in found["cases"] if each not in known]
    earlier = list(found["looks"])
    if missing or (earlier and new.cases < earlier[-1]["cases"]):
        raise InputError(
            f"{new.path} was begun with other cases or another model: of {len(found['cases'])} cases that it knows, "
            f"{len(missing)} are not here with the same label and scores. Hint: give all cases so far, earlier ones "
            "included; begin a new file for another model."
        )
    if earlier and earlier[-1]["cases"] == new.cases:
        earlier.pop()  # the same cases again: this is no further look
    new.earlier = earlier
    return new


def _read(path: str) -> dict[str, Any]:
    try:
        content = read_json(Path(path).read_bytes())
        problem = problem_of(content, _RULE, "the file")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not the state of a gate: {error}. Hint: begin a new file.") from None
    if problem is not None:
        raise InputError(f"{path} is not the state of a gate: {problem}. Hint: begin a new file.")
    return dict(content)


def _told(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)


def fingerprints(y: Any, scores: Mapping[str, Any]) -> list[str]:
    """Return a number for each case from its label and scores, smallest first: the same whatever the order of rows.

    Scores of several classes are a matrix with a column for each.

    >>> one = fingerprints([1, 0], {"new": [.5, .2]})
    >>> one == fingerprints([0, 1], {"new": [.2, .5]}), one == fingerprints([1, 0], {"new": [.5, .3]})
    (True, False)
    """
    labels, code = np.unique(np.asarray(y).astype(str), return_inverse=True)
    mixed = np.array([_hashed(each) for each in labels.tolist()], dtype=np.uint64)[code.ravel()]
    for name in sorted(scores):
        given = as_floats(scores[name], name)
        for column in given.reshape(len(given), -1).T:
            bits = np.ascontiguousarray(column + 0.0).view(np.uint64)  # -0 is 0
            mixed = _mixed(mixed ^ _mixed(bits ^ np.uint64(_hashed(name))))
    return [f"{each:016x}" for each in np.sort(mixed).tolist()]


def _hashed(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def _mixed(values: np.ndarray[Any, np.dtype[np.uint64]]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return the finaliser of SplitMix64: every bit of the input moves half of the output."""
    with np.errstate(over="ignore"):
        x = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))
