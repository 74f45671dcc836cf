"""Labels as small numbers: compared inside the engine, so that no text leaves it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import both_classes, positives_among
from unconfuse.ingest._engine import Engine
from unconfuse.ingest._parts import Part
from unconfuse.ingest._sql import text
from unconfuse.ingest.data import Data

MISSING, OTHER, ROOM = 0, 255, 250
_LOOKED_AT = 20_000  # rows, to see what the labels are
_USUAL = ("0", "1", "-1", "0.0", "1.0", "-1.0", "false", "true", "False", "True")


@dataclass(frozen=True)
class Codes:
    """Label number k is `texts[k - 1]`; 0 is a missing label, 255 any other label."""

    texts: Sequence[str]
    meant: frozenset[str]
    complete: bool = False

    def sql(self, part: Part) -> str:
        """The code of a row's label."""
        column, kind = part.column("label"), part.label_type
        cases = " ".join(
            f"WHEN {column} = {text(each) if kind == 'VARCHAR' else f'TRY_CAST({text(each)} AS {kind})'} THEN {number}"
            for number, each in enumerate(self.texts, 1)
        )
        return f"CAST(CASE {cases} WHEN {part.label_is_missing()} THEN {MISSING} ELSE {OTHER} END AS UTINYINT)"

    def is_meant(self) -> npt.NDArray[np.bool_]:
        """Which of the 256 codes are positive."""
        flags = np.zeros(256, dtype=np.bool_)
        flags[[number for number, each in enumerate(self.texts, 1) if each in self.meant]] = True
        return flags

    def settled(self, seen: npt.NDArray[np.int64], data: Data) -> Codes | Question:
        """After a pass: what the labels mean, if it was right about them; else what to try next."""
        present = sorted(each for number, each in enumerate(self.texts, 1) if seen[number])
        if seen[OTHER] and not self.complete:
            return Codes((), frozenset())
        found = present if not self.complete else sorted(self.texts)
        meant, classes = both_classes(found, data.positive, data.classes)
        now = frozenset(map(str, meant))
        if now & set(present) == self.meant & set(present):
            return Question(meant[0] if meant else 1, classes)
        return Codes(self.texts, now, self.complete)


class Question(NamedTuple):
    """The positive label, and the names of both classes."""

    positive: object
    classes: tuple[str, str]


def first_guess(engine: Engine, parts: Sequence[Part], positive: object, *, lenient: bool) -> Codes:
    """Labels of the first rows and the usual ones: as a rule there are no others."""
    found: set[str] = set()
    for part in parts[:1]:
        reader = part.reader(lenient=lenient)
        present = f"SELECT {part.column('label')} AS l FROM {reader} WHERE NOT {part.label_is_missing()}"
        query = f"{present} LIMIT {_LOOKED_AT}"
        found |= {row[0] for row in engine.fetch(f"SELECT CAST(l AS VARCHAR) FROM ({query}) GROUP BY ALL LIMIT {ROOM}")}
    kinds = {part.label_type for part in parts}
    texts = sorted(found | set(_usual(engine, kinds)))[:ROOM]
    try:
        meant = positives_among(texts if positive is not None else sorted(found), positive)
    except InputError:
        return full(engine, parts, positive, lenient=lenient)
    usual = positives_among([each for each in _usual(engine, kinds) if each[0] != "-"]) if positive is None else []
    return Codes(texts, frozenset(map(str, [*meant, *usual])))


def full(engine: Engine, parts: Sequence[Part], positive: object, *, lenient: bool) -> Codes:
    """All labels that there are; those that are not meant need no code when there are very many."""
    each = " UNION ".join(
        f"SELECT {part.name('label')} AS l FROM {part.reader(lenient=lenient)} WHERE NOT {part.label_is_missing()}"
        for part in parts
    )
    found = [row[0] for row in engine.fetch(f"SELECT l FROM ({each}) GROUP BY l ORDER BY l")]
    meant = [str(label) for label in positives_among(found if positive is not None else found[:101], positive)]
    others = [label for label in found if label not in meant]
    return Codes([*meant, *others][:ROOM], frozenset(meant), complete=True)


def _usual(engine: Engine, kinds: set[str]) -> list[str]:
    """The usual labels as these types write them."""
    usual: set[str] = set()
    for kind in kinds:
        if kind == "VARCHAR":
            usual |= set(_USUAL)
        elif kind == "BOOLEAN":
            usual |= {"false", "true"}
        else:
            query = f"SELECT CAST(TRY_CAST(u AS {kind}) AS VARCHAR) FROM (VALUES ('0'), ('1'), ('-1')) AS t(u)"
            usual |= {row[0] for row in engine.fetch(query) if row[0] is not None}
    return sorted(usual)
