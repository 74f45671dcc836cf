"""Metadata of a Hugging Face model card: a `model-index` in YAML, with the interval and the number of cases.

The structure is that of hub-docs/modelcard.md: a model has results; a result has a task, a data set and metrics; a
metric has a type, a value, a name and arguments. The hub knows no intervals, so they stand among the arguments.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from os import PathLike
from typing import Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import printable
from unconfuse._table_view import write
from unconfuse._validate import check_text
from unconfuse.metrics.multilabel import found as find_label_metric
from unconfuse.metrics.multilabel import is_of_decisions as is_of_label_decisions
from unconfuse.publication._shared_text import chosen, is_of_decisions
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.results.multilabel import LabelEvaluation
from unconfuse.table.multi_output import LabelSample, QuerySample
from unconfuse.uncertainty.method import in_full

# The hub's own names of metrics, where it has one (https://hf.co/metrics); others keep ours.
_HUB = {"auroc": "roc_auc", "sensitivity": "recall", "mcc": "matthews_correlation", "brier": "brier_score"}
_HUB |= {"auroc_ovr_macro": "roc_auc", "f1_macro": "f1", "sensitivity_macro": "recall", "precision_macro": "precision"}


def model_index_of(
    evaluation: Evaluation | MultiOutputEvaluation,
    path: str | PathLike[str] | None = None,
    *,
    model: str = "",
    dataset: str = "",
    dataset_id: str = "",
    split: str = "",
    task: str = "tabular-classification",
    metrics: Iterable[Any] | None = None,
) -> str:
    """Return the metadata as YAML, written to a file as well if a path is given."""
    words = {"model": model, "dataset": dataset, "dataset_id": dataset_id, "split": split, "task": task}
    for name, word in words.items():
        check_text(word, name)
    if not task:
        raise ArgumentError("`task` must be a task of the hub, such as 'tabular-classification'; got ''.")
    name = dataset or evaluation.source or "unnamed test set"
    data = {"type": dataset_id or name, "name": name} | ({"split": split} if split else {})
    measured = [
        _metric(evaluation, estimate) for estimate in chosen(evaluation, metrics) if math.isfinite(estimate.value)
    ]
    result = {"task": {"type": task}, "dataset": data, "metrics": measured}
    made = f"{_yaml({'model-index': [{'name': model or evaluation.name or 'unnamed model', 'results': [result]}]})}\n"
    if path is not None:
        write(made, path)
    return made


def _metric(evaluation: Evaluation | MultiOutputEvaluation, each: Any) -> dict[str, Any]:
    limits = {} if math.isnan(each.low) else {"low": each.low, "high": each.high}
    level = {"confidence_level": each.confidence_level} if limits else {}
    how = {"interval_method": in_full(each.method)} if limits else {}
    own = {
        "metric": each.name,
        **limits,
        **level,
        **how,
        **_sizes(evaluation),
        **_cut(evaluation, each),
        "design": evaluation.design,
    }
    return {"type": _HUB.get(each.name, each.name), "value": each.value, "name": each.label, "args": own}


def _sizes(evaluation: Evaluation | MultiOutputEvaluation) -> dict[str, Any]:
    """Return how many cases there are, and of what: positives, labels, or queries with documents."""
    sample = evaluation.sample
    if isinstance(sample, QuerySample):
        return {"n_queries": evaluation.n, "n_documents": len(sample.code)}
    if isinstance(sample, LabelSample):
        return {"n": evaluation.n, "n_labels": len(sample.labels)}
    assert isinstance(evaluation, Evaluation)
    return {name if name == "n" else f"n_{name}": size for name, size in evaluation.size_fields.items()}


def _cut(evaluation: Evaluation | MultiOutputEvaluation, each: Any) -> dict[str, Any]:
    """Return the threshold of a number of decisions, or each label's; rankings and probabilities have none."""
    if isinstance(evaluation, Evaluation):
        return {"threshold": evaluation.threshold} if is_of_decisions(evaluation, each) else {}
    cuts = evaluation.thresholds if isinstance(evaluation, LabelEvaluation) else None
    if cuts is None or not is_of_label_decisions(find_label_metric(each.name)):
        return {}
    same = set(cuts.values())
    return {"threshold": same.pop()} if len(same) == 1 else {"thresholds": cuts}


def _yaml(value: Any, indent: str = "") -> str:
    r"""Return plain values as YAML in block style; every text is quoted as JSON quotes it, which YAML reads alike.

    >>> print(_yaml({"a": ["x: y", 0.5], "b": {"c": float("inf"), "d": 'say "no"'}}))
    a:
    - "x: y"
    - 0.5
    b:
      c: .inf
      d: "say \"no\""
    """
    if isinstance(value, dict):
        return "\n".join(f"{indent}{_key(key)}:{_below(each, indent)}" for key, each in value.items())
    return "\n".join(
        f"{indent}- {_yaml(each, indent + '  ').lstrip()}" if _is_block(each) else f"{indent}- {_scalar(each)}"
        for each in value
    )


def _below(value: Any, indent: str) -> str:
    if not _is_block(value):
        return f" {_scalar(value)}"
    return "\n" + _yaml(value, indent if isinstance(value, list) else f"{indent}  ")


def _is_block(value: Any) -> bool:
    return isinstance(value, dict | list) and bool(value)


def _key(key: str) -> str:
    return (
        key
        if key.replace("-", "_").isidentifier() and key.isascii() and key not in ("y", "n", "on", "off")
        else json.dumps(key)
    )


def _scalar(value: Any) -> str:
    if isinstance(value, list | dict):
        return "[]" if isinstance(value, list) else "{}"
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    if isinstance(value, float) and "e" in repr(value):  # YAML 1.1 reads 1e-05 as text, and 1.0e-05 as a number
        digits, power = repr(value).split("e")
        return f"{digits if '.' in digits else digits + '.0'}e{power if power[0] in '+-' else '+' + power}"
    return json.dumps(printable(value) if isinstance(value, str) else value, ensure_ascii=False)
