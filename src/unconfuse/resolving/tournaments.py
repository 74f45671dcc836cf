"""Does the metric with more resolving power find better models? Beam's three-way holdout, for any models.

Each trial splits the data anew into training, validation and test; every metric picks its favourite among a few random
candidates on the validation part; what the picks are worth is measured on the large test part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from unconfuse._deprecated import renamed_parameters
from unconfuse._errors import ArgumentError
from unconfuse._formatting import frame_of, number_text, share_words, strict_json
from unconfuse._labels import as_is_positive
from unconfuse._validate import check_seed, check_whole, public_api
from unconfuse.metrics import METRICS, Metric, name_among
from unconfuse.resolving.score_sampling import Progress
from unconfuse.resolving.study import Wanted, as_metrics
from unconfuse.resolving.trials import Setup, run_all
from unconfuse.table import Array
from unconfuse.uncertainty.proportion_intervals import wilson

Estimator = Any
Space = Mapping[str, Any] | Callable[[np.random.Generator], Mapping[str, Any]]
SHARES = (0.15, 0.05, 0.80)


@renamed_parameters(shares="split_fractions", store="checkpoint")
@public_api
def tournament(
    estimator: Callable[..., Estimator] | Estimator,
    space: Space,
    X: Any,
    y: Any,
    *,
    metrics: Iterable[Wanted] = ("auroc", "auprc_davis_goadrich"),
    baseline: Mapping[str, Any] | None = None,
    n_trials: int = 20,
    n_candidates: int = 6,
    split_fractions: tuple[float, float, float] = SHARES,
    positive: object = None,
    negative: object = None,
    rng: int = 0,
    n_jobs: int = 1,
    checkpoint: str | None = None,
    progress: Progress | None = None,
) -> TournamentResult:
    """Compare metrics as guides of a model search.

    Parameters
    ----------
    estimator : callable or estimator
        Called with the parameters of a candidate it returns something with `fit(X, y)` and `predict_proba(X)`; or a
        scikit-learn estimator, which is cloned and given the parameters.
    space : mapping or callable
        For each parameter a list of choices, or a pair of numbers (low, high): whole numbers are drawn from low to
        high, others evenly between them. A callable takes a NumPy generator and returns one candidate's parameters.
    X, y : array_like
        Rows and their labels. Frames are cut with `iloc` if they have it.
    metrics : names, Metric objects or functions
        Each one guides a search of its own; all of them measure the result.
    baseline : mapping, optional
        Parameters of a first model, whose scores on the validation part say which metric resolves better there.
    n_trials, n_candidates : int
    split_fractions : (training, validation, test)
    positive, negative : optional
        The positive label, and the negative ones where there are several, as in `Data`.
    rng : int
        Seed. Trial i depends on the seed and i only: not on the number of processes, nor on what ran before.
    n_jobs : int
        Processes.
    checkpoint : path, optional
        A file of finished trials, one line each. If it exists, its trials are not run again: a tournament that was
        killed goes on where it was.
    progress : callable, optional
        Called with (done, total) trials.

    Returns
    -------
    TournamentResult

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(400, 3))
    >>> y = (X[:, 0] + random.normal(size=400) > 1).astype(int)
    >>> result = tournament(LogisticRegression, {"C": [.001, .1, 10.]}, X, y, n_trials=2, n_candidates=2)
    >>> result.n_trials, result.metrics
    (2, ('auroc', 'auprc_davis_goadrich'))
    """
    trials = check_whole(n_trials, "n_trials", at_least=1)
    setup = Setup(
        estimator,
        space,
        X,
        is_positive=as_is_positive(y, positive, negative=negative)[0],
        metrics=_guides(metrics),
        baseline=None if baseline is None else dict(baseline),
        n_candidates=check_whole(n_candidates, "n_candidates", at_least=1),
        shares=_checked_shares(split_fractions),
        seed=check_seed(rng),
    )
    rows = run_all(setup, trials, check_whole(n_jobs, "n_jobs", at_least=1), checkpoint, progress)
    lower = frozenset(metric.name for metric in setup.metrics if metric.better == "lower")
    return TournamentResult(
        tuple(metric.name for metric in setup.metrics), tuple(rows), setup.shares, setup.seed, lower
    )


def _guides(metrics: Iterable[Wanted]) -> tuple[Metric, ...]:
    """Metrics that have a better end; of a user's function more is better."""
    found = as_metrics(metrics)
    for metric in found:
        if metric.better == "neither" and metric.name in METRICS:
            raise ArgumentError(f"{metric.name} has no better end, so it cannot choose among models.")
    return found


def _checked_shares(shares: Sequence[float]) -> tuple[float, float, float]:
    if len(shares) != 3 or min(shares) <= 0 or sum(shares) > 1 + 1e-9:
        raise ArgumentError(
            f"`split_fractions` must be three numbers above 0 that add up to at most 1; got {shares!r}."
        )
    train, validation, test = (float(share) for share in shares)
    return train, validation, test


@dataclass(frozen=True)
class Duel:
    """Two metrics as guides, in the trials where they chose different models.

    `chance_agreements` is in how many trials they would have chosen the same model if both had chosen at random, each
    candidate with the same chance.

    By each metric: in how many disagreements the first guide's choice was better on the test part (`wins`), by how much
    on average (`gain`, above 0 if better, also where less is better), and its standard error (`gain_error`).
    """

    first: str
    second: str
    trials: int
    disagreements: int
    chance_agreements: float
    wins: Mapping[str, int]
    gain: Mapping[str, float]
    gain_error: Mapping[str, float]

    def __str__(self) -> str:
        agreed = self.trials - self.disagreements
        start = (
            f"{self.first} and {self.second} chose the same model in {agreed} of {self.trials} trials (expected by "
            f"chance: {number_text(self.chance_agreements, 1)})"
        )
        if not self.disagreements:
            return f"{start}."
        shown = []
        for name, wins in self.wins.items():
            low, high = (float(each) for each in wilson(wins, self.disagreements))
            shown.append(
                f"{name} {wins}/{self.disagreements} ({share_words(wins / self.disagreements)}, 95% interval "
                f"{share_words(low)} to {share_words(high)}), "
                f"mean gain {number_text(self.gain[name], 4)} ± {number_text(self.gain_error[name], 4)}"
            )
        return (
            f"{start}; in the other {self.disagreements}, the choice of {self.first} was better on the test part by "
            + "; by ".join(shown)
            + "."
        )


@dataclass(frozen=True, repr=False)
class TournamentResult:
    """Every trial of a tournament, and what they add up to."""

    metrics: tuple[str, ...]
    trials: tuple[dict[str, Any], ...]
    shares: tuple[float, float, float]
    seed: int
    lower_is_better: frozenset[str] = frozenset()

    @property
    def n_trials(self) -> int:
        """How many trials were run."""
        return len(self.trials)

    def _worth(self, guide: str, measure: str, trials: Sequence[Mapping[str, Any]]) -> Array:
        """Return what the guide's choices are worth on the test parts, signed so that more is better."""
        return (-1.0 if measure in self.lower_is_better else 1.0) * self._test_values(guide, measure, trials)

    def _test_values(self, guide: str, measure: str, trials: Sequence[Mapping[str, Any]]) -> Array:
        """Return what the guide's choices are worth on the test parts."""
        return np.array([trial["candidates"][trial["choice"][guide]]["test"][measure] for trial in trials], dtype=float)

    def duel(self, first: str, second: str) -> Duel:
        """One metric against another as guides."""
        first, second = (name_among(self.metrics, name) for name in (first, second))
        apart = [trial for trial in self.trials if trial["choice"][first] != trial["choice"][second]]
        n, value = len(apart), self._worth
        gains = {name: value(first, name, apart) - value(second, name, apart) for name in self.metrics}
        wins = {name: int((gain > 0).sum()) for name, gain in gains.items()}
        mean = {name: float(gain.mean()) if n else math.nan for name, gain in gains.items()}
        error = {name: float(gain.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan for name, gain in gains.items()}
        by_chance = math.fsum(1 / len(trial["candidates"]) for trial in self.trials)
        return Duel(first, second, self.n_trials, n, by_chance, wins, mean, error)

    @property
    def duels(self) -> tuple[Duel, ...]:
        """Every pair of metrics, in the order given."""
        return tuple(self.duel(first, second) for first, second in combinations(self.metrics, 2))

    def mean_kappas(self) -> dict[str, float]:
        """Mean resolution of each metric on the baseline's scores; empty without a baseline."""
        rows = [trial["kappa"] for trial in self.trials if "kappa" in trial]
        known = {name: [row[name] for row in rows if not math.isnan(row[name])] for name in self.metrics}
        return {name: float(np.mean(each)) if each else math.nan for name, each in known.items()} if rows else {}

    def rows(self) -> list[dict[str, Any]]:
        """Mean test performance of every guide, by every measure."""
        return [
            {"guide": guide}
            | {f"test {name}": float(self._test_values(guide, name, self.trials).mean()) for name in self.metrics}
            for guide in self.metrics
        ]

    def to_frame(self) -> Any:
        """Return the rows as a data frame."""
        return frame_of(self.rows())

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "metrics": list(self.metrics),
            "n_trials": self.n_trials,
            "shares": list(self.shares),
            "seed": self.seed,
            "mean_kappa": self.mean_kappas(),
            "guides": self.rows(),
            "duels": [vars(duel) for duel in self.duels],
            "sentences": [str(duel) for duel in self.duels],
        }

    def __str__(self) -> str:
        return "\n".join(map(str, self.duels))

    def __repr__(self) -> str:
        return f"TournamentResult: {self.n_trials} trials, {len(self.metrics)} metrics"
