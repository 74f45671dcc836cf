"""A sample whose rows stay on a Spark cluster: it adds up products, patterns of labels and resamples when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from unconfuse._errors import InputError
from unconfuse._formatting import short_repr
from unconfuse.ingest import _spark_executor
from unconfuse.ingest import _spark_sql as sql
from unconfuse.ingest._spark_driver import JointScoreCounts
from unconfuse.ingest._spark_session import asked, by_value
from unconfuse.ingest._spark_tables import in_bins
from unconfuse.ingest.column_roles import ColumnRoles
from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.counts import Array
from unconfuse.table.in_memory import InMemorySample, blocks_of, products_of
from unconfuse.table.sample import JointCounts, Worth
from unconfuse.table.sampling import Clustered, Sampling, Survey

_CHUNK = 100  # resamples that are added up together


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class SparkSample(AggregatedSample):
    """Cases on a cluster.

    `frame` holds the prepared rows (see `ingest._spark_sql`), `edges` say where each model's bins begin, if there are
    bins, `together` is how scores occur together, if that came to the driver, and `constants` are models that give all
    cases the same score.
    """

    frame: Any = None
    chosen: ColumnRoles = field(default_factory=ColumnRoles)
    together: JointScoreCounts | None = None
    edges: list[Array] | None = None
    constants: frozenset[str] = frozenset()

    @cached_property
    def n_groups(self) -> int:
        if not self.is_clustered:
            return 0
        found = asked(self.frame, "SELECT count(DISTINCT unit) AS n FROM {rows}", rows=self.frame)
        return int(found["n"][0])

    def _drawn_by(self) -> Sampling:
        if not self.is_clustered:
            return super()._drawn_by()
        kind = Survey if self.is_sampled else Clustered
        return kind(self.fixed_classes, count=lambda: self.n_groups)

    @property
    def is_clustered(self) -> bool:
        """Whether cases belong to groups; nothing is counted to know it."""
        return self.chosen.group is not None

    def with_constants(self, scores: Mapping[str, float]) -> SparkSample:
        if not scores:
            return self
        added = [
            f"{sql.number(score if kind == 's' or self.edges is None else 0.0)} AS {kind}{len(self.models) + place}"
            for place, score in enumerate(scores.values())
            for kind in ("s", "k")
        ]
        return self.derive(
            tables=super().with_constants(scores).tables,
            frame=self.frame.selectExpr("*", *added),
            together=None if self.together is None else self.together.with_constants(scores),
            constants=self.constants | set(scores),
        )

    def joint_counts(self) -> JointCounts:
        joint_counts = self._patterns_there() if self.together is None else self._cases.joint_counts()
        order = np.lexsort([joint_counts.is_positive, *(joint_counts.labelled[model] for model in self.models)])
        return JointCounts(
            joint_counts.is_positive[order],
            {model: joint_counts.labelled[model][order] for model in self.models},
            joint_counts.weight[order],
            None if joint_counts.squares is None else joint_counts.squares[order],
        )

    def n_different(self, first: str, second: str, what: str) -> float:
        if self.together is not None and not self.is_clustered:
            return self._cases.n_different(first, second, what)
        columns = [f"s{self.models.index(model)}" for model in (first, second)]
        if what == "labels":
            cuts = (sql.number(self.thresholds[model]) for model in (first, second))
            columns = [f"({column} >= {cut})" for column, cut in zip(columns, cuts, strict=True)]
        counted = "count(DISTINCT unit)" if self.is_clustered else "count(*)"
        if self.is_weighted and not (self.is_clustered or self.is_sampled):
            counted = "coalesce(sum(w), 0)"
        found = asked(self.frame, f"SELECT {counted} AS n FROM {{rows}} WHERE {' <> '.join(columns)}", rows=self.frame)
        return float(found["n"][0])

    def cross_products(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        if self.together is None:
            return self._products_there(worth)
        cases = self._cases
        blocks = {model: blocks_of(self.table(model), *cases.places(model)) for model in worth}
        counted = cases.weight if cases.squares is None else cases.squares
        return products_of(worth, blocks, cases.is_positive, counted)

    @cached_property
    def _cases(self) -> InMemorySample:
        """Cases of which all scores are on the driver."""
        assert self.together is not None
        return self.together.cases(self.models, self.thresholds)

    def _patterns_there(self) -> JointCounts:
        query = sql.label_patterns([self.thresholds[model] for model in self.models], weighted=self.is_weighted)
        found = asked(self.frame, query, rows=self.frame)
        return JointCounts(
            found["positive"].astype(bool),
            {model: found[f"l{place}"].astype(bool) for place, model in enumerate(self.models)},
            found["weight"],
            found["squares"] if self.is_sampled else None,
        )

    def _products_there(self, worth: Mapping[str, Worth]) -> Mapping[str, tuple[Array, Array]]:
        """Each model's table is joined back to the rows."""
        names, size = list(next(iter(worth.values()))), len(self.models)
        query = sql.products(size, len(names), weighted=self.is_weighted, sampled=self.is_sampled)
        joined = {f"worth{place}": self._worth(place, worth[model], names) for place, model in enumerate(self.models)}
        found = asked(self.frame, query, rows=in_bins(self.frame, self.edges), **joined)
        return {
            name: (_matrix(found, True, place, size), _matrix(found, False, place, size))
            for place, name in enumerate(names)
        }

    def replicates(self, lowest: Mapping[str, Array], n_resamples: int, seed: int) -> Mapping[str, tuple[Array, Array]]:
        """Resampled weights of both classes in bands of scores, for each model: two arrays (n_resamples, bands).

        A band begins at each of the `lowest` scores (descending) and ends below the one before. Each case, or each
        group, counts as often as a number hashed from it and the seed says.
        """
        edges = [np.ascontiguousarray(lowest[model][:-1][::-1]) for model in self.models]
        count = _spark_executor.resampling(edges, n_resamples, seed, _CHUNK, not self._has_units)
        shape = "chunk int, sums binary"
        partial = self._drawn().mapInArrow(by_value(count), shape)
        summed = partial.groupBy("chunk").applyInArrow(by_value(_spark_executor.adding()), shape)
        found = asked(self.frame, "SELECT * FROM {summed}", summed=summed)
        return _replicates(found, self.models, edges, n_resamples)

    @property
    def _has_units(self) -> bool:
        return self.chosen.unit is not None

    def _drawn(self) -> Any:
        """Return what is drawn: whole groups with their rows' weights, or single cases."""
        scores = [f"s{model}" for model in range(len(self.models))]
        if self.is_sampled:
            raise InputError(
                "metrics without a formula are resampled row by row where weights say how rows were sampled. Hint: "
                "choose metrics such as auroc, average_precision, brier and those of decisions, or bring the rows."
            )
        if self.is_clustered:
            kept = ["positive", *scores, "unit", *(["w"] if self.is_weighted else [])]
            return self.frame.selectExpr(*kept, "0L AS copy")
        by_content = not self._has_units
        if not self.is_weighted and not by_content:
            return self.frame.selectExpr("positive", *scores, "unit", "1L AS copy")
        if self.has_fractions:
            raise InputError(
                f"column {short_repr(self.chosen.weight)} holds weights that are not whole numbers: parts of cases "
                "cannot "
                "be resampled one by one. Hint: name a group, or choose metrics that have a formula."
            )
        query = sql.single_cases(len(self.models), weighted=self.is_weighted, by_content=by_content)
        return self.frame.sparkSession.sql(query, rows=self.frame)

    def _worth(self, place: int, worth: Worth, names: Sequence[str]) -> Any:
        import pyarrow as pa  # type: ignore[import-untyped]

        model = self.models[place]
        table = self.table(model)
        if model in self.constants or self.edges is None:
            keys = table.score if self.edges is None else np.zeros(1)
        else:
            keys = _spark_executor.bins_of(table.score, self.edges[place]).astype(np.float64)
        columns = {f"key{place}": keys}
        for number, name in enumerate(names):
            columns[f"p{place}_{number}"], columns[f"n{place}_{number}"] = worth[name]
        return self.frame.sparkSession.createDataFrame(pa.table(columns))


def _matrix(found: Mapping[str, Any], is_positive: bool, quantity: int, models: int) -> Array:
    row = int(np.flatnonzero(found["positive"] == is_positive)[0])
    places = [
        [(min(pair), max(pair)) for pair in ((index, other) for other in range(models))] for index in range(models)
    ]
    return np.array([[found[f"x{one}_{other}_{quantity}"][row] for one, other in line] for line in places])


def _replicates(
    found: Mapping[str, Any], models: Sequence[str], edges: Sequence[Array], n_resamples: int
) -> dict[str, tuple[Array, Array]]:
    chunks = [np.frombuffer(found["sums"][row]) for row in np.argsort(found["chunk"])]
    ends = np.cumsum([_CHUNK * 2 * (len(own) + 1) for own in edges])
    result = {}
    for model, end, edge in zip(models, ends, edges, strict=True):
        cells = len(edge) + 1
        parts = [chunk[end - _CHUNK * 2 * cells : end].reshape(_CHUNK, cells, 2) for chunk in chunks]
        sums = np.concatenate(parts)[:n_resamples, ::-1]
        result[model] = np.ascontiguousarray(sums[..., 1]), np.ascontiguousarray(sums[..., 0])
    return result
