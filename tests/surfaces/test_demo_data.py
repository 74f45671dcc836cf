"""The example data are what the script beside them makes, and resemble what was published."""

import csv
import random
from collections import Counter

from unconfuse.demo import PATIENTS, animals_path, patients_path
from unconfuse.demo.make_animals import main as make_animals
from unconfuse.demo.make_patients import COLUMNS, SEED, main, patients

ROWS = list(csv.DictReader(patients_path().read_text(encoding="utf-8").splitlines()))


def test_the_script_makes_the_file(monkeypatch, tmp_path):
    rows = list(csv.reader(patients_path().read_text(encoding="utf-8").splitlines()))
    assert tuple(rows[0]) == COLUMNS == tuple(PATIENTS)
    assert rows[1:] == [list(row) for row in patients(random.Random(SEED))]
    monkeypatch.setattr("unconfuse.demo.make_patients.__file__", str(tmp_path / "make_patients.py"))
    main()
    assert (tmp_path / "patients.csv").read_bytes() == patients_path().read_bytes()


def test_the_script_makes_the_animals(monkeypatch, tmp_path):
    monkeypatch.setattr("unconfuse.demo.make_animals.__file__", str(tmp_path / "make_animals.py"))
    make_animals()
    assert (tmp_path / "animals.csv").read_bytes() == animals_path().read_bytes()


def share(rows, column, value):
    return sum(row[column] == value for row in rows) / len(rows)


def test_the_two_sites_differ_in_prevalence_as_published():
    assert Counter(row["site"] for row in ROWS) == {"practice": 1000, "hospital": 1400}
    assert len({row["patient"] for row in ROWS}) == 2400
    for site, published in (("practice", 0.12), ("hospital", 0.20)):
        assert abs(share([row for row in ROWS if row["site"] == site], "outcome", "yes") - published) < 0.02


def test_the_laboratory_is_less_specific_for_the_old():
    """As the D-dimer is: 58% below the cut at 51 to 60, 25 and 15% above 70."""
    well = [row for row in ROWS if row["outcome"] == "no"]
    specific = {
        band: sum(float(row["lab"]) < 0.05 for row in well if row["age"] == band) / sum(r["age"] == band for r in well)
        for band in ("under 50", "50 to 69", "70 and over")
    }
    assert specific["under 50"] > 0.6 > specific["50 to 69"] > 0.4
    assert 0.3 > specific["70 and over"] > 0.15


def test_the_rule_separates_likely_from_unlikely_as_published():
    """Of those with more than 4 points about 37% had an embolism, of the others 12% (van Belle et al. 2006)."""
    likely = [row for row in ROWS if float(row["rule"]) > 4 and row["site"] == "hospital"]
    unlikely = [row for row in ROWS if float(row["rule"]) <= 4 and row["site"] == "hospital"]
    assert abs(share(likely, "outcome", "yes") - 0.37) < 0.08
    assert abs(share(unlikely, "outcome", "yes") - 0.12) < 0.04
