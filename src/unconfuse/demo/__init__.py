"""Example data: an invented screening programme, and an invented camera. The scripts beside them made the rows."""

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


def animals_path() -> Path:
    """Where `animals.csv` lies: 800 rows of animal, and two models' probabilities of four animals.

    Examples
    --------
    >>> import unconfuse as uc
    >>> import pandas as pd
    >>> uc.evaluate(pd.read_csv(animals_path()), label="animal", scores="new_*", metrics=["accuracy"]).classes
    ('cat', 'dog', 'fox', 'owl')
    """
    with as_file(files(__package__) / "animals.csv") as path:
        return Path(path)
