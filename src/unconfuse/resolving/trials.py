"""One trial of a tournament; running trials in several processes, and keeping every finished one on disk."""

from __future__ import annotations

import hashlib
import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import short_repr
from unconfuse.metrics import Metric
from unconfuse.resolving._resolving_power import resolving_power
from unconfuse.resolving.empirical import Empirical
from unconfuse.resolving.process_pool import in_processes
from unconfuse.resolving.score_sampling import Progress
from unconfuse.table import Array, ScoreTable

Flags = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]


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

    def fingerprint(self) -> dict[str, Any]:
        """Return what must agree before stored trials may be used again."""
        space = dict(self.space) if isinstance(self.space, Mapping) else described(self.space)
        return {
            "rows": len(self.is_positive),
            "positives": int(self.is_positive.sum()),
            "data": digest_of(self.X, self.is_positive),
            "seed": self.seed,
            "metrics": [metric.name for metric in self.metrics],
            "candidates": self.n_candidates,
            "shares": list(self.shares),
            "space": repr(space),
            "baseline": repr(self.baseline),
            "estimator": described(self.estimator),
        }

    def trial(self, number: int) -> dict[str, Any]:
        """Split, fit the candidates, let every metric choose, measure the choices on the test part."""
        random = np.random.default_rng([self.seed, number])
        train, validation, test = _split(self.is_positive, self.shares, random)
        row: dict[str, Any] = {"trial": number}
        if self.baseline is not None:
            row["kappa"] = self._kappas(self._scored(self.baseline, train, validation)[0], random)
        candidates = []
        for parameters in [_draw_parameters(self.space, random) for _ in range(self.n_candidates)]:
            tables = self._scored(parameters, train, validation, test)
            found = [{metric.name: float(metric(table)) for metric in self.metrics} for table in tables]
            candidates.append({"parameters": _plain(parameters), "validation": found[0], "test": found[1]})
        return row | {
            "candidates": candidates,
            "choice": {metric.name: _best(metric, candidates) for metric in self.metrics},
        }

    def _scored(self, parameters: Mapping[str, Any], train: Rows, *parts: Rows) -> list[ScoreTable]:
        """Fit on one part, and score the others."""
        made, tables = self.estimator, []
        is_instance = hasattr(made, "set_params") and not isinstance(made, type)
        model = deepcopy(made).set_params(**parameters) if is_instance else made(**parameters)
        model.fit(_rows(self.X, train), self.is_positive[train].astype(np.int64))
        for part in parts:
            tables.append(ScoreTable.from_rows(self.is_positive[part], scores_of(model, _rows(self.X, part))))
        return tables

    def _kappas(self, table: ScoreTable, random: np.random.Generator) -> dict[str, float]:
        """Compute the resolution of each metric on the baseline's scores, by the linear method, as in the paper.

        A baseline that says the same of all cases, or separates them perfectly, has none.
        """
        seed = int(random.integers(2**31))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = resolving_power(Empirical(table), self.metrics, method="linear", n_samples=500, rng=seed)
            except ArgumentError:
                return {metric.name: math.nan for metric in self.metrics}
        return {metric.name: found[metric.name].kappa for metric in self.metrics}


def _best(metric: Metric, candidates: Sequence[Mapping[str, Any]]) -> int:
    sign = -1.0 if metric.better == "lower" else 1.0
    values = [sign * candidate["validation"][metric.name] for candidate in candidates]
    return int(np.nanargmax(values)) if not all(map(math.isnan, values)) else 0


def _split(is_positive: Flags, shares: Sequence[float], random: np.random.Generator) -> list[Rows]:
    """Random parts of the rows, with the same share of positives in each."""
    parts: list[list[Rows]] = [[] for _ in shares]
    for of_class in (np.flatnonzero(is_positive), np.flatnonzero(~is_positive)):
        mixed = random.permutation(of_class)
        ends = np.round(np.cumsum([0.0, *shares]) * len(mixed)).astype(np.intp)
        for part, start, end in zip(parts, ends[:-1], ends[1:], strict=True):
            part.append(mixed[start:end])
    found = [np.sort(np.concatenate(part)) for part in parts]
    if any(not is_positive[part].any() or is_positive[part].all() for part in found):
        raise InputError("the data are too small to have both classes in every part. Hint: change `split_fractions`.")
    return found


def _draw_parameters(space: Any, random: np.random.Generator) -> dict[str, Any]:
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
    raise ArgumentError(
        f"the space of {name!r} must be a list of choices or a pair (low, high); got {short_repr(choices)}."
    )


def _rows(X: Any, part: Rows) -> Any:
    """Return some rows of a frame, a sparse matrix or an array."""
    if hasattr(X, "iloc"):
        return X.iloc[part]
    return X.tocsr()[part] if hasattr(X, "tocsr") else np.asarray(X)[part]


def scores_of(model: Any, X: Any) -> Array:
    """Return the probability of being positive, or how far a case is on that side if a model has no probabilities."""
    if hasattr(model, "predict_proba"):
        found = np.asarray(model.predict_proba(X), dtype=np.float64)
        # A model that saw one class only knows no other.
        return np.ascontiguousarray(
            found[:, 1] if found.ndim == 2 and found.shape[1] > 1 else found.reshape(len(found))
        )
    if hasattr(model, "decision_function"):
        return np.ascontiguousarray(model.decision_function(X), dtype=np.float64)
    kind = type(model).__name__
    raise ArgumentError(f"{kind} has neither `predict_proba` nor `decision_function`, so it gives no scores.")


def digest_of(X: Any, is_positive: Flags) -> str:
    """Return a short text that changes with any value of the data."""
    found = hashlib.sha256(is_positive.tobytes())
    if hasattr(X, "tocsr"):
        sparse = X.tocsr()
        parts: Sequence[Any] = (sparse.data, sparse.indices, sparse.indptr)
    else:
        parts = [X[name].to_numpy() for name in X.columns] if hasattr(X, "columns") else [np.asarray(X)]
        found.update(repr(list(getattr(X, "columns", ()))).encode())
    for part in map(np.ascontiguousarray, parts):
        found.update(str((part.shape, part.dtype)).encode())
        found.update(repr(part.tolist()).encode() if part.dtype.hasobject else part.tobytes())
    return found.hexdigest()[:32]


def described(given: Any) -> str:
    """Describe an estimator, a class or a function in words that change with its settings or its code."""
    name = f"{getattr(given, '__module__', '')}.{getattr(given, '__qualname__', type(given).__qualname__)}"
    if hasattr(given, "get_params") and not isinstance(given, type):
        return f"{name} {sorted((key, repr(each)) for key, each in given.get_params().items())}"
    code = getattr(given, "__code__", None)
    return (
        name
        if code is None
        else f"{name} {hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest()[:16]}"
    )


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that JSON can hold."""
    kept = int | float | str | bool | None
    return {
        str(name): parameter if isinstance(parameter, kept) else repr(parameter)
        for name, parameter in parameters.items()
    }


def stored_trials(path: Path, fingerprint: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """Finished trials, one line of JSON each, after a first line that says what they are trials of.

    A line that a crash cut short is left out, and cut off before the next one is written.
    """
    try:
        text = path.read_bytes() if path.exists() else b""
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    whole = text[: text.rfind(b"\n") + 1]
    lines = [_parsed(line, path) for line in whole.splitlines()]
    if lines and lines[0].get("tournament") != fingerprint:
        raise InputError(f"{path} holds trials of another tournament. Hint: name another file, or delete it.")
    try:
        with path.open("r+b" if path.exists() else "w+b") as file:
            file.truncate(len(whole))
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from None
    if not lines:
        _append(path, {"tournament": fingerprint})
    return {int(line["trial"]): line for line in lines[1:]}


def _append(path: Path, line: dict[str, Any]) -> None:
    """With one write, flushed to the disk."""
    with path.open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _parsed(line: bytes, path: Path) -> dict[str, Any]:
    try:
        found = json.loads(line)
        if isinstance(found, dict) and ("tournament" in found or "trial" in found):
            return found
    except ValueError:
        pass
    raise InputError(f"{path} is not a file of trials. Hint: name a new file for `checkpoint`.")


def run_all(
    setup: Setup, n_trials: int, n_jobs: int, store: str | os.PathLike[str] | None, progress: Progress | None
) -> list[dict[str, Any]]:
    """Run the trials that are not in the store; each is stored as soon as it is done."""
    path = None if store is None else Path(store)
    rows = {} if path is None else stored_trials(path, setup.fingerprint())
    missing = [number for number in range(n_trials) if number not in rows]
    jobs = min(n_jobs, len(missing))
    finished = in_processes(setup.trial, missing, jobs) if jobs > 1 else map(setup.trial, missing)
    for done, row in enumerate(finished, n_trials - len(missing) + 1):
        rows[row["trial"]] = row
        if path is not None:
            _append(path, row)
        if progress is not None:
            progress(done, n_trials)
    return [rows[number] for number in range(n_trials)]
