"""Score tables of several models over the same rows, for sources whose rows stay where they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from unconfuse._validate import NOTHING_SKIPPED, Skipped
from unconfuse.table import ScoreTable


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """What remains of rows when no row is needed: one table for each model.

    Answers as `Scores` does (`table`, `models`, `positive_label`, `skipped`), for all that need no rows.
    """

    tables: Mapping[str, ScoreTable]
    positive_label: object = 1
    skipped: Skipped = NOTHING_SKIPPED
    has_fractions: bool = False

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models."""
        return tuple(self.tables)

    def table(self, model: str | None = None) -> ScoreTable:
        """The score table of one model (of the only one, if there is one)."""
        return self.tables[self.models[0] if model is None else model]

    def __repr__(self) -> str:
        first = self.table()
        return f"Tables({first.n:g} cases, {first.n_positives:g} positive, models: {', '.join(self.models)})"


@dataclass(frozen=True, eq=False, repr=False)
class DividedTables(Tables):
    """The same for the only model, and the table of each subgroup.

    Attributes
    ----------
    parts : mapping of subgroup to ScoreTable
    columns : tuple of str
        What divides the rows.
    """

    parts: Mapping[str, ScoreTable] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
