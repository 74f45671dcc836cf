"""Draw pictures/over-time.png: two models on a ward month by month, and a forecast. `python docs/time_picture.py`."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

import unconfuse as uc
from unconfuse._html_repr import BLUE, GREY, VERMILION
from unconfuse.demo import patients_path
from unconfuse.plots import figure, plot_forecast, save
from unconfuse.plots._style import new_axes

WORDS = {"label": "outcome", "positive": "yes"}


def differences(ward: pd.DataFrame, looks: str | None) -> list[uc.Estimate]:
    """Return the difference in AUROC after each month."""
    return [
        uc.compare(ward[: month * len(ward) // 12], score=["risk", "lab"], metrics=["auroc"], looks=looks, **WORDS)[
            "auroc", "risk", "lab"
        ].difference
        for month in range(1, 13)
    ]


def draw(path: Path) -> None:
    """Draw both panels."""
    ward = pd.read_csv(patients_path()).query("site == 'hospital'")
    sheet = figure(figsize=(12.0, 5.2))
    left, right = sheet.subplots(1, 2)
    new_axes(left, title="Model minus laboratory, by month", x="Month", y="Difference in AUROC")
    for looks, colour, aside, words in ((None, GREY, -0.12, "one look"), ("any", BLUE, 0.12, "holds at every look")):
        found = differences(ward, looks)
        months = [month + aside for month in range(1, 13)]
        values = [each.value for each in found]
        reach = [[e.value - e.low for e in found], [e.high - e.value for e in found]]
        left.errorbar(months, values, yerr=reach, fmt="o", color=colour, markersize=4, label=words)
    left.axhline(0, color=VERMILION, linewidth=1)
    left.legend(frameon=False)
    f = uc.forecast(ward[:700], ward[700:], score="risk", threshold=0.15, **WORDS)
    plot_forecast(f.check(ward[700:].outcome), ax=right)
    save(sheet, str(path))


if __name__ == "__main__":
    draw(Path(__file__).parent / "pictures" / "over-time.png")
