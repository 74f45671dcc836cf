"""An evaluation in MLflow: metrics with the ends of their intervals, the payload, and the page."""
# mypy: disable-error-code="import-untyped, import-not-found"

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from unconfuse import __version__
from unconfuse._errors import ArgumentError, InputError
from unconfuse._validate import check_flag, check_text
from unconfuse.report import payload_of, render
from unconfuse.results.evaluation import Evaluation

FOLDER = "unconfuse"
_LONGEST_TAG = 5000  # characters, of MLflow's stores
_NOT_IN_KEYS = re.compile(r"[^\w\-. :/]+", re.ASCII)


def log_evaluation(result: Evaluation, *, run_id: str | None = None, prefix: str = "", page: bool = True) -> str:
    """Log an evaluation to MLflow, and return the run's id: what `Evaluation.log_to_mlflow` does."""
    given = {"run_id": run_id, "prefix": prefix}
    names = {name: check_text(value, name) for name, value in given.items() if value is not None}
    shown = check_flag(page, "page")
    if names.get("prefix") and _NOT_IN_KEYS.search(prefix):
        raise ArgumentError(f"`prefix` may hold letters, digits and _ - . : / or spaces; got {prefix[:60]!r}.")
    mlflow = _library()
    values, without = logged_metrics(result, prefix)
    payload = payload_of(result)
    tags = {"unconfuse.version": __version__, "unconfuse.summary": _short(str(result))}
    tags |= {"unconfuse.undefined": _short(without)} if without else {}

    try:
        with _run(mlflow, run_id) as run:
            mlflow.log_metrics(values, run_id=run)
            client = mlflow.MlflowClient()
            for key, text in tags.items():
                client.set_tag(run, f"{prefix}{key}", text)
            client.log_text(run, json.dumps(payload, allow_nan=False), f"{FOLDER}/{prefix}payload.json")
            if shown:
                client.log_text(run, render(payload), f"{FOLDER}/{prefix}report.html")
    except mlflow.exceptions.MlflowException as error:
        raise InputError(f"MLflow does not take the evaluation: {error}.") from error
    return run


def _library() -> Any:
    try:
        import mlflow
    except ImportError:
        raise ArgumentError("logging to MLflow needs mlflow. Hint: pip install 'unconfuse[mlflow]'.") from None
    return mlflow


@contextmanager
def _run(mlflow: Any, run_id: str | None) -> Iterator[str]:
    """Yield the run that was named, the one that is active, or a new one that ends with the logging."""
    active = mlflow.active_run()
    if run_id is not None or active is not None:
        yield run_id or active.info.run_id
        return
    with mlflow.start_run() as run:
        yield run.info.run_id


def logged_metrics(result: Evaluation, prefix: str) -> tuple[dict[str, float], dict[str, str]]:
    """Finite values and ends by MLflow's names, and why other metrics have no value."""
    values: dict[str, float] = {}
    without: dict[str, str] = {}
    for name, estimate in result.items():
        key = prefix + _key(name)
        if not math.isfinite(estimate.value):
            without[name] = estimate.undefined or f"it is {estimate.value}"
            continue
        ends = {key: estimate.value, f"{key}.low": estimate.low, f"{key}.high": estimate.high}
        values |= {end: float(value) for end, value in ends.items() if math.isfinite(value)}
    return values, without


def _key(name: str) -> str:
    """Return a metric's name as MLflow takes it: "partial_auroc(0.1)" is partial_auroc_0.1 there."""
    return _NOT_IN_KEYS.sub("_", name).strip("_")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= _LONGEST_TAG else f"{text[: _LONGEST_TAG - 1]}…"
