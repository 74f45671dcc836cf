"""The compiled kernels, called as the library calls them and then with arguments that it never gives: indices that
point elsewhere, weights below 0, arrays of the wrong shape. They answer or refuse; they never read or write elsewhere.

`make sanitize` runs the same under AddressSanitizer and UndefinedBehaviorSanitizer, which see what no crash shows.
"""

from __future__ import annotations

import contextlib
import faulthandler
from collections.abc import Callable
from typing import Any

import numpy as np
from hostile import Outcome

from unconfuse import _kernels
from unconfuse._kernels import _native

KIND = "kernels"
WORDS = "native calls with one or two arguments that point elsewhere, count nothing or have another shape"
HANG = 300  # seconds: a kernel that never ends hears no signal, so that the process is ended
FLOATS = (0.0, -1.0, 1.0, 0.5, -0.0, 1e9, -1e9, 1e300, -1e300, 5e-324, np.nan, np.inf, -np.inf, 2.0**31, 1e18, -1e18)
INTEGERS = (0, 1, -1, 2, 5, 1000, 2**31 - 1, 2**31, 2**32, -(2**31), 2**62, -(2**62), 2**63 - 1, -(2**63))
SCALARS = (0, 1, 2, 3, -1, 7, 65_536, 2**32 - 1, 2**63, 2**64 - 1, 2**64, 0.5, -1.0, np.nan, np.inf, True, None)


def _tables(rng: np.random.Generator, *shape: int) -> tuple[np.ndarray, np.ndarray]:
    both = rng.integers(0, 4, (2, *shape)).astype(np.float64)
    return both[0], both[1]


def _rows(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return rng.choice([0.1, 0.4, 0.7], n), rng.random(n) < 0.5, rng.integers(0, 3, n).astype(np.float64)


def _scans(rng: np.random.Generator, n: int) -> None:
    stack, score = _tables(rng, int(rng.integers(1, 4)), n), np.linspace(0.9, 0.1, n)
    _kernels.rank_metrics(*stack)
    _kernels.partial_areas(*stack, 0.3)
    _kernels.hull_segments(*stack)
    _kernels.band_sums(score, *stack, np.unique(rng.integers(0, n, 2)))
    _kernels.recalibrate(score, *stack, np.ones(len(stack[0]), dtype=np.bool_))


def _of_one_table(rng: np.random.Generator, n: int) -> None:
    table, score = _tables(rng, n), np.linspace(0.9, 0.1, n)
    _kernels.placement_moments(*table)
    _kernels.mean_precision(*table, np.array([0.2, 1.0]), np.array([0.5, 0.5]))
    _kernels.roc_points(score, *table)
    _kernels.precision_recall_points(*table)
    _kernels.loss_moments(score, *table, logarithmic=bool(rng.integers(2)))
    _kernels.places_reaching(table[0], np.sort(rng.random(3) * 5))
    _kernels.node_weights(score[::-1], table[0])
    _kernels.beta_tails(*rng.random((3, n)), rng.random(n))
    _kernels.merge_tables(score, *table, score - 0.05, *table)


def _of_rows(rng: np.random.Generator, n: int) -> None:
    score, positive, weights = _rows(rng, n)
    _kernels.collapse(score, positive)
    _kernels.collapse(score, positive, weights)
    _kernels.order_rows(score)


def _bootstraps(rng: np.random.Generator, n: int) -> None:
    table, how = _tables(rng, n), {"seed": int(rng.integers(9)), "count": int(rng.integers(1, 6))}
    design = "cohort" if rng.random() < 0.5 else "case-control"
    _kernels.bootstrap_ranks(*table, design=design, metrics=_kernels.RANK_METRICS, **how)
    _kernels.bootstrap_tables(*table, design=design, **how)
    score, positive, weights = _rows(rng, n)
    _kernels.bootstrap_rows(weights, strata=positive.astype(np.int64) if rng.random() < 0.5 else None, **how)
    orders = [_kernels.order_rows(score), _kernels.order_rows(-score)]
    units = rng.integers(0, 3, n) if rng.random() < 0.5 else None
    _kernels.paired_bootstrap_ranks(orders, positive, unit_of_row=units, metrics=_kernels.RANK_METRICS, **how)


def _populations(rng: np.random.Generator, n: int) -> None:
    roc = _kernels.roc_table(lambda tpr: tpr**2)
    _kernels.roc_samples(roc, n, n, seed=1, count=2, metrics=_kernels.RANK_METRICS)


def _classes(rng: np.random.Generator, n: int) -> None:
    k, kind = int(rng.integers(2, 20)), rng.choice([np.float32, np.float64])
    scores = np.round(rng.random((n, k)), 1).astype(kind)
    _kernels.class_ranks(scores, rng.integers(0, k, n), coefficients=rng.random((2, k)))


def _untied(rng: np.random.Generator, n: int) -> None:
    both = rng.integers(0, 3, n).astype(np.uint32), rng.integers(0, 3, n + 1).astype(np.uint32)
    _native.untied_areas(*both, bool(rng.integers(2)))


CALLS = (_scans, _of_one_table, _of_rows, _bootstraps, _populations, _classes, _untied)


def attack(rng: np.random.Generator) -> Outcome:
    """A few calls as the library makes them, each then made again with arguments changed."""
    faulthandler.dump_traceback_later(HANG, exit=True)
    try:
        made = _recorded(rng.choice(np.array(CALLS, dtype=object)), rng)
        tried = sum(_again(rng, *call) for call in made for _ in range(3))
        return Outcome("fine", inputs=tried)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _recorded(calls: Callable[..., None], rng: np.random.Generator) -> list[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """What the native functions are called with."""
    made: list[tuple[Callable[..., Any], tuple[Any, ...]]] = []
    natives = {name: getattr(_native, name) for name in dir(_native) if not name.startswith("_")}

    def recording(native: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            made.append((native, tuple(map(_copied, given))))  # the library may shrink its arrays afterwards
            return native(*given)

        return call

    try:
        for name, native in natives.items():
            setattr(_native, name, recording(native))
        calls(rng, int(rng.integers(1, 30)))
    finally:
        for name, native in natives.items():
            setattr(_native, name, native)
    return made


def _again(rng: np.random.Generator, native: Callable[..., Any], given: tuple[Any, ...]) -> int:
    changed = [_copied(each) for each in given]
    for place in rng.choice(len(changed), min(len(changed), int(rng.integers(1, 3))), replace=False):
        changed[place] = _spoilt(rng, changed[place])
    with contextlib.suppress(ValueError, TypeError, MemoryError):
        native(*changed)
    return 1


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(each) for each in value]
    return value.copy() if isinstance(value, np.ndarray) else value


def _spoilt(rng: np.random.Generator, value: Any) -> Any:
    if isinstance(value, list):
        return [_spoilt(rng, each) for each in value] if rng.random() < 0.7 else value[:-1]
    if not isinstance(value, np.ndarray):
        return SCALARS[rng.integers(len(SCALARS))]
    if rng.random() < 0.3 or not value.size:
        return _reshaped(rng, value)
    if value.dtype.kind in "fiu":
        pool = FLOATS if value.dtype.kind == "f" else INTEGERS
        for _ in range(int(rng.integers(1, 4))):
            with np.errstate(all="ignore"):
                value.flat[rng.integers(value.size)] = np.array([pool[rng.integers(len(pool))]]).astype(value.dtype)[0]
    return value


def _reshaped(rng: np.random.Generator, value: np.ndarray) -> np.ndarray:
    changes: tuple[Callable[[], np.ndarray], ...] = (
        value[:-1].copy,
        value[:0].copy,
        lambda: np.concatenate([value, value]),
        lambda: value.reshape(-1),
        value[None].copy,
        lambda: value.astype(np.float32),
        lambda: value.astype(np.int64) if value.dtype.kind != "f" or np.isfinite(value).all() else value,
        lambda: np.asfortranarray(value),
    )
    with np.errstate(all="ignore"):
        return changes[rng.integers(len(changes))]()
