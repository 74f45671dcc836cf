"""Values that nobody expects: numbers at the edges of types, columns of every library and dtype, and things that are
neither. Each is made anew when asked for, so that one that was used up or changed does no harm."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

N = 12  # rows of every good column
LABELS = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0]
SCORES = [0.1, 0.9, 0.4, 0.4, 0.8, 0.2, 0.5, 0.6, 0.7, 0.3, 0.95, 0.15]
Maker = Callable[[], Any]


class Plain:
    """An object that can do nothing."""


class Sized:
    """Looks like a column, and holds things that are none."""

    def __len__(self) -> int:
        return N

    def __getitem__(self, place: int) -> Any:
        if place >= N:
            raise IndexError(place)
        return Plain()


class Floating:
    """Can be made a number, and is none."""

    def __float__(self) -> float:
        return 0.5

    def __index__(self) -> int:
        return 3


SCALARS: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    3,
    7,
    100,
    20_000,  # millions of resamples are no oddity, and take their time
    2**31,
    2**53 + 1,
    2**63,
    2**64,
    10**400,
    -(10**400),
]
SCALARS += [
    10**5000,
    0.0,
    -0.0,
    0.5,
    0.25,
    1.0,
    1.5,
    -0.5,
    50.0,
    float("nan"),
    float("inf"),
    -float("inf"),
    1e308,
    -1e308,
]
SCALARS += [
    5e-324,
    1e-12,
    1 - 1e-16,
    1j,
    Decimal("0.5"),
    Decimal("NaN"),
    Decimal("1e400"),
    Fraction(1, 3),
    10**30,
    1e30,
]
SCALARS += ["", " ", "x", "0", "1", "0.5", "nan", "1e400", "auroc", "mcc", "cohort", "roc", "mid_p", "youden", "a\x00b"]
SCALARS += [
    "é" * 500,
    "<script>",
    "ece(1e9)",
    "f_beta(nan)",
    "precision_at_k(10**9)",
    "h_measure((",
    "auroc_macro",
    "📈",
]
SCALARS += [
    b"",
    b"x",
    bytearray(b"ab"),
    datetime.date(2020, 1, 1),
    datetime.datetime(2020, 1, 1),
    datetime.timedelta(1),
]
SCALARS += [
    int,
    float,
    len,
    print,
    Plain,
    Ellipsis,
    NotImplemented,
    np,
    np.nan,
    np.inf,
    pd.NA,
    pd.NaT,
    slice(1, 2),
    range(3),
]
SCALARS += [np.float16(0.5), np.float32("nan"), np.longdouble(0.5), np.int8(-1), np.uint64(2**64 - 1), np.bool_(True)]
SCALARS += [np.complex64(1j), np.str_("x"), np.bytes_(b"x"), np.datetime64("2020-01-01"), np.timedelta64(1, "D")]
SCALARS += [np.datetime64("NaT"), np.array(0.5), np.array(None), np.array("x"), np.void(b"ab"), Path("nothing.csv")]

CONTAINERS: list[Maker] = [
    list,
    tuple,
    dict,
    set,
    frozenset,
    lambda: [[]],
    lambda: [None],
    lambda: [1],
    lambda: [0.5],
    lambda: ["auroc"],
    lambda: ["auroc", "auroc"],
    lambda: ["auroc", None],
    lambda: [Plain()],
    lambda: [1, "a", None],
    lambda: [[1, 2], [3]],
    lambda: (0.1, 0.9),
    lambda: (0.9, 0.1),
    lambda: (float("nan"), 1),
    lambda: {"a": 1},
    lambda: {"a": SCORES, "b": SCORES[::-1]},
    lambda: {"a": None},
    lambda: {0: SCORES, 1: SCORES},
    lambda: {None: 0.5},
    lambda: {"a": {"b": SCORES}},
    lambda: set(SCORES),
    lambda: {1, 2},
    lambda: range(N),
    lambda: (each for each in SCORES),
    lambda: iter(SCORES),
    lambda: map(str, SCORES),
    lambda: zip(LABELS, SCORES, strict=True),
    lambda: memoryview(np.array(SCORES)),
    Plain,
    Sized,
    Floating,
    lambda: lambda *given: 0.5,
    lambda: lambda *given: None,
    lambda: dict.fromkeys(SCORES).keys(),
]


def _columns() -> list[Maker]:
    scores, labels = np.array(SCORES), np.array(LABELS)
    dtypes = ["f2", "f4", ">f8", "g", "i1", "u1", "i8", "u8", "?", "c8", "U4", "S4", "O", "M8[D]", "m8[D]"]
    makers: list[Maker] = [lambda kind=kind: labels.astype(kind) for kind in dtypes]
    makers += [lambda kind=kind: scores.astype(kind) for kind in ("f2", "f4", ">f8", "g", "i8", "U4", "O", "c16")]
    makers += [
        lambda: scores[:, None],
        lambda: scores[None],
        lambda: np.stack([1 - scores, scores], axis=1),
        lambda: np.zeros((N, 2, 2)),
        lambda: np.zeros((0,)),
        lambda: np.zeros((N, 0)),
        lambda: np.zeros(N),
        lambda: np.full(N, np.nan),
        lambda: np.full(N, np.inf),
        lambda: np.full(N, 1e308),
        lambda: np.full(N, -1.0),
        lambda: np.full(N, 5e-324),
        lambda: np.where(labels, 1e308, -1e308),
        lambda: np.arange(N) + 2**53,
        lambda: np.arange(N) * 2**40,
        lambda: np.full(N, 2**62),
        lambda: [10**400] * N,
        lambda: np.asfortranarray(np.stack([scores, scores], axis=1))[:, 0],
        lambda: np.repeat(scores, 2)[::2],
        lambda: scores[::-1],
        lambda: np.ma.masked_array(scores, mask=labels == 1),
        lambda: np.array([(1, 2.0)] * N, dtype=[("a", int), ("b", float)]),
        lambda: np.rec.fromarrays([labels, scores], names="y,p"),
        lambda: scores[:5],
        lambda: [str(each) for each in SCORES],
        lambda: [(1, 2)] * N,
        lambda: [(1, 2), (1,)] * (N // 2),
        lambda: [[each] for each in SCORES],
        lambda: [Plain() for _ in range(N)],
        lambda: [None] * N,
        lambda: ["a", 1] * (N // 2),
        lambda: [True, None] * (N // 2),
        lambda: ["100", "1E2"] * (N // 2),
        lambda: [9007199254740993, 9007199254740992] * (N // 2),
        lambda: [Decimal(str(each)) for each in SCORES],
        lambda: [Fraction(each) for each in SCORES],
        lambda: [datetime.date(2020, 1, 1 + each) for each in LABELS],
        lambda: ["a", "b", "c"] * (N // 3),
    ]
    return makers


def _frames() -> list[Maker]:
    frame = {"y": LABELS, "p": SCORES}
    return [
        lambda: pd.Series(SCORES),
        lambda: pd.Series(SCORES, index=range(100, 100 + N)),
        lambda: pd.Series(LABELS, dtype="Int64"),
        lambda: pd.Series([*LABELS[:-1], None], dtype="Int64"),
        lambda: pd.Series(["a", "b"] * (N // 2), dtype="category"),
        lambda: pd.Series(["a", "b"] * (N // 2), dtype="string"),
        lambda: pd.Series(pd.date_range("2020", periods=N)),
        lambda: pd.Series(pd.interval_range(0, N)),
        lambda: pd.Series([], dtype=float),
        lambda: pd.Series([{}] * N),
        lambda: pd.DataFrame(frame),
        lambda: pd.DataFrame({"a": SCORES, 3: SCORES}),
        pd.DataFrame,
        lambda: pd.DataFrame([[1, 2], [3, 4]], columns=["y", "y"]),
        lambda: pd.Index(SCORES),
        lambda: pl.Series(SCORES),
        lambda: pl.Series([*SCORES[:-1], None]),
        lambda: pl.Series(["a", "b"] * (N // 2), dtype=pl.Categorical),
        lambda: pl.Series([[1, 2]] * N),
        lambda: pl.DataFrame(frame),
        lambda: pl.DataFrame(frame).lazy(),
        pl.DataFrame,
        lambda: pl.Series([], dtype=pl.Float64),
        lambda: pa.array(SCORES),
        lambda: pa.array([*SCORES[:-1], None]),
        lambda: pa.array(["a", "b"] * (N // 2)).dictionary_encode(),
        lambda: pa.chunked_array([SCORES[:5], SCORES[5:]]),
        lambda: pa.table(frame),
        lambda: pa.nulls(N),
        lambda: nw.from_native(pl.DataFrame(frame)),
    ]


COLUMNS = _columns()
FRAMES = _frames()


def odd(rng: np.random.Generator) -> Any:
    """Any of them."""
    kind = rng.choice(4, p=[0.4, 0.2, 0.25, 0.15])
    if kind == 0:
        return SCALARS[rng.integers(len(SCALARS))]
    makers = (CONTAINERS, COLUMNS, FRAMES)[kind - 1]
    return makers[rng.integers(len(makers))]()
