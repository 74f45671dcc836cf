"""Example data: an invented screening programme. `make_screening.py` beside it says how the rows came about."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path


def screening_path() -> Path:
    """Where `screening.csv` lies: 2,000 rows of patient, outcome (yes or no), risk and rule.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.score_table(screening_path(), label="outcome", score="risk", positive="yes").n
    2000.0
    """
    with as_file(files(__package__) / "screening.csv") as path:
        return Path(path)
