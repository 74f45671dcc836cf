"""Example data: simulated patients, and an invented camera. The scripts beside them made the rows."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

PATIENTS = {
    "patient": "who, P0001 to P2400; all simulated",
    "site": "where they came: practice (a general practice) or hospital",
    "age": "under 50, 50 to 69, or 70 and over",
    "sex": "female or male",
    "outcome": "what the scan showed: yes (a pulmonary embolism) or no",
    "risk": "probability by a model that knows age, D-dimer and the clinical signs",
    "lab": "probability by the laboratory, from the D-dimer alone",
    "rule": "points of the clinical rule, 0 to 12.5; above 4 an embolism is called likely",
}  # the dictionary of patients.csv, column by column


def patients_path() -> Path:
    """Where `patients.csv` lies: 2,400 patients suspected of a pulmonary embolism; `PATIENTS` explains the columns.

    Examples
    --------
    >>> import unconfuse as uc
    >>> uc.score_table(patients_path(), label="outcome", score="risk", positive="yes").n
    2400.0
    """
    with as_file(files(__package__) / "patients.csv") as path:
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
