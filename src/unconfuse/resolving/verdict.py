"""What a tournament showed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np

from unconfuse._errors import ArgumentError, nearest
from unconfuse._plain import frame_of, number_text
from unconfuse.uncertainty.closed_form import wilson


@dataclass(frozen=True)
class Duel:
    """Two metrics as guides, in the trials where they chose different models.

    Attributes
    ----------
    first, second : str
        The metrics that guided the search.
    trials, disagreements : int
    wins : mapping of metric to int
        In how many disagreements the first guide's choice was better on the test part, by that metric.
    gain, gain_error : mapping of metric to float
        By how much, on average, and its standard error.
    """

    first: str
    second: str
    trials: int
    disagreements: int
    wins: Mapping[str, int]
    gain: Mapping[str, float]
    gain_error: Mapping[str, float]

    def __str__(self) -> str:
        if not self.disagreements:
            return f"{self.first} and {self.second} chose the same model in all {self.trials} trials."
        shown = []
        for name, wins in self.wins.items():
            low, high = (float(each) for each in wilson(wins, self.disagreements))
            shown.append(
                f"{name} {wins}/{self.disagreements} ({wins / self.disagreements:.0%}, 95% {low:.0%}-{high:.0%}), "
                f"mean gain {number_text(self.gain[name], 4)} ± {number_text(self.gain_error[name], 4)}"
            )
        return (
            f"{self.first} and {self.second} disagreed in {self.disagreements} of {self.trials} trials; there the "
            f"choice of {self.first} was better on the test part by " + "; by ".join(shown) + "."
        )


@dataclass(frozen=True, repr=False)
class TournamentResult:
    """Every trial of a tournament, and what they add up to."""

    metrics: tuple[str, ...]
    trials: tuple[dict[str, Any], ...]
    shares: tuple[float, float, float]
    seed: int

    @property
    def n_trials(self) -> int:
        """How many trials were run."""
        return len(self.trials)

    def test_value(self, trial: Mapping[str, Any], *, guide: str, measure: str) -> float:
        """What the guide's choice in a trial is worth on the test part."""
        return float(trial["candidates"][trial["choice"][guide]]["test"][measure])

    def duel(self, first: str, second: str) -> Duel:
        """One metric against another as guides."""
        for name in (first, second):
            if name not in self.metrics:
                raise ArgumentError(f"no metric {name!r} in this tournament. {nearest(name, self.metrics)}")
        apart = [each for each in self.trials if each["choice"][first] != each["choice"][second]]
        gains = {
            name: np.array(
                [
                    self.test_value(each, guide=first, measure=name) - self.test_value(each, guide=second, measure=name)
                    for each in apart
                ]
            )
            for name in self.metrics
        }
        return Duel(
            first,
            second,
            self.n_trials,
            len(apart),
            {name: int((gain > 0).sum()) for name, gain in gains.items()},
            {name: float(gain.mean()) if len(gain) else math.nan for name, gain in gains.items()},
            {
                name: float(gain.std(ddof=1) / math.sqrt(len(gain))) if len(gain) > 1 else math.nan
                for name, gain in gains.items()
            },
        )

    @property
    def duels(self) -> tuple[Duel, ...]:
        """Every pair of metrics, in the order given."""
        order = {name: place for place, name in enumerate(self.metrics)}
        return tuple(self.duel(a, b) for a, b in permutations(self.metrics, 2) if order[a] < order[b])

    def mean_kappas(self) -> dict[str, float]:
        """Mean resolution of each metric on the baseline's scores; empty without a baseline."""
        rows = [each["kappa"] for each in self.trials if "kappa" in each]
        return {name: float(np.nanmean([row[name] for row in rows])) for name in self.metrics} if rows else {}

    def rows(self) -> list[dict[str, Any]]:
        """Mean test performance of every guide, by every measure."""
        return [
            {
                "guide": guide,
                **{
                    f"test {name}": float(
                        np.mean([self.test_value(each, guide=guide, measure=name) for each in self.trials])
                    )
                    for name in self.metrics
                },
            }
            for guide in self.metrics
        ]

    def to_frame(self) -> Any:
        """The rows as a data frame."""
        return frame_of(self.rows())

    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metrics": list(self.metrics),
            "n_trials": self.n_trials,
            "shares": list(self.shares),
            "seed": self.seed,
            "mean_kappa": self.mean_kappas(),
            "guides": self.rows(),
            "duels": [vars(each) for each in self.duels],
            "sentences": [str(each) for each in self.duels],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.duels))

    def __repr__(self) -> str:
        return f"TournamentResult: {self.n_trials} trials, {len(self.metrics)} metrics"
