"""Draw the figure of the paper from the package's own demonstration data: python docs/paper/figures.py [DIR]."""

from __future__ import annotations

import sys
from importlib.resources import files
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import unconfuse as uc


def evaluation() -> uc.Evaluation:
    """Return the evaluation that the paper quotes: simulated patients, the model's risk, threshold 5%."""
    source = files("unconfuse.demo").joinpath("patients.csv")
    return uc.evaluate(uc.Data(str(source), label="outcome", score="risk", positive="yes"), threshold=0.05)


def quoted() -> dict[str, str]:
    """Return the numbers that the paper's text quotes, as it prints them."""
    found = evaluation()
    names = ("auroc", "sensitivity", "specificity", "precision")
    return {name: f"{found[name].value:.3f} [{found[name].low:.3f}, {found[name].high:.3f}]" for name in names}


def main(folder: Path) -> None:
    """Write the figure into a folder."""
    evaluation().plot_panel(str(folder / "panel.svg"), columns=2)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
