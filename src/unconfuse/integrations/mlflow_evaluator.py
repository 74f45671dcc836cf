"""`mlflow.models.evaluate(..., evaluators="unconfuse")`: MLflow finds the class by the package's entry point.

MLflow loads it whenever it lists evaluators, so that nothing is imported here before it evaluates.
"""
# mypy: disable-error-code="import-untyped, import-not-found, misc, no-any-return, no-untyped-call"

from __future__ import annotations

from typing import Any

from mlflow.models.evaluation.base import EvaluationResult, ModelEvaluator

_OF_LOGGING = ("prefix", "page")


class UnconfuseEvaluator(ModelEvaluator):
    """Evaluates classifiers. `evaluator_config` takes what `unconfuse.evaluate` takes, and `prefix` and `page`."""

    name = "unconfuse"

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Any = None, **_: Any) -> bool:
        """Classifiers only."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: dict[str, Any] | None = None,
        model: Any = None,
        extra_metrics: Any = None,
        custom_artifacts: Any = None,
        predictions: str | None = None,
        **_: Any,
    ) -> EvaluationResult:
        """Evaluate what a model, or a column of predictions, says of a data set; log it to the run."""
        from unconfuse._errors import ArgumentError
        from unconfuse.api import evaluate
        from unconfuse.integrations.tracking import log_evaluation

        if extra_metrics or custom_artifacts:
            raise ArgumentError(
                "the evaluator takes no extra_metrics and no custom_artifacts. "
                "Hint: name metrics in evaluator_config={'metrics': [...]}, and declare your own by unconfuse.metric."
            )
        settings = dict(evaluator_config or {})
        logging = {key: settings.pop(key) for key in _OF_LOGGING if key in settings}
        result = evaluate(dataset.labels_data, **_answers(model, dataset, predictions, settings))
        log_evaluation(result, run_id=run_id, **logging)
        return _wrapped(result, run_id, **logging)


def _answers(model: Any, dataset: Any, predictions: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    """Return what `evaluate` is given besides labels: scores where there are any, else predicted labels."""
    if model is None:
        return settings | _columns(dataset.predictions_data, predictions, settings)
    raw = _raw(model)
    if not hasattr(raw, "predict_proba"):
        return settings | _columns(model.predict(dataset.features_data), predictions, settings)
    classes, scores = list(raw.classes_), raw.predict_proba(dataset.features_data)
    if len(classes) > 2:
        return {"classes": classes} | settings | {"s": scores}
    positive = settings.get("positive", classes[1])
    return settings | {"positive": positive, "s": scores[:, classes.index(positive)]}


def _raw(model: Any) -> Any:
    """Return the model inside MLflow's, which may know probabilities; or None."""
    try:
        return model.get_raw_model()
    except (AttributeError, NotImplementedError):
        return None


def _columns(found: Any, name: str | None, settings: dict[str, Any]) -> dict[str, Any]:
    """Predictions of any kind: numbers with a fraction, or a matrix, are scores; others are labels."""
    import numpy as np

    values = np.asarray(found[name] if name is not None and hasattr(found, "columns") else found)
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim == 2 and values.shape[1] == 2 and "classes" not in settings:
        return {"s": values[:, 1]}
    scores = values.ndim == 2 or (values.dtype.kind == "f" and not np.all(values == np.rint(values)))
    return {"s": values} if scores else {"predicted": values}


def _wrapped(result: Any, run_id: str, prefix: str = "", page: bool = True) -> EvaluationResult:
    from mlflow import MlflowClient
    from mlflow.models.evaluation.artifacts import JsonEvaluationArtifact, TextEvaluationArtifact

    from unconfuse.integrations.tracking import FOLDER, logged_metrics

    base = f"{MlflowClient().get_run(run_id).info.artifact_uri}/{FOLDER}/{prefix}"
    artifacts: dict[str, Any] = {f"{prefix}payload": JsonEvaluationArtifact(f"{base}payload.json", result.payload())}
    if page:
        artifacts[f"{prefix}report"] = TextEvaluationArtifact(f"{base}report.html")
    return EvaluationResult(metrics=logged_metrics(result, prefix)[0], artifacts=artifacts)
