"""Writes one Markdown page of all declared metrics; formulas as MathML, which every browser draws offline."""

from __future__ import annotations

from pathlib import Path

from latex2mathml.converter import convert

from unconfuse._plain import number_text
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric
from unconfuse.table import Counts

_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither direction is better"}
_TITLES = {"counts": "Decisions", "ranks": "Ranking", "probabilities": "Probabilities"}


def write_metric_pages(folder: Path) -> None:
    """The page `metrics.md`, grouped by what the metrics are computed from."""
    parts = ["# All metrics\n\nWritten from the declarations in `unconfuse.metrics`.\n"]
    for kind, title in _TITLES.items():
        chosen = [each for each in METRICS.values() if each.of == kind]
        if chosen:
            parts += [f"## {title}\n", *map(_section, chosen)]
    parts += [
        "## Several classes\n",
        *(_section(each, " (several classes)", "the shares of the classes") for each in MULTICLASS_METRICS.values()),
    ]
    (folder / "metrics.md").write_text("\n".join(parts), encoding="utf-8")


def _section(metric: Metric, suffix: str = "", shares: str = "prevalence") -> str:
    low, high = (number_text(end) for end in metric.range)
    lines = [
        f"### {metric.label}{suffix}\n",
        f"*{metric.question}*\n",
        f"{convert(metric.formula, display='block')}\n",
        f"`{metric.name}` ranges from {low} to {high}; "
        + _DIRECTIONS[metric.better]
        + f". It {'changes' if metric.depends_on_prevalence else 'does not change'} with {shares}.",
        f"Undefined when {metric.undefined}. Interval: `{metric.interval}`.\n",
    ]
    if metric.misleads:
        lines.append(f"**When it misleads.** {metric.misleads}\n")
    if metric.example is not None and isinstance(metric.example.data, Counts):
        cells = ", ".join(f"{key.upper()} = {value:g}" for key, value in metric.example.data.as_dict().items())
        lines.append(f"**Example.** {cells} give {number_text(metric.example.value)}.\n")
    lines += [f"- {reference}" for reference in metric.references]
    return "\n".join(lines) + "\n"
