"""What the engine hands over: labels as small numbers, and slices of rows, kept or merged into tables as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._labels import ENOUGH, BinaryLabels, LabelSpec, both_classes, positives_among, stated_positive
from unconfuse._row_errors import SkippedRows, SkipReason
from unconfuse.ingest._duckdb_engine import Engine, Slice
from unconfuse.ingest._duckdb_readers import FileGroup, text
from unconfuse.ingest.bad_rows import Flags, bad_weights, split_bad_rows
from unconfuse.ingest.column_roles import UNITS, WEIGHTS
from unconfuse.ingest.sources.score_tables import push, total
from unconfuse.table.score_table import ScoreTable

_ROWS_AT_A_TIME = 1 << 24  # held as rows before they are collapsed
MISSING, OTHER, ROOM = 0, 255, 250
_LOOKED_AT = 20_000  # rows, to see what the labels are
_USUAL = ("0", "1", "-1", "0.0", "1.0", "-1.0", "false", "true", "False", "True")


@dataclass(frozen=True)
class LabelCodes:
    """Label number k is `texts[k - 1]`; 0 is a missing label, 255 any other label."""

    texts: Sequence[str]
    meant: frozenset[str]
    rows: Mapping[str, int] | None = None  # of every label, once all of them are known

    @property
    def complete(self) -> bool:
        """Whether there are no other labels."""
        return self.rows is not None

    def sql(self, part: FileGroup) -> str:
        """Return the SQL for the code of a row's label."""
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

    def settled(self, seen: npt.NDArray[np.int64], stated: LabelSpec) -> LabelCodes | BinaryLabels:
        """After a pass: what the labels mean, if it was right about them; else what to try next."""
        present = sorted(each for number, each in enumerate(self.texts, 1) if seen[number])
        if seen[OTHER] and not self.complete:
            return LabelCodes((), frozenset())
        counts = {each: int(seen[number]) for number, each in enumerate(self.texts, 1) if seen[number]}
        found, rows = (present, counts) if self.rows is None else (sorted(self.rows), self.rows)
        both = both_classes(found, stated, lambda: rows)
        now = frozenset(map(str, both.meant))
        return both if now & set(present) == self.meant & set(present) else replace(self, meant=now)


def first_guess(engine: Engine, parts: Sequence[FileGroup], stated: LabelSpec, *, lenient: bool) -> LabelCodes:
    """Labels of the first rows and the usual ones: as a rule there are no others."""
    found: set[str] = set()
    for part in parts[:1]:
        reader = part.reader(lenient=lenient)
        present = f"SELECT {part.column('label')} AS l FROM {reader} WHERE NOT {part.label_is_missing()}"
        query = f"{present} LIMIT {_LOOKED_AT}"
        texts_of = f"SELECT CAST(l AS VARCHAR) FROM ({query}) GROUP BY ALL LIMIT {ROOM}"
        found |= {each for (each,) in engine.fetch(texts_of) if each is not None}  # a damaged file may say: none is
    kinds = {part.label_type for part in parts}
    texts = sorted(found | set(_usual(engine, kinds)))[:ROOM]
    try:
        positive = stated_positive(sorted(found), stated)
        meant = positives_among(texts if positive is not None else sorted(found), positive)
    except InputError:
        return full(engine, parts, stated, lenient=lenient)
    usual = positives_among([each for each in _usual(engine, kinds) if each[0] != "-"]) if positive is None else []
    return LabelCodes(texts, frozenset(map(str, [*meant, *usual])))


def full(engine: Engine, parts: Sequence[FileGroup], stated: LabelSpec, *, lenient: bool) -> LabelCodes:
    """All labels that there are; those that are not meant need no code when there are very many."""
    each = " UNION ALL ".join(
        f"SELECT {part.name('label')} AS l FROM {part.reader(lenient=lenient)} WHERE NOT {part.label_is_missing()}"
        for part in parts
    )
    rows = dict(engine.fetch(f"SELECT l, count(*) FROM ({each}) GROUP BY l ORDER BY l"))
    rows.pop(None, None)
    both = both_classes(list(rows) if not stated.is_silent else list(rows)[:ENOUGH], stated, lambda: rows)
    meant = list(map(str, both.meant))
    return LabelCodes([*meant, *(label for label in rows if label not in meant)][:ROOM], frozenset(meant), rows)


def _usual(engine: Engine, kinds: set[str]) -> list[str]:
    """Return the usual labels as these types write them."""
    texts = ", ".join(f"({text(each)})" for each in _USUAL)
    queries = [f"SELECT CAST(TRY_CAST(u AS {kind}) AS VARCHAR) FROM (VALUES {texts}) AS t(u)" for kind in kinds]
    return sorted({row[0] for query in queries for row in engine.fetch(query) if row[0] is not None})


class BadRowError(Exception):
    """Some row cannot be used; whoever reads the files knows how to say which."""


class Aggregator:
    """Takes slices with the columns `label` (a code), `score 0`, ..., and perhaps `weight`, `text`, `rows` and names.

    Names (of groups, predicted classes and subgroups) are numbers, -1 where there is none. `is_meant` says which codes
    of labels are positive; without it there are several classes.
    """

    def __init__(self, is_meant: Flags | None, roles: Sequence[str], *, skip: bool, keep_rows: bool) -> None:
        self._is_meant, self._roles, self._skip, self._keep_rows = is_meant, roles, skip, keep_rows
        self._held: list[Slice] = []
        self._held_rows = 0
        self._tables: list[list[ScoreTable]] = [[] for _ in roles]
        self.seen = np.zeros(256, dtype=np.int64)
        self.skipped = SkippedRows()
        self.rows = 0
        self.has_fractions = False
        self.may_be_rounded = False  # whole numbers beyond 2^53 may have become ties

    def add(self, part: Slice) -> None:
        """One more slice."""
        rows = part.get("rows")
        self.rows += len(part["label"]) if rows is None else int(rows.sum())
        part = self._usable(part)
        if self._is_meant is not None:
            self.seen += np.bincount(part["label"], weights=part.get("rows"), minlength=256).astype(np.int64)
        if "weight" in part:
            self.has_fractions |= not np.array_equal(part["weight"], np.round(part["weight"]))
        self.may_be_rounded |= any(_is_huge(part[role]) for role in self._roles)
        self._held.append(part)
        self._held_rows += len(part["label"])
        if not self._keep_rows and self._held_rows >= _ROWS_AT_A_TIME:
            self._collapse()

    def tables(self) -> list[ScoreTable]:
        """One for each score column."""
        self._collapse()
        return [total(waiting) for waiting in self._tables]

    def columns(self) -> Slice:
        """All rows kept; positive or not in place of the code, of two classes."""
        if not self._held:
            return {}
        together = {name: np.concatenate([each[name] for each in self._held]) for name in self._held[0]}
        return together if self._is_meant is None else {**together, "label": self._is_meant[together["label"]]}

    def _usable(self, part: Slice) -> Slice:
        if not self._may_be_bad(part):
            return part
        if not self._skip:
            raise BadRowError
        keep, skipped = split_bad_rows(self._reasons(part), part.get("rows"))
        self.skipped = self.skipped.plus(skipped)
        return {name: column[keep] for name, column in part.items()}

    def _may_be_bad(self, part: Slice) -> bool:
        """Tell whether there may be bad rows: a sum with a non-finite term is not finite, which is cheap to check."""
        with np.errstate(over="ignore", invalid="ignore"):
            finite = all(np.isfinite(part[role].sum()) or np.isfinite(part[role]).all() for role in self._roles)
        good = finite and part["label"].all() and not part.get("text", part["label"][:0]).any()
        good = good and not any(bad_weights(part[role]).any() for role in WEIGHTS if role in part)
        return not good or any(
            bool((part[role] < 0).any()) for role in part if role.split()[0] in (*UNITS, "predicted")
        )

    def _reasons(self, part: Slice) -> dict[str, Flags]:
        scores = [part[role] for role in self._roles]
        predicted = [part[role] for role in part if role.startswith("predicted ")]
        nothing = np.zeros(len(part["label"]), dtype=np.bool_)
        return {
            SkipReason.LABEL: part["label"] == MISSING,
            SkipReason.TEXT: part["text"] > 0 if "text" in part else nothing,
            SkipReason.SCORE: np.logical_or.reduce([nothing, *(np.isnan(score) for score in scores)]),
            SkipReason.INFINITE: np.logical_or.reduce([nothing, *(np.isinf(score) for score in scores)]),
            SkipReason.PREDICTION: np.logical_or.reduce([nothing, *(each < 0 for each in predicted)]),
            SkipReason.WEIGHT: np.logical_or.reduce(
                [nothing, *(bad_weights(part[role]) for role in WEIGHTS if role in part)]
            ),
            SkipReason.GROUP: np.logical_or.reduce([nothing, *(part[role] < 0 for role in UNITS if role in part)]),
        }

    def _collapse(self) -> None:
        if not self._held:
            return
        together = self.columns()
        self._held, self._held_rows = [], 0
        weight = together.get("weight", together.get("rows"))
        for waiting, role in zip(self._tables, self._roles, strict=True):
            push(waiting, ScoreTable.from_rows(together["label"], together.pop(role), weight))


def _is_huge(scores: npt.NDArray[np.float64]) -> bool:
    return len(scores) > 0 and max(-float(scores.min()), float(scores.max())) >= 2.0**53
