"""Make `animals.csv`: run `python make_animals.py` in this folder.

An invented camera that names the animals it sees: 800 pictures of cats, dogs, foxes and owls. Two models state a
probability for each; dogs and foxes look alike to both, and the old model sees less.
"""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

PICTURES = 800
SEED = 7
ANIMALS = {"cat": 0.4, "dog": 0.3, "fox": 0.2, "owl": 0.1}
ALIKE = {("dog", "fox"): 1.2, ("fox", "dog"): 1.4}
CLEAR = {"new": 2.6, "old": 1.8}


def pictures(random_source: random.Random) -> Iterator[list[str]]:
    """One row for each picture: the animal, and each model's probabilities."""
    for _ in range(PICTURES):
        truth = random_source.choices(list(ANIMALS), weights=list(ANIMALS.values()))[0]
        row = [truth]
        for clear in CLEAR.values():
            row += _stated(truth, clear, random_source)
        yield row


def _stated(truth: str, clear: float, random_source: random.Random) -> list[str]:
    """Probabilities that add up to 1 exactly in four digits."""
    raised = [
        math.exp(
            random_source.gauss(0, 1)
            + (clear if name == truth else ALIKE.get((truth, name), 0.0))
            + 0.5 * math.log(share)
        )
        for name, share in ANIMALS.items()
    ]
    whole = [round(10_000 * each / sum(raised)) for each in raised]
    whole[whole.index(max(whole))] += 10_000 - sum(whole)
    return [f"{each / 10_000:.4f}" for each in whole]


def main() -> None:
    """Write the file beside this one."""
    with Path(__file__).with_name("animals.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["animal", *(f"{model}_{name}" for model in CLEAR for name in ANIMALS)])
        writer.writerows(pictures(random.Random(SEED)))


if __name__ == "__main__":
    main()
