"""Make `patients.csv`: run `python make_patients.py` in this folder. The patients are simulated; nobody is real.

Breathless, with chest pain: is it a pulmonary embolism? A scan would tell, but it is slow, costly and harmful if most
of those scanned are well. 2,400 simulated patients were suspected of one, in a general practice or at a hospital, and
all were scanned. What they have is drawn so that it resembles what studies of real patients published:

- 12% of the suspected have an embolism in practices (Geersing et al., BMJ 2012), 20% at hospitals (van Belle et al.,
  JAMA 2006), by Wells' points, whose seven items are more common with an embolism (Wells et al. 2000);
- a D-dimer below 500 excludes it nearly always, but rises with age in the healthy: it is below 500 in 58, 39, 25 and
  15% of those without an embolism who are 51 to 60, 61 to 70, 71 to 80 and older (Schouten et al., BMJ 2013).

`lab` is the laboratory's probability, from the D-dimer alone; `risk` is a model's, which knows age, D-dimer and the
items. Both were made for hospitals, and `risk` is a little too sure of itself. `rule` is the sum of the points.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = 17
COLUMNS = ("patient", "site", "age", "sex", "outcome", "risk", "lab", "rule")
TOO_SURE, FORGOTTEN = 1.15, 0.6  # `risk` stretches log-odds, and misses something that it does not know of
# points, share with an embolism, share without: leg swollen, nothing else as likely, fast pulse, lay still, had one
# before, coughs blood, has cancer
ITEMS = (
    (3, 0.2, 0.05),
    (3, 0.7, 0.3),
    (1.5, 0.4, 0.23),
    (1.5, 0.3, 0.17),
    (1.5, 0.25, 0.13),
    (1, 0.08, 0.04),
    (1, 0.2, 0.12),
)
CUT, ILL, SPREAD_ILL, SPREAD = 500, 2700, 0.85, 0.9  # D-dimer: the usual cut; median and spreads of its logarithm
BELOW_CUT, AT_AGE, FALLS = 0.192, 55, 0.0414  # how far, in spreads, the well are below the cut, and less so each year
YOUNG = 49  # below this age the well do not differ


@dataclass(frozen=True)
class Site:
    """Where patients come from."""

    name: str
    patients: int
    prevalence: float
    mean_age: float


PRACTICE, HOSPITAL = Site("practice", 1000, 0.12, 52), Site("hospital", 1400, 0.20, 60)


def patients(random_source: random.Random) -> Iterator[tuple[str, ...]]:
    """One row for each patient."""
    sites = [site for site in (PRACTICE, HOSPITAL) for _ in range(site.patients)]
    random_source.shuffle(sites)
    for number, site in enumerate(sites, start=1):
        yield f"P{number:04d}", *_patient(site, random_source)


def _patient(site: Site, random_source: random.Random) -> tuple[str, ...]:
    age = min(max(random_source.gauss(site.mean_age, 17), 18), 97)
    sex = "female" if random_source.random() < 0.57 else "male"
    is_ill = random_source.random() < _share(_log_odds(site.prevalence) + 0.01 * (age - site.mean_age))
    has = [random_source.random() < (with_it if is_ill else without) for _, with_it, without in ITEMS]
    well = _median_well(age)
    dimer = random_source.gauss(math.log(ILL) if is_ill else well, SPREAD_ILL if is_ill else SPREAD)
    prior = _log_odds(HOSPITAL.prevalence)
    known = prior + _evidence_of(dimer, well) + sum(map(_evidence, has, ITEMS))
    risk = TOO_SURE * (known + random_source.gauss(0, FORGOTTEN))
    lab = prior + _evidence_of(dimer, _median_well(HOSPITAL.mean_age))
    points = sum(worth for (worth, _, _), item in zip(ITEMS, has, strict=True) if item)
    return site.name, _band(age), sex, "yes" if is_ill else "no", _stated(risk), _stated(lab), f"{points:g}"


def _median_well(age: float) -> float:
    """Return the median of the logarithm of the D-dimer in people of this age who are well."""
    return math.log(CUT) - SPREAD * (BELOW_CUT - FALLS * (max(age, YOUNG) - AT_AGE))


def _evidence_of(dimer: float, well: float) -> float:
    """By how much a D-dimer raises the log-odds: never less for more of it."""
    lowest = (SPREAD**2 * math.log(ILL) - SPREAD_ILL**2 * well) / (SPREAD**2 - SPREAD_ILL**2)
    value = max(dimer, lowest) if lowest < math.log(ILL) else min(dimer, lowest)
    with_it, without = (value - math.log(ILL)) / SPREAD_ILL, (value - well) / SPREAD
    return (without**2 - with_it**2) / 2 + math.log(SPREAD / SPREAD_ILL)


def _evidence(has: bool, item: tuple[float, float, float]) -> float:
    _, with_it, without = item
    return math.log(with_it / without) if has else math.log((1 - with_it) / (1 - without))


def _band(age: float) -> str:
    return "under 50" if age < 50 else "50 to 69" if age < 70 else "70 and over"


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def _log_odds(share: float) -> float:
    return math.log(share / (1 - share))


def _stated(log_odds: float) -> str:
    """Write a probability to three digits, as people do."""
    return f"{min(max(_share(log_odds), 0.001), 0.999):.3f}"


def main() -> None:
    """Write the file beside this one."""
    with Path(__file__).with_name("patients.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(patients(random.Random(SEED)))


if __name__ == "__main__":
    main()
