"""Cross-validation, scorers, thresholds and gates with estimators, features, labels and splitters that misbehave.

What an estimator or a splitter raises of its own is its own; whatever it returns is judged or refused in words. Where
it behaves, the values are those of its scores.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import math
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from attack_questions import all_sound, show
from attack_results import labels_and_scores
from hostile import FINE, REFUSED, Outcome, WrongError
from oddities import odd

import unconfuse as uc

KIND = "estimators"
WORDS = "estimators, features, labels, weights and splitters that misbehave: cross-validation, scorers, gates, choices"
PATIENCE = 60
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-12}
ASKED_OF = (
    ".fit(",
    "(rows)",
    "(X)",
    ".predict(",
    "clone(",
    ".split(",
    "self.complexity(",
)  # lines that call others' code


class OwnError(Exception):
    """What an estimator raises of its own."""


class Oracle:
    """An estimator whose scores are the first feature, and that does one thing otherwise than it should."""

    def __init__(self, how: str = "", classes: Any = None) -> None:
        self.how, self.classes = how, classes

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"how": self.how, "classes": self.classes}

    def set_params(self, **given: Any) -> Oracle:
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier().__sklearn_tags__()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if self.how == "raises":
            raise OwnError
        if self.how != "no classes":
            found = np.unique(y)
            odd_ones = {
                "reversed": found[::-1],
                "of texts": found.astype(str),
                "one": found[:1],
                "a list": found.tolist(),
            }
            self.classes_ = odd_ones.get(self.how, found)
        return None if self.how == "returns nothing" else self

    def predict(self, X: Any) -> Any:
        scores = self._scores(X)
        return np.asarray(self.classes_)[(scores > 0.5).astype(int) % len(self.classes_)]

    def _scores(self, X: Any) -> Any:
        return np.asarray(X, dtype=float).reshape(len(X), -1)[:, 0]


class Decides(Oracle):
    """Gives one score for each case."""

    def decision_function(self, X: Any) -> Any:
        return misbehaved(self.how, self._scores(X))


class States(Oracle):
    """Gives a share for each class."""

    def predict_proba(self, X: Any) -> Any:
        scores, k = self._scores(X), len(getattr(self, "classes_", (0, 1)))
        if k == 2:
            return misbehaved(self.how, np.column_stack([1 - scores, scores]))
        return misbehaved(self.how, np.column_stack([np.abs(scores) + place + 1 for place in range(k)]) / 7)


def misbehaved(how: str, given: Any) -> Any:
    """What came out, or something else."""
    flat = given.reshape(len(given), -1)
    ways: dict[str, Callable[[], Any]] = {
        "short": lambda: given[:-1],
        "flat": lambda: flat[:, -1],
        "narrow": lambda: flat[:, :1],
        "wide": lambda: np.column_stack([flat, flat]),
        "deep": lambda: given[..., None, None],
        "nan": lambda: given * math.nan,
        "infinite": lambda: given + math.inf,
        "texts": lambda: given.astype(str),
        "words": lambda: np.full(given.shape, "x"),
        "complex": lambda: given * 1j,
        "nothing": lambda: None,
        "lists": given.tolist,
        "ragged": lambda: [[0.5], *flat.tolist()],
        "objects": lambda: given.astype(object),
        "a number": lambda: 0.5,
        "frame": lambda: __import__("pandas").DataFrame(flat),
        "huge": lambda: np.where(given > 0.5, 1e308, -1e308),
        "raises late": _raised,
        "of integers": lambda: (given > 0.5).astype(int),
    }
    return ways.get(how, lambda: given)()


def _raised() -> Any:
    raise OwnError


HOWS = ["", "", "", "raises", "no classes", "reversed", "of texts", "one", "a list", "returns nothing", "short", "flat"]
HOWS += [
    "narrow",
    "wide",
    "deep",
    "nan",
    "infinite",
    "texts",
    "words",
    "complex",
    "nothing",
    "lists",
    "ragged",
    "objects",
]
HOWS += ["a number", "frame", "huge", "raises late", "of integers"]


class Splitter:
    """A splitter whose splits are what they are."""

    def __init__(self, splits: Any) -> None:
        self.splits = splits

    def get_n_splits(self, *_: Any) -> int:
        return 2

    def split(self, *_: Any) -> Any:
        if self.splits is OwnError:
            raise OwnError
        return self.splits


def missing() -> str:
    """All of these are for scikit-learn."""
    return "" if importlib.util.find_spec("sklearn") else "estimators need scikit-learn"


def attack(rng: np.random.Generator) -> Outcome:
    """One call."""
    tries = (_crossed, _crossed, _scored, _scored, _chosen, _gated, _selected, _drawn)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):  # `print` may be an odd function
            warnings.filterwarnings("ignore", module="sklearn")  # its own advice to its own users
            warnings.filterwarnings("ignore", module="matplotlib")
            found: Outcome = tries[int(rng.integers(len(tries)))](rng)
            return found
    except OwnError:
        return FINE
    except uc.UnconfuseError:
        return REFUSED
    except WrongError:
        raise
    except Exception as error:
        if is_theirs(error):
            return REFUSED
        raise


def is_theirs(error: Exception) -> bool:
    """Whether it was raised inside an estimator, a splitter or a function that was given."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = _ours(frames)
    if not ours:
        return False
    last = frames[ours[-1]]
    return ours[-1] < len(frames) - 1 and any(each in (last.line or "") for each in ASKED_OF)


def _ours(frames: Any) -> list[int]:
    """The places of frames within the package, whatever the folder of the project is called."""
    package = Path(uc.__file__).parent
    return [place for place, each in enumerate(frames) if package in Path(each.filename).parents]


# --- what is given -------------------------------------------------------------------------------------------------


def _rows(rng: np.random.Generator) -> tuple[Any, Any]:
    """Features of which the first is the score, and labels, mostly of two classes."""
    n = int(rng.choice([6, 10, 20, 40]))
    y, s = labels_and_scores(rng, n)
    k = min(4, n // 2)
    y[:k], y[k : 2 * k] = 0, 1
    kind = rng.random()
    names: Any = y
    if kind < 0.1:
        names = np.array(["no", "yes"])[y]
    elif kind < 0.2:
        names = (y == 1).tolist()
    elif kind < 0.3:
        names = np.where(rng.random(n) < 0.3, 2, y)
    return np.column_stack([np.clip(s, 0, 1) if rng.random() < 0.5 else s, rng.random(n)]), names


def _estimator(rng: np.random.Generator) -> Any:
    how = HOWS[int(rng.integers(len(HOWS)))]
    if rng.random() < 0.15:
        from sklearn.dummy import DummyClassifier
        from sklearn.naive_bayes import GaussianNB
        from sklearn.tree import DecisionTreeClassifier

        real = [GaussianNB, GaussianNB(), DecisionTreeClassifier(random_state=0), DummyClassifier(), Oracle(how)]
        return real[int(rng.integers(len(real)))]
    return (Decides if rng.random() < 0.5 else States)(how)


def _learnt(model: Any, X: Any, y: Any) -> Any:
    if not isinstance(model, type):
        model.fit(X, y)
    return model


def _cv(rng: np.random.Generator, n: int) -> Any:
    from sklearn import model_selection as ms

    rows, half = np.arange(n), n // 2
    kinds: list[Callable[[], Any]] = [
        lambda: int(rng.integers(-1, 6)),
        lambda: ms.StratifiedKFold(2, shuffle=True, random_state=0),
        lambda: ms.RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        lambda: ms.GroupKFold(2),
        ms.LeaveOneOut,
        lambda: ms.ShuffleSplit(2, random_state=0),
        lambda: [(rows[:half], rows[half:]), (rows[half:], rows[:half])],
        lambda: Splitter([]),
        lambda: Splitter(None),
        lambda: Splitter(OwnError),
        lambda: Splitter([(rows, rows)]),
        lambda: Splitter([(rows, rows + n)]),
        lambda: Splitter([(rows, -rows - 1)]),
        lambda: Splitter([(rows, rows[:0]), (rows[:0], rows)]),
        lambda: Splitter([(rows * 0.5, rows)]),
        lambda: Splitter([(rows, rows * 1.0)]),
        lambda: Splitter([(rows > half, rows <= half), (rows <= half, rows > half)]),
        lambda: Splitter([rows, rows]),
        lambda: Splitter([(rows[None], rows[None])]),
        lambda: Splitter([("a", "b")]),
        lambda: Splitter([(rows,)]),
        lambda: odd(rng),
    ]
    return kinds[int(rng.integers(len(kinds)))]()


def _but(rng: np.random.Generator, given: Any, share: float = 0.12) -> Any:
    """What was meant, or rarely anything else."""
    return odd(rng) if rng.random() < share else given


# --- what is asked -------------------------------------------------------------------------------------------------


def _crossed(rng: np.random.Generator) -> Outcome:
    X, y = _rows(rng)
    n = len(X)
    model = _but(rng, _estimator(rng), 0.05)
    words: dict[str, Any] = {"cv": _cv(rng, n)} if rng.random() < 0.7 else {"cv": 2}
    words |= {"groups": _but(rng, rng.integers(0, 4, n))} if rng.random() < 0.15 else {}
    words |= {"nested": _but(rng, 1)} if rng.random() < 0.15 else {}
    words |= {"rng": _but(rng, 3)} if rng.random() < 0.1 else {}
    words |= {"positive": _but(rng, np.asarray(y)[0])} if rng.random() < 0.15 else {}
    words |= {"threshold": _but(rng, 0.5)} if rng.random() < 0.2 else {}
    words |= {"metrics": _but(rng, ["auroc", "accuracy"])} if rng.random() < 0.5 else {}
    given, labels = _but(rng, X), _but(rng, y)
    found = uc.cross_evaluate(model, given, labels, n_resamples=100, **words)
    several = found.sample.is_multiclass
    all_sound(found, uc.MULTICLASS_METRICS if several else uc.METRICS)
    show(found)
    behaves = isinstance(model, Oracle) and model.how in ("", "lists", "objects", "frame", "texts", "returns nothing")
    if several or not behaves or given is not X or labels is not y or "auroc" not in found:
        return FINE
    return _same_area(found, X[:, 0], np.asarray(y), words.get("positive"))


def _same_area(found: Any, s: Any, y: Any, positive: Any) -> Outcome:
    """Each case is scored by its first feature, whatever was learnt: the pooled area is that of all rows."""
    wanted = np.unique(y)[1] if positive is None else positive
    s = s if wanted == np.unique(y)[1] else -s
    above = np.sign(s[y == wanted][:, None] - s[y != wanted]) / 2 + 0.5
    pooled = found.pooled["auroc"].value
    if not math.isclose(pooled, above.mean(), **CLOSE):
        raise WrongError(f"the pooled area is {pooled!r}, by pairs {above.mean()!r}")
    return Outcome("fine", compared=1)


def _scored(rng: np.random.Generator) -> Outcome:
    from unconfuse.sklearn import scorer

    X, y = _rows(rng)
    names = [*uc.METRICS, *uc.MULTICLASS_METRICS]
    name = names[int(rng.integers(len(names)))]
    words = {"threshold": _but(rng, 0.5)} if rng.random() < 0.2 else {}
    words |= {"positive": _but(rng, np.asarray(y)[0])} if rng.random() < 0.2 else {}
    judge = scorer(_but(rng, name, 0.05), **words)
    model = _learnt(_estimator(rng), X, y)
    weights = {"sample_weight": _but(rng, rng.random(len(X)), 0.4)} if rng.random() < 0.3 else {}
    given, labels = _but(rng, X), _but(rng, y)
    value = judge(model, given, labels, **weights)
    if not isinstance(value, float):
        raise WrongError(f"{judge!r} scores {value!r}")
    two = len(np.unique(np.asarray(y))) == 2 and name == "auroc" and not words and not weights
    if two and isinstance(model, Oracle) and not model.how and given is X and labels is y:
        wanted = uc.evaluate(y, X[:, 0], metrics=["auroc"], positive=np.unique(y)[1].item())["auroc"].value
        if not math.isclose(value, wanted, **CLOSE):
            raise WrongError(f"the scorer says {value!r}, evaluate {wanted!r}")
        return Outcome("fine", compared=1)
    return FINE


def _chosen(rng: np.random.Generator) -> Outcome:
    """A threshold that is chosen: scikit-learn's checks speak in its own words, as its estimators must."""
    from unconfuse.sklearn import ThresholdClassifier

    X, y = _rows(rng)
    words: dict[str, Any] = {"holdout": _but(rng, [2, 0.5, "prefit"][int(rng.integers(3))])}
    words |= (
        {"rule": _but(rng, str(rng.choice(["youden", "max_f1", "indistinguishability"])))} if rng.random() < 0.5 else {}
    )
    words |= {"random_state": _but(rng, 1)} if rng.random() < 0.1 else {}
    model = _estimator(rng)
    if isinstance(words["holdout"], str) and rng.random() < 0.8:
        model = _learnt(model, X, y)
    weights = {"sample_weight": _but(rng, rng.integers(0, 3, len(X)), 0.3)} if rng.random() < 0.2 else {}
    features, labels = _but(rng, X), _but(rng, y)
    try:
        chosen = ThresholdClassifier(model, **words).fit(features, labels, **weights)
        said = chosen.predict(X)
    except (ValueError, TypeError, AttributeError) as error:
        if in_scikit_words(error):
            return REFUSED
        raise
    if set(np.unique(said)) - set(np.unique(np.asarray(labels))):
        raise WrongError(f"predicted {np.unique(said)} of {np.unique(np.asarray(labels))}")
    return FINE


def in_scikit_words(error: Exception) -> bool:
    """Raised by scikit-learn's own checks, which speak so to its users, or by ours in their manner."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = _ours(frames)
    beyond = frames[ours[-1] + 1 :] if ours else ()
    return any("sklearn" in Path(each.filename).parts for each in beyond) or (frames[-1].line or "").startswith(
        "raise "
    )


def _gated(rng: np.random.Generator) -> Outcome:
    from unconfuse.testing import assert_not_worse

    X, y = _rows(rng)
    names = ["auroc", "accuracy", "sensitivity", "brier", "mcc"]
    words: dict[str, Any] = {"metric": _but(rng, str(rng.choice(names)))} if rng.random() < 0.7 else {}
    words |= {"metrics": _but(rng, names[:2])} if rng.random() < 0.2 else {}
    words |= {"margin": _but(rng, float(rng.choice([0.0, 0.01, 0.5])))} if rng.random() < 0.7 else {}
    words |= {"threshold": _but(rng, 0.5)} if rng.random() < 0.3 else {}
    words |= {"cannot_tell": _but(rng, "pass")} if rng.random() < 0.3 else {}
    words |= {"error_rate": _but(rng, 0.1)} if rng.random() < 0.2 else {}
    words |= {"require": odd(rng)} if rng.random() < 0.1 else {}
    try:
        found = assert_not_worse(_but(rng, y), _but(rng, X[:, 0]), _but(rng, X[:, 1]), **words)
    except AssertionError as error:
        if isinstance(error, WrongError) or len(str(error)) < 20:
            raise WrongError(f"fails without words: {error!r}") from None
        return FINE
    show(found)
    return FINE


def _selected(rng: np.random.Generator) -> Outcome:
    from unconfuse.sklearn import SelectByResolution

    many, folds = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    results: dict[str, Any] = {"params": [{"depth": place, "name": "a"} for place in range(many)]}
    results |= {f"split{place}_test_score": rng.random(many).round(1) for place in range(folds)}
    for name in rng.choice(list(results), int(rng.integers(0, 2))):
        if rng.random() < 0.2:
            del results[str(name)]
        else:
            results[str(name)] = _but(rng, np.full(many, math.nan), 0.7)
    choices: list[Any] = ["depth", "-depth", "name", "none", lambda params: params["depth"], lambda params: None]
    words = {"folds": _but(rng, 2)} if rng.random() < 0.2 else {}
    words |= {"metric": _but(rng, "score")} if rng.random() < 0.2 else {}
    words |= {"confidence_level": _but(rng, 0.9)} if rng.random() < 0.2 else {}
    place = SelectByResolution(_but(rng, choices[int(rng.integers(len(choices)))]), **words)(_but(rng, results, 0.05))
    if not 0 <= place < many:
        raise WrongError(f"chose {place} of {many}")
    return FINE


def _drawn(rng: np.random.Generator) -> Outcome:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from unconfuse.plots import PICTURES
    from unconfuse.sklearn import CurveDisplay

    X, y = _rows(rng)
    words = {"curve": _but(rng, str(rng.choice(list(PICTURES))))}
    words |= {"sample_weight": _but(rng, rng.random(len(X)))} if rng.random() < 0.2 else {}
    words |= {"positive": _but(rng, np.asarray(y)[0])} if rng.random() < 0.2 else {}
    try:
        if rng.random() < 0.5:
            CurveDisplay.from_predictions(_but(rng, y), _but(rng, X[:, 0]), **words)
        else:
            model = _learnt(_estimator(rng), X, y)
            CurveDisplay.from_estimator(model, _but(rng, X), _but(rng, y), **words)
    except (ValueError, TypeError, AttributeError) as error:
        if in_scikit_words(error):
            return REFUSED
        raise
    finally:
        plt.close("all")
    return FINE
