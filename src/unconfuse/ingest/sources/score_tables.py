"""Score tables as a source: rows that were added up before, for one set of cases, for each subgroup, or in pieces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr
from unconfuse._labels import LabelSpec, both_classes
from unconfuse._validate import by_text, check_list, check_number, check_whole, public_api, warn_skipped
from unconfuse.ingest.column_roles import ONLY_MODEL
from unconfuse.ingest.data import Data, ReadRequest, reject_options
from unconfuse.ingest.grouping import MOST_SITES, one_site, reject_many
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.sample import Sample
from unconfuse.table.score_table import ScoreTable

KNOWN = frozenset(("source", "positive", "classes", "bins"))


def recognises(data: Data) -> bool:
    """Tell whether the source is a score table, or maps subgroups to theirs, as an engine grouping rows would give."""
    given = data.source
    if isinstance(given, Mapping):
        return bool(given) and all(isinstance(each, ScoreTable) for each in given.values())
    return isinstance(given, ScoreTable)


def read(data: Data, needs: ReadRequest) -> AggregatedSample:
    """Return the table, named as its labels were.

    Examples
    --------
    >>> import numpy as np
    >>> women = ScoreTable.from_rows(np.array([True, False]), np.array([.9, .2]))
    >>> found = read(Data({"F": women, "M": women}, by="sex"), ReadRequest())
    >>> found, found.by, list(found.by_subgroup())
    (AggregatedSample(4 cases, 2 positive, models: score), ('sex',), ['F', 'M'])
    """
    reject_options(data, KNOWN | {"by", "site"}, "a score table has neither rows nor columns")
    if needs.rows:
        raise no_rows("a score table")
    if isinstance(data.source, ScoreTable):
        if data.site is not None:
            raise ArgumentError(
                "a score table has no rows to divide into sites. Hint: pass one table for each site, as in "
                "evaluate({'north': table_north, 'south': table_south}, site='hospital')."
            )
        if data.by is not None:
            raise ArgumentError(
                "a score table has no rows to divide. Hint: give one table for each subgroup, as in "
                "evaluate({'F': table_of_women, 'M': table_of_men})."
            )
        return of_table(data.source, data)
    if data.site is not None:
        return of_sites(by_text(data.source, "sites"), data)
    parts = {name: of_table(table, data) for name, table in by_text(data.source, "subgroups").items()}
    columns = ("subgroup",) if data.by is None else (data.by,) if isinstance(data.by, str) else tuple(map(str, data.by))
    reject_many(len(parts), int(sum(part.n for part in parts.values())), columns)
    whole = of_table(merge_all(data.source.values()), data)
    return whole.derive(divided=parts, by=columns)


def of_sites(tables: Mapping[str, ScoreTable], data: Data, stated: object = None) -> AggregatedSample:
    """Return a sample of all tables together that knows which site each comes from."""
    if data.by is not None:
        raise ArgumentError("`site` and `by` both say what each table is. Hint: give one of them.")
    if data.site is not None and not isinstance(data.site, str):
        raise ArgumentError(
            "`site` says what the tables are called, such as 'hospital'; got values. Hint: give a name."
        )
    parts = {name: of_table(table, data, stated) for name, table in tables.items()}
    if len(parts) < 2:
        raise one_site(next(iter(parts)))
    reject_many(len(parts), int(sum(part.n for part in parts.values())), ("site",), MOST_SITES)
    return of_table(merge_all(tables.values()), data, stated).derive(placed=parts)


def of_table(table: ScoreTable, data: Data, stated: object = None) -> AggregatedSample:
    """Return a sample of one table; labels have names at most: as `stated` where it was saved, or as given."""
    positive = data.positive if stated is None else stated
    if stated is not None and data.positive is not None and str(data.positive) != str(stated):
        raise InputError(
            f"the positive label of the table is {short_repr(stated)}; got `positive={short_repr(data.positive)}`. "
            "Hint: leave it out."
        )
    aggregated_sample = AggregatedSample.of_table(table.nonempty_rows, ONLY_MODEL)
    if positive is None and data.classes is None:
        return aggregated_sample
    named = [positive] if data.classes is None else list(data.classes)
    both = both_classes(named, LabelSpec(positive, classes=data.classes))
    return aggregated_sample.derive(classes=both.classes, positive_label=both.positive)


def no_rows(what: str) -> InputError:
    """Return the refusal of tables where cases must be told apart."""
    return InputError(f"{what} holds no rows, and this needs them. Hint: give the data that the table was made from.")


def in_bins(sample: Sample, bins: int, needs: ReadRequest) -> AggregatedSample:
    """Return the same cases, known by tables of about so many blocks of scores; counts at the edges stay exact."""
    if needs.rows or sample.is_multiclass or sample.is_clustered or not sample.has_scores:
        why = (
            "there are several classes"
            if sample.is_multiclass
            else "there are predicted labels only"
            if not sample.has_scores
            else "rows are needed here, which are exact"
            if needs.rows
            else "tables do not know which cases belong together"
        )
        raise InputError(f"`bins` makes tables of blocks of scores, but {why}. Hint: leave it out.")

    def small(part: Sample) -> AggregatedSample:
        tables = {model: (joined(part.table(model)),) for model in part.models}
        return _without_rows(part).derive(tables=tables)

    def joined(table: ScoreTable) -> ScoreTable:
        is_small = not table.is_exact and len(table) <= bins
        return table if is_small else table.coarsen(bins, edges=needs.edges)

    def smaller(parts: Mapping[str, Sample]) -> dict[str, Sample]:
        return {name: small(part).derive(folded=smaller(part.by_fold())) for name, part in parts.items()}

    divided, folded, placed = map(smaller, (sample.by_subgroup(), sample.by_fold(), sample.site_parts()))
    return small(sample).derive(divided=divided, by=sample.by, folded=folded, placed=placed)


def _without_rows(sample: Sample) -> AggregatedSample:
    """Return what is known of the cases besides their tables."""
    if isinstance(sample, AggregatedSample):
        return sample
    assert isinstance(sample, InMemorySample)
    shared: dict[str, Any] = {
        name: getattr(sample, name) for name in ("classes", "thresholds", "positive_label", "skipped")
    }
    return AggregatedSample(**shared, is_weighted=sample.is_weighted, has_fractions=sample.has_fractions)


def merge_all(tables: Iterable[ScoreTable]) -> ScoreTable:
    """Merge tables into one of all rows. Those of about equal size are merged first, so that no row is copied often.

    Examples
    --------
    >>> import numpy as np
    >>> one = ScoreTable(np.array([0.5]), np.array([1.0]), np.array([2.0]))
    >>> merge_all([one] * 1000).n
    3000.0
    """
    waiting: list[ScoreTable] = []
    for table in tables:
        push(waiting, table)
    return total(waiting)


def push(waiting: list[ScoreTable], table: ScoreTable) -> None:
    """Put one more table on the pile, and merge from the top while the one below is not much larger."""
    waiting.append(table)
    while len(waiting) > 1 and len(waiting[-2]) <= 2 * len(waiting[-1]):
        last = waiting.pop()
        waiting[-1] = waiting[-1].merge(last)


def total(waiting: list[ScoreTable]) -> ScoreTable:
    """All tables of the pile merged, the smallest first."""
    score_table = ScoreTable.empty()
    for table in reversed(waiting):
        score_table = table.merge(score_table) if len(score_table) else table
    return score_table


@public_api
class TableBuilder:
    """Collects rows or tables piece by piece; `table` is the score table of all of them.

    Pieces are merged like the digits of a binary counter, so that k pieces of together n rows cost about n log k. With
    `bins`, the table never grows beyond a few times so many rows, however many scores there are, and is binned.

    Parameters
    ----------
    bins : int, optional
        Keep the table this small (see `ScoreTable.coarsen`). By default it stays exact.
    edges : floats
        Thresholds at which counts stay exact although the table is binned.

    Examples
    --------
    >>> import unconfuse as uc
    >>> day = uc.TableBuilder()
    >>> for labels, scores in [([1, 0], [.9, .4]), ([0, 0], [.2, .4]), ([1], [.7])]:
    ...     day.add(labels, scores)
    >>> day.table
    ScoreTable(4 distinct scores, 2 positives of 5)
    >>> print(uc.evaluate(day.table, metrics=["auroc"])["auroc"].value)
    1.0
    """

    def __init__(self, *, bins: int | None = None, edges: Iterable[float] = ()) -> None:
        self._bins = None if bins is None else check_whole(bins, "bins", at_least=1)
        self._edges = tuple(check_number(each, "edges") for each in check_list(edges, "edges"))
        self._waiting: list[ScoreTable] = []

    def add(self, y: Any, s: Any = None, **words: Any) -> None:
        """One more piece: whatever `score_table` takes, or a table."""
        from unconfuse.ingest import Data, read

        sample = read(Data(y, s, **words))
        warn_skipped(sample.skipped)
        push(self._waiting, self._small(sample.table(), room=4))
        self._waiting[-1] = self._small(self._waiting[-1], room=4)

    @property
    def table(self) -> ScoreTable:
        """The table of all rows so far."""
        return self._small(total(self._waiting), room=1)

    def _small(self, table: ScoreTable, room: int) -> ScoreTable:
        """Pieces are kept finer than the result, so that little is lost when their blocks are united."""
        if self._bins is None or len(table) <= room * self._bins:
            return table
        return table.coarsen(room * self._bins // 2 if room > 1 else self._bins, edges=self._edges)

    def __repr__(self) -> str:
        return f"TableBuilder({sum(score_table.n for score_table in self._waiting):g} cases so far)"
