"""`reconstruct`: the 2x2 tables behind printed numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from unconfuse._errors import ArgumentError, InputError, UnconfuseError, argument_name
from unconfuse._formatting import printable, short_repr
from unconfuse._validate import check_probability, check_whole, public_api
from unconfuse.ingest.csv_rows import csv_rows
from unconfuse.reconstruction.auroc_checks import PrintedAuroc, check_area
from unconfuse.reconstruction.consistency import ConsistentTables, agreement, nearest_table, suspects
from unconfuse.reconstruction.interval_matching import check_intervals
from unconfuse.reconstruction.rounding import AREA, PrintedNumber, read_printed, remarks
from unconfuse.results.reconstruction import Reconstruction, Reconstructions
from unconfuse.table import Counts

MOST_SHOWN = 1000  # tables that a result holds
_MOST_PAPERS = 10_000
_CELLS = ("tp", "fp", "fn", "tn")
_NAMES = ("paper", "name", "study", "id")  # columns that say which paper it is
_TEXT = ("note", "notes", "comment", "comments", "reference", "year")  # columns that are not numbers
_SEPARATORS = ",;\t|"


@public_api
def reconstruct(
    papers: str | PathLike[str] | Iterable[Mapping[str, Any]] | None = None,
    /,
    *,
    confidence_level: float = 0.95,
    largest_n: int | None = None,
    **printed: Any,
) -> Any:
    """Find every 2x2 table that agrees with printed numbers, or say which number is off.

    Parameters
    ----------
    papers : path or list of mappings, optional
        Several papers' numbers: a CSV file with a column for each kind of number and a row for each paper (a column
        `paper` names it), or the rows themselves. Then no numbers are given by name.
    confidence_level : float
        Of the printed intervals, and of those shown for each table.
    largest_n : int, optional
        Up to how many cases to search if the printed counts do not say it. By default 500 if neither class size is
        known, 20,000 if one is.
    **printed : text or number
        What was printed, by the name of a metric of four counts or an alias of it (sensitivity, specificity, ppv, npv,
        accuracy, balanced_accuracy, f1, mcc, kappa, youden_j, prevalence, lr_positive, lr_negative, dor, ...), an end
        of its interval (sensitivity_low, sensitivity_high), a count (tp, fp, fn, tn, positives, negatives, n,
        labelled_positive, labelled_negative), or auroc, auroc_low and auroc_high. Digits count as written: "0.930" has
        three decimals, the number .93 two. "93%" and "93.0%" are percentages.

    Returns
    -------
    Reconstruction
        With `tables`, `possible` and `sentence`; `Reconstructions`, one for each paper, if there are several.

    Notes
    -----
    Numbers may be rounded half-up or half-even, truncated, or rounded to percent without decimals and printed with more
    digits; each table says which of these print its rates so. If no single rounding does, ties may go either way, and
    some numbers may be rounded and others truncated, before the numbers are called impossible. A rate printed as 1 or 0
    without decimals is taken to have two.

    Examples
    --------
    >>> import unconfuse as uc
    >>> found = uc.reconstruct(sensitivity=.93, specificity=.81, positives=41, negatives=79)
    >>> found.tables
    [Counts(tp=38, fp=15, fn=3, tn=64)]
    >>> found = uc.reconstruct(sensitivity="0.94", specificity="0.81", positives=41, negatives=79)
    >>> found.possible
    False
    >>> found.suspects[0].name, found.suspects[0].nearest
    ('sensitivity', '0.93 or 0.95')
    """
    level = check_probability(confidence_level, "confidence_level", open_interval=True)
    limit = None if largest_n is None else check_whole(largest_n, "largest_n", at_least=1)
    if papers is None:
        return _reconstructed(printed, level, limit)
    if any(value is not None for value in printed.values()):
        raise ArgumentError("a file of papers cannot be combined with printed numbers. Hint: pass one or the other.")
    return Reconstructions(tuple(_each(_rows(papers), level, limit)))


def _reconstructed(given: Mapping[str, Any], level: float, limit: int | None, name: str = "") -> Reconstruction:
    every = read_printed(given)
    check_intervals(every)
    printed = [printed_number for printed_number in every if printed_number.expression]
    of_area = {printed_number.name: printed_number for printed_number in every if not printed_number.expression}
    if of_area and AREA not in of_area:
        raise ArgumentError("`auroc_low` and `auroc_high` require `auroc`.")
    searched = any(
        not printed_number.is_count or printed_number.name in _CELLS or "labelled" in printed_number.name
        for printed_number in printed
    )
    if not searched and AREA not in of_area:
        raise ArgumentError(
            f"at least one printed rate is required. Hint: pass {argument_name('sensitivity')}, for example."
        )
    notes = tuple(remarks(every, given))
    common: dict[str, Any] = {"confidence_level": level, "notes": notes, "name": name}
    consistent_tables = agreement(printed, limit, level) if searched else None
    area = _area(of_area, printed, consistent_tables, level) if of_area else None
    if consistent_tables is None:
        assert area is not None
        return Reconstruction(tuple(every), [], [], math.nan, area.possible, area=area, **common)
    return _wrapped(every, printed, consistent_tables, area, limit, common)


def _wrapped(
    every: Sequence[PrintedNumber],
    printed: Sequence[PrintedNumber],
    found: ConsistentTables,
    area: PrintedAuroc | None,
    limit: int | None,
    common: Mapping[str, Any],
) -> Reconstruction:
    possible = found.possible
    if area is not None and possible is not False:
        possible = possible if area.possible else False
    cells = found.tables.cells()
    few = {each: cell[:MOST_SHOWN] for each, cell in cells.items()}
    tables = [Counts(**dict(zip(_CELLS, row, strict=True))) for row in zip(*few.values(), strict=True)]
    how = [tuple(r for r, agrees in found.explained.items() if agrees[place]) for place in range(len(tables))]
    level = common["confidence_level"]
    off = found.possible is False
    return Reconstruction(
        tuple(every),
        tables,
        how,
        found.total,
        possible,
        by_rounding=found.totals,
        ranges=_ranges(printed, found),
        methods=found.methods,
        suspects=tuple(suspects(printed, limit, level)) if off else (),
        nearest=nearest_table(printed, limit) if off else None,
        area=area,
        largest_n=found.largest_n,
        counted=found.counted,
        **common,
    )


def _ranges(printed: Sequence[PrintedNumber], found: ConsistentTables) -> dict[str, tuple[float, float]]:
    if not len(found.tables):
        return {}
    wanted = {name: name for name in (*_CELLS, "positives", "negatives")} | {"n": "total"}
    wanted |= {printed_number.name: printed_number.expression for printed_number in printed if printed_number.is_rate}
    values = {name: found.tables.values(expression) for name, expression in wanted.items()}
    return {name: (float(value.min()), float(value.max())) for name, value in values.items()}


def _area(
    of_area: Mapping[str, PrintedNumber], printed: Sequence[PrintedNumber], found: ConsistentTables | None, level: float
) -> PrintedAuroc:
    known = {printed_number.name: float(printed_number.value) for printed_number in printed if printed_number.is_count}
    if "n" in known and ("positives" in known) is not ("negatives" in known):
        one, other = ("positives", "negatives") if "positives" in known else ("negatives", "positives")
        known[other] = known["n"] - known[one]
    if found is not None and len(found.tables):
        for name, size in zip(("positives", "negatives"), found.tables.sizes, strict=True):
            if size.min() == size.max():
                known.setdefault(name, float(size[0]))
    if not {"positives", "negatives"} <= set(known):
        raise ArgumentError("`auroc` requires `positives` and `negatives`.")
    if min(known["positives"], known["negatives"]) < 1:
        raise ArgumentError("`auroc` requires at least one positive and one negative.")
    low, high = of_area.get(f"{AREA}_low"), of_area.get(f"{AREA}_high")
    return check_area(of_area[AREA], low, high, known["positives"], known["negatives"], level)


def _each(rows: Iterable[Mapping[str, Any]], level: float, limit: int | None) -> Iterable[Reconstruction]:
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise ArgumentError(f"each paper must be a mapping of names to numbers; got {short_repr(row)}.")
        if place > _MOST_PAPERS:
            raise ArgumentError(f"there must be at most {_MOST_PAPERS:,} papers. Hint: split the file.")
        words = {str(key).strip().lower(): key for key in row}
        named = next((words[each] for each in _NAMES if each in words), None)
        name = str(row[named]).strip() if named is not None else ""
        given = {
            str(key): value for word, key in words.items() if word not in (*_NAMES, *_TEXT) for value in [row[key]]
        }
        try:
            yield _reconstructed(
                {key: _none(value) for key, value in given.items()}, level, limit, name or f"row {place}"
            )
        except UnconfuseError as error:
            raise InputError(f"{name or 'paper'} (row {place}): {error}") from None


def _none(value: Any) -> Any:
    """Return None for a cell without a number, which was not printed; any other value as it is."""
    if isinstance(value, str) and value.strip().lower() in ("", "na", "n/a", "nan", "-", "nr", "\u2013", "\u2014"):
        return None
    return None if isinstance(value, float) and math.isnan(value) else value


def _rows(papers: Any) -> Iterable[Mapping[str, Any]]:
    if isinstance(papers, str | PathLike):
        return _read(fspath(papers))
    if isinstance(papers, Mapping) or not isinstance(papers, Iterable) or hasattr(papers, "columns"):
        raise ArgumentError(
            f"papers must be a CSV file or a list of mappings; got {short_repr(papers)}. "
            "Hint: of a data frame pass frame.to_dict('records'), with numbers as text."
        )
    return papers


def _read(path: str) -> list[dict[str, Any]]:
    """Read the rows of a CSV file, every cell as text: digits count."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text. Hint: save it as CSV (UTF-8).") from None
    except (OSError, ValueError) as error:  # such as a null character in the name
        raise InputError(f"{printable(path)} cannot be read: {getattr(error, 'strerror', None) or error}.") from None
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 2:
        raise InputError(f"{path} must have a header and at least one row.")
    separator = max(_SEPARATORS, key=lines[0].count)
    cells = list(csv_rows(lines, separator, printable(path)))
    header = [each.strip() for each in cells[0]]
    twice = next((each for each in header if each and header.count(each) > 1), None)
    if twice is not None:
        raise InputError(f"{path} has two columns named {short_repr(twice)}.")
    for place, row in enumerate(cells[1:], start=2):
        if len(row) != len(header):
            raise InputError(f"line {place} of {path} has {len(row)} cells; the header has {len(header)}.")
    return [dict(zip(header, row, strict=True)) for row in cells[1:]]
