"""Slices of rows, checked and either kept as rows or collapsed and merged into score tables as they come."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from unconfuse._validate import (
    BAD_WEIGHT,
    INFINITE_SCORE,
    MISSING_GROUP,
    MISSING_LABEL,
    MISSING_SCORE,
    NOT_A_NUMBER,
    Skipped,
)
from unconfuse.ingest._codes import MISSING
from unconfuse.ingest._stream import Slice
from unconfuse.ingest.screening import Flags, bad_weights, first_reasons
from unconfuse.table import ScoreTable

_ROWS_AT_A_TIME = 1 << 24  # held as rows before they are collapsed


class BadRowError(Exception):
    """Some row cannot be used; whoever reads the files knows how to say which."""


class Adding:
    """Takes slices with the columns `label` (a code), `score 0`, ..., and perhaps `weight`, `group`, `text`, `rows`."""

    def __init__(self, is_meant: npt.NDArray[np.bool_], roles: Sequence[str], *, skip: bool, keep_rows: bool) -> None:
        self._is_meant, self._roles, self._skip, self._keep_rows = is_meant, roles, skip, keep_rows
        self._held: list[Slice] = []
        self._held_rows = 0
        self._tables = [_Merging() for _ in roles]
        self.seen = np.zeros(256, dtype=np.int64)
        self.skipped = Skipped()
        self.rows = 0
        self.has_fractions = False

    def add(self, part: Slice) -> None:
        """One more slice."""
        rows = part.get("rows")
        self.rows += len(part["label"]) if rows is None else int(rows.sum())
        part = self._usable(part)
        self.seen += np.bincount(part["label"], weights=part.get("rows"), minlength=256).astype(np.int64)
        if "weight" in part:
            self.has_fractions |= not np.array_equal(part["weight"], np.round(part["weight"]))
        self._held.append(part)
        self._held_rows += len(part["label"])
        if not self._keep_rows and self._held_rows >= _ROWS_AT_A_TIME:
            self._collapse()

    def tables(self) -> list[ScoreTable]:
        """One for each score column."""
        self._collapse()
        return [each.merged() for each in self._tables]

    def columns(self) -> Slice:
        """All rows kept; positive or not in place of the code."""
        if not self._held:
            return {}
        together = {name: np.concatenate([each[name] for each in self._held]) for name in self._held[0]}
        return {**together, "label": self._is_meant[together["label"]]}

    def _usable(self, part: Slice) -> Slice:
        if not self._may_be_bad(part):
            return part
        if not self._skip:
            raise BadRowError
        bad = first_reasons(self._reasons(part))
        keep = ~np.logical_or.reduce(list(bad.values()))
        rows = part.get("rows", np.ones(len(keep)))
        self.skipped = self.skipped.plus(Skipped.of({reason: int(rows[which].sum()) for reason, which in bad.items()}))
        return {name: column[keep] for name, column in part.items()}

    def _may_be_bad(self, part: Slice) -> bool:
        """A sum is not finite if one of its terms is not: cheaper than a look at every reason."""
        with np.errstate(over="ignore", invalid="ignore"):
            finite = all(np.isfinite(part[role].sum()) or np.isfinite(part[role]).all() for role in self._roles)
        good = finite and part["label"].all() and not part.get("text", part["label"][:0]).any()
        if good and "weight" in part:
            good = not bad_weights(part["weight"]).any()
        return not good or ("group" in part and bool((part["group"] < 0).any()))

    def _reasons(self, part: Slice) -> dict[str, Flags]:
        scores = [part[role] for role in self._roles]
        nothing = np.zeros(len(part["label"]), dtype=np.bool_)
        return {
            MISSING_LABEL: part["label"] == MISSING,
            NOT_A_NUMBER: part["text"] > 0 if "text" in part else nothing,
            MISSING_SCORE: np.logical_or.reduce([np.isnan(each) for each in scores]),
            INFINITE_SCORE: np.logical_or.reduce([np.isinf(each) for each in scores]),
            BAD_WEIGHT: bad_weights(part["weight"]) if "weight" in part else nothing,
            MISSING_GROUP: part["group"] < 0 if "group" in part else nothing,
        }

    def _collapse(self) -> None:
        if not self._held:
            return
        together = self.columns()
        self._held, self._held_rows = [], 0
        weight = together.get("weight", together.get("rows"))
        for table, role in zip(self._tables, self._roles, strict=True):
            table.add(ScoreTable.of_rows(together["label"], together.pop(role), weight))


class _Merging:
    """Tables merged two by two of about the same size, so that many of them cost little more than the last merge."""

    def __init__(self) -> None:
        self._waiting: list[ScoreTable] = []

    def add(self, table: ScoreTable) -> None:
        self._waiting.append(table)
        while len(self._waiting) > 1 and len(self._waiting[-2]) <= 2 * len(self._waiting[-1]):
            last = self._waiting.pop()
            self._waiting[-1] = self._waiting[-1].merge(last)

    def merged(self) -> ScoreTable:
        while len(self._waiting) > 1:
            last = self._waiting.pop()
            self._waiting[-1] = self._waiting[-1].merge(last)
        return self._waiting[0] if self._waiting else ScoreTable.empty()
