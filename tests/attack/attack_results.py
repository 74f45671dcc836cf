"""Small data sets of every awkward shape: each result is printed, serialised, paged and drawn, and none may fail."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import numpy as np
from hostile import FINE, REFUSED, Outcome, WrongError

import unconfuse as uc
from unconfuse._formatting import plain_json

KIND = "results"
WORDS = (
    "small sets (ties, one positive, constant, perfect, reversed, weights, classes, subgroups): printed, paged, drawn"
)
PATIENCE = 60


def attack(rng: np.random.Generator) -> Outcome:
    """One small data set, one verb, and everything that its result can show."""
    verb = rng.choice([_evaluated, _compared, _carded, _resolved, _of_classes, _counted])
    try:
        result = verb(rng)
    except uc.UnconfuseError:
        return REFUSED
    show(result, rng)
    return FINE


def labels_and_scores(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of one awkward shape."""
    y = (rng.random(n) < rng.choice([0.1, 0.5, 0.9])).astype(int)
    if rng.random() < 0.2:
        y[:] = 0
        y[rng.integers(n)] = 1
    scale = 10.0 ** rng.integers(-3, 4) if rng.random() < 0.2 else 1.0
    shapes = (
        lambda: rng.random(n),
        lambda: np.round(rng.random(n), 1),  # heavy ties
        lambda: np.full(n, rng.random()),
        lambda: y + 0.1 * rng.random(n) if rng.random() < 0.5 else 1.0 * y,  # perfect
        lambda: 1.0 - y,  # reversed
        lambda: rng.integers(0, 2, n).astype(float),  # no scores but decisions
        lambda: 0.5 * y + 0.5 * rng.random(n),
    )
    return y, scale * rng.choice(np.array(shapes, dtype=object))()


def _words(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """What else the caller may say of the rows."""
    words: dict[str, Any] = {}
    if rng.random() < 0.2:
        words["weights"] = rng.integers(0, 4, n) if rng.random() < 0.5 else rng.random(n)
    if rng.random() < 0.15:
        words["groups"] = rng.integers(0, max(2, n // 3), n)
    return words


def _evaluated(rng: np.random.Generator) -> Any:
    n = int(rng.integers(2, 40))
    words = _words(rng, n)
    if rng.random() < 0.3:
        words["by"] = {"site": rng.choice(["a", "b", "c"], n)}
    choices = {"threshold": float(rng.choice([0.0, 0.3, 0.5, 1.0]))} if rng.random() < 0.5 else {}
    design = str(rng.choice(["cohort", "case-control"]))
    return uc.evaluate(*labels_and_scores(rng, n), design=design, n_resamples=100, **choices, **words)


def _compared(rng: np.random.Generator) -> Any:
    n = int(rng.integers(2, 40))
    y, first = labels_and_scores(rng, n)
    others = {"second": np.round(rng.random(n), 1), "same": first}
    return uc.compare(y, {"first": first, **others}, n_resamples=100, **_words(rng, n))


def _carded(rng: np.random.Generator) -> Any:
    n = int(rng.integers(4, 40))
    return uc.threshold_card(*labels_and_scores(rng, n), costs={"clinic": (1, 10)}, n_resamples=30)


def _resolved(rng: np.random.Generator) -> Any:
    return uc.resolving_power(uc.Empirical(*labels_and_scores(rng, int(rng.integers(4, 60)))), n_samples=100)


def _of_classes(rng: np.random.Generator) -> Any:
    n, k = int(rng.integers(3, 40)), int(rng.integers(2, 6))
    y = rng.integers(0, k, n)
    scores = rng.dirichlet(np.full(k, 0.5), n)
    if rng.random() < 0.3:
        scores = np.eye(k)[y if rng.random() < 0.5 else rng.integers(0, k, n)]
    words = _words(rng, n)
    if rng.random() < 0.2:
        words["by"] = {"site": rng.choice(["a", "b"], n)}
    return uc.evaluate(y, scores, classes=list(range(k)), n_resamples=100, **words)


def _counted(rng: np.random.Generator) -> Any:
    if rng.random() < 0.5:
        tp, fp, fn, tn = (int(each) for each in rng.choice([0, 1, 2, 5, 40, 10**6], 4))
        return uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn)
    k = int(rng.integers(2, 5))
    return uc.evaluate_confusion(rng.choice([0, 0, 1, 3, 50], (k, k)), n_resamples=100)


def show(result: Any, rng: np.random.Generator) -> None:
    """Print, serialise, page and draw a result."""
    str(result), repr(result)
    if hasattr(result, "_repr_html_"):
        result._repr_html_()
    if hasattr(result, "as_dict"):
        json.dumps(plain_json(result.as_dict()), allow_nan=False)
    if hasattr(result, "to_frame"):
        result.to_frame()
    for finding in getattr(result, "findings", ()):
        str(finding)
    pickle.loads(pickle.dumps(result))
    _paged(result)
    if rng.random() < 0.15:
        _drawn(result)


def _paged(result: Any) -> None:
    from unconfuse.report import payload_of, render

    payload = payload_of(result)
    page = render(json.loads(json.dumps(payload, allow_nan=False)))
    if "</html>" not in page:
        raise WrongError("the page does not end")


def _drawn(result: Any) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from unconfuse import plots

    draw = {"ThresholdCard": plots.plot_threshold_card, "ResolvingPower": plots.plot_standard_errors}
    picture = draw.get(type(result).__name__)
    if picture is None and getattr(getattr(result, "sample", None), "several", False):
        picture = lambda shown: plots.plot_confusion(shown.confusion)  # noqa: E731
    if picture is None and getattr(result, "table", None) is not None:
        picture = plots.overview
    try:
        if picture is not None:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", module="matplotlib")
                drawn = picture(result)
                getattr(drawn, "figure", drawn).savefig(__import__("io").BytesIO(), format="svg")
    finally:
        plt.close("all")
