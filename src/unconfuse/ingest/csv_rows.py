"""The cells of lines of CSV as Python reads them, for files that are read whole."""

import csv
from collections.abc import Iterable, Iterator

from unconfuse._errors import InputError


def csv_rows(lines: Iterable[str], separator: str, name: str) -> Iterator[list[str]]:
    """Yield the cells of each line; a cell of more than 131,072 characters, mostly an open quote, is refused.

    >>> list(csv_rows(["a,b", '1,"2,3"'], ",", "rows.csv"))
    [['a', 'b'], ['1', '2,3']]
    """
    reader = csv.reader(lines, delimiter=separator)
    try:
        yield from reader
    except csv.Error:
        raise InputError(
            f"line {reader.line_num + 1} of {name} has a cell that is too long, or a quote that is never closed. "
            "Hint: check the double quotes near that line."
        ) from None
