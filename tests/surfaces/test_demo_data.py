"""The example data are what the script beside them makes."""

import csv
import random

from unconfuse.demo import animals_path, screening_path
from unconfuse.demo.make_animals import main as make_animals
from unconfuse.demo.make_screening import SEED, main, people


def test_the_script_makes_the_file(monkeypatch, tmp_path):
    rows = list(csv.reader(screening_path().read_text(encoding="utf-8").splitlines()))
    assert rows[0] == ["patient", "outcome", "risk", "rule"]
    assert rows[1:] == [[str(cell) for cell in row] for row in people(random.Random(SEED))]
    monkeypatch.setattr("unconfuse.demo.make_screening.__file__", str(tmp_path / "make_screening.py"))
    main()
    assert (tmp_path / "screening.csv").read_bytes() == screening_path().read_bytes()


def test_the_script_makes_the_animals(monkeypatch, tmp_path):
    monkeypatch.setattr("unconfuse.demo.make_animals.__file__", str(tmp_path / "make_animals.py"))
    make_animals()
    assert (tmp_path / "animals.csv").read_bytes() == animals_path().read_bytes()


def test_the_data_are_worth_looking_at():
    rows = list(csv.DictReader(screening_path().read_text(encoding="utf-8").splitlines()))
    ill = sum(row["outcome"] == "yes" for row in rows)
    assert len(rows) == len({row["patient"] for row in rows}) == 2000
    assert 80 <= ill <= 250
