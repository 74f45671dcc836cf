"""Make `screening.csv`: run `python make_screening.py` in this folder.

An invented screening programme. Each of 2,000 people has an age, a blood marker and a family history; about one in
twelve has the disease, more likely with each of the three. `risk` is a model's probability, which knows all three but
is a little too sure of itself; `rule` is the old rule of thumb, 0 to 5 points, which knows them only roughly.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

PEOPLE = 2000
SEED = 20
TOO_SURE = 1.25  # the model stretches the log-odds by this factor


def people(random_source: random.Random) -> Iterator[tuple[str, str, str, int]]:
    """One row for each person."""
    for number in range(1, PEOPLE + 1):
        age, marker = random_source.gauss(58, 9), random_source.gauss(0, 1)
        history = random_source.random() < 0.2
        log_odds = -3.6 + 0.06 * (age - 58) + 1.5 * marker + 1.1 * history
        is_ill = random_source.random() < _share(log_odds)
        guess = -3 + TOO_SURE * (log_odds + 3 + random_source.gauss(0, 0.6))
        points = (age >= 50) + (age >= 65) + (marker > 0.5) + (marker > 1.5) + history
        yield f"P{number:04d}", "yes" if is_ill else "no", f"{min(max(_share(guess), 0.001), 0.999):.3f}", points


def _share(log_odds: float) -> float:
    return 1 / (1 + math.exp(-log_odds))


def main() -> None:
    """Write the file beside this one."""
    with Path(__file__).with_name("screening.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["patient", "outcome", "risk", "rule"])
        writer.writerows(people(random.Random(SEED)))


if __name__ == "__main__":
    main()
