"""All columns of a source as numbers, but for the label: what models are fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import InputError
from unconfuse._validate import Array, brief
from unconfuse.ingest.addresses import is_address
from unconfuse.ingest.columns import Chosen, Wanted, choose_columns
from unconfuse.ingest.reading import Reading
from unconfuse.ingest.screening import lenient


def read_features(
    path: str, label: str, *, table: str | None = None, query: str | None = None
) -> tuple[Array, npt.NDArray[Any]]:
    """The features of each row, NaN where missing, and the labels."""
    wanted = Wanted(label=label, score=label)
    if is_address(path):
        from unconfuse.ingest.databases import columns_of_database

        chosen, columns = columns_of_database(path, wanted, Reading(table=table, query=query), _all_columns)
        y, features = columns[chosen.label], {name: columns[name] for name in chosen.scores}
    else:
        y, features = _of_files(path, wanted)
    return np.column_stack([_numbers(name, column) for name, column in features.items()]), y


def _of_files(path: str, wanted: Wanted) -> tuple[npt.NDArray[Any], dict[str, npt.NDArray[Any]]]:
    from unconfuse.ingest._engine import Engine
    from unconfuse.ingest._parts import parts_of
    from unconfuse.ingest._refusals import explained
    from unconfuse.ingest._sql import quoted
    from unconfuse.ingest.files import open_sources

    with open_sources(path) as sources, Engine() as engine:
        parts = parts_of(engine, sources, wanted, None, _all_columns)
        label = f"{parts[0].column('label')} AS {quoted('label')}"
        each = [
            f"SELECT {label}, {', '.join(f'{part.column(role)} AS {quoted(role)}' for role in part.chosen.numbers)} "
            f"FROM {part.reader()}"
            for part in parts
        ]
        try:
            columns = engine.columns(" UNION ALL ".join(each))
        except engine.failure as error:
            raise explained(error, sources, list(parts[0].types)) from None
        return columns.pop("label"), dict(zip(parts[0].chosen.scores, columns.values(), strict=True))


def _all_columns(names: Sequence[str], wanted: Wanted, where: str) -> Chosen:
    others = {name: name for name in names if name != wanted.label}
    return choose_columns(names, Wanted(label=wanted.label, score=others), where)


def _numbers(name: str, column: npt.NDArray[Any]) -> Array:
    numbers, is_text = lenient(np.asarray(column))
    if is_text.any():
        raise InputError(f"column {brief(name)} does not hold numbers. Hint: encode it first, or leave it out.")
    return numbers
