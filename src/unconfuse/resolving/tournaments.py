"""Does the metric with more resolving power find better models? Beam's three-way holdout, for any models.

Each trial splits the data anew into training, validation and test; every metric picks its favourite among a few random
candidates on the validation part; what the picks are worth is measured on the large test part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import check_whole
from unconfuse.ingest._old import rows_of_arrays
from unconfuse.metrics import Metric, find_metric
from unconfuse.resolving._trials import Store, run_all
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.power import resolving_power
from unconfuse.resolving.study import Wanted
from unconfuse.resolving.values import as_metric
from unconfuse.resolving.verdict import TournamentResult
from unconfuse.table import ScoreTable

Estimator = Any
Space = Mapping[str, Any] | Callable[[np.random.Generator], Mapping[str, Any]]
Progress = Callable[[int, int], object]
Flags = npt.NDArray[np.bool_]
SHARES = (0.15, 0.05, 0.80)


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
    shares: tuple[float, float, float] = SHARES,
    positive: object = None,
    rng: int = 0,
    n_jobs: int = 1,
    store: str | None = None,
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
    shares : (training, validation, test)
    positive : optional
        The positive label.
    rng : int
        Seed. Trial i depends on the seed and i only: not on the number of processes, nor on what ran before.
    n_jobs : int
        Processes.
    store : path, optional
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
    trials, candidates = (
        check_whole(n_trials, "n_trials", at_least=1),
        check_whole(n_candidates, "n_candidates", at_least=1),
    )
    labels = rows_of_arrays(y, np.zeros(len(y)), positive=positive).is_positive
    parts = _checked_shares(shares)
    chosen = tuple({each.name: each for each in map(as_metric, metrics)}.values())
    setup = Setup(
        estimator,
        space,
        X,
        labels,
        chosen,
        dict(baseline) if baseline is not None else None,
        candidates,
        parts,
        check_whole(rng, "rng", at_least=0),
    )
    kept = Store(store, setup.fingerprint())
    rows = run_all(setup, trials, check_whole(n_jobs, "n_jobs", at_least=1), kept, progress)
    return TournamentResult(tuple(each.name for each in chosen), tuple(rows), parts, setup.seed)


@dataclass(frozen=True)
class Setup:
    """Everything that a trial needs; it travels to other processes."""

    estimator: Any
    space: Any
    X: Any
    is_positive: Flags
    metrics: tuple[Metric, ...]
    baseline: dict[str, Any] | None
    n_candidates: int
    shares: tuple[float, float, float]
    seed: int

    def __getstate__(self) -> dict[str, Any]:
        """Metrics travel to other processes by name: their functions cannot be pickled."""
        return {**vars(self), "metrics": tuple(each.name if _has_name(each) else each for each in self.metrics)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            object.__setattr__(self, name, tuple(map(as_metric, value)) if name == "metrics" else value)

    def fingerprint(self) -> dict[str, Any]:
        """What must agree before stored trials may be used again."""
        space = dict(self.space) if isinstance(self.space, Mapping) else getattr(self.space, "__name__", "callable")
        return {
            "rows": len(self.is_positive),
            "positives": int(self.is_positive.sum()),
            "seed": self.seed,
            "metrics": [each.name for each in self.metrics],
            "candidates": self.n_candidates,
            "shares": list(self.shares),
            "space": repr(space),
            "baseline": repr(self.baseline),
            "estimator": getattr(self.estimator, "__name__", type(self.estimator).__name__),
        }

    def trial(self, number: int) -> dict[str, Any]:
        """Split, fit the candidates, let every metric choose, measure the choices on the test part."""
        random = np.random.default_rng([self.seed, number])
        train, validation, test = split(self.is_positive, self.shares, random)
        row: dict[str, Any] = {"trial": number}
        if self.baseline is not None:
            row["kappa"] = self._kappas(self._scored(self.baseline, train, [validation])[0], validation, random)
        found = [
            self._measured(parameters, train, validation, test)
            for parameters in (draw_parameters(self.space, random) for _ in range(self.n_candidates))
        ]
        row["candidates"] = [{"parameters": plain(each[0]), "validation": each[1], "test": each[2]} for each in found]
        row["choice"] = {each.name: self._best(each, found) for each in self.metrics}
        return row

    def _best(self, metric: Metric, found: Sequence[tuple[Any, dict[str, float], dict[str, float]]]) -> int:
        sign = -1.0 if metric.better == "lower" else 1.0
        values = [sign * each[1][metric.name] for each in found]
        return int(np.nanargmax(values)) if not all(map(math.isnan, values)) else 0

    def _measured(
        self, parameters: Mapping[str, Any], train: npt.NDArray[np.intp], *parts: npt.NDArray[np.intp]
    ) -> tuple[Any, dict[str, float], dict[str, float]]:
        scores = self._scored(parameters, train, parts)
        tables = [ScoreTable.of_rows(self.is_positive[part], score) for part, score in zip(parts, scores, strict=True)]
        validation, test = ({each.name: float(each(table)) for each in self.metrics} for table in tables)
        return parameters, validation, test

    def _scored(
        self, parameters: Mapping[str, Any], train: npt.NDArray[np.intp], parts: Sequence[npt.NDArray[np.intp]]
    ) -> list[npt.NDArray[np.float64]]:
        model = make(self.estimator, parameters)
        model.fit(rows(self.X, train), self.is_positive[train].astype(np.int64))
        return [
            np.ascontiguousarray(np.asarray(model.predict_proba(rows(self.X, part)))[:, 1], dtype=np.float64)
            for part in parts
        ]

    def _kappas(self, score: Any, part: npt.NDArray[np.intp], random: np.random.Generator) -> dict[str, float]:
        """The resolution of each metric on the baseline's scores, by the linear method, as in the paper."""
        import warnings

        model = Empirical(ScoreTable.of_rows(self.is_positive[part], score))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = resolving_power(
                model, self.metrics, method="linear", n_samples=500, rng=int(random.integers(2**31))
            )
        return {each.name: found[each.name].kappa for each in self.metrics}


def _has_name(metric: Metric) -> bool:
    try:
        return find_metric(metric.name).label == metric.label
    except ArgumentError:
        return False


def split(is_positive: Flags, shares: Sequence[float], random: np.random.Generator) -> list[npt.NDArray[np.intp]]:
    """Random parts of the rows, with the same share of positives in each."""
    parts: list[list[npt.NDArray[np.intp]]] = [[] for _ in shares]
    for of_class in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        mixed = random.permutation(of_class)
        ends = np.round(np.cumsum([0.0, *shares]) * len(mixed)).astype(np.intp)
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
            part.append(mixed[start:end])
    found = [np.sort(np.concatenate(part)) for part in parts]
    if any(not is_positive[part].any() or is_positive[part].all() for part in found):
        raise InputError("the data are too small to have both classes in every part. Hint: change `shares`.")
    return found


def draw_parameters(space: Any, random: np.random.Generator) -> dict[str, Any]:
    """One candidate."""
    if callable(space):
        return dict(space(random))
    return {name: _draw_one(name, choices, random) for name, choices in space.items()}


def _draw_one(name: str, choices: Any, random: np.random.Generator) -> Any:
    if isinstance(choices, tuple) and len(choices) == 2:
        low, high = choices
        whole = isinstance(low, int) and isinstance(high, int)
        return int(random.integers(low, high + 1)) if whole else float(random.uniform(low, high))
    if isinstance(choices, Sequence) and not isinstance(choices, str) and len(choices):
        return choices[int(random.integers(len(choices)))]
    raise ArgumentError(f"the space of {name!r} must be a list of choices or a pair (low, high); got {choices!r}.")


def make(estimator: Any, parameters: Mapping[str, Any]) -> Any:
    """A fresh model with these parameters."""
    if hasattr(estimator, "set_params") and not isinstance(estimator, type):
        from copy import deepcopy

        return deepcopy(estimator).set_params(**parameters)
    return estimator(**parameters)


def rows(X: Any, part: npt.NDArray[np.intp]) -> Any:
    """Some rows of a frame or an array."""
    return X.iloc[part] if hasattr(X, "iloc") else np.asarray(X)[part]


def plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that JSON can hold."""
    return {
        str(name): value if isinstance(value, int | float | str | bool | None) else repr(value)
        for name, value in parameters.items()
    }


def _checked_shares(shares: Sequence[float]) -> tuple[float, float, float]:
    if len(shares) != 3 or min(shares) <= 0 or sum(shares) > 1 + 1e-9:
        raise ArgumentError(f"`shares` must be three numbers above 0 that add up to at most 1; got {shares!r}.")
    train, validation, test = (float(each) for each in shares)
    return train, validation, test
