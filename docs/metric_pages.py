"""Writes a Markdown page for each declared metric, with its picture, and one that lists them all.

Formulas are MathML, which every browser draws offline. A page shows the two lines that draw its picture, and these
lines are run to draw it.
"""

from __future__ import annotations

from pathlib import Path

from glossary import NAMES
from latex2mathml.converter import convert

from unconfuse._formatting import number_text
from unconfuse.metrics import METRICS, MULTICLASS_METRICS, Metric
from unconfuse.table import Counts

_DIRECTIONS = {"higher": "higher is better", "lower": "lower is better", "neither": "neither direction is better"}
_TITLES = {"counts": "Decisions", "ranks": "Ranking", "probabilities": "Probabilities"}
_SEARCHED = {"auroc": "AUROC (AUC)"}  # what people look for: no other title may hold these words
_DRAWN = 'from unconfuse import plots\nax = plots.{function}("{name}")\n'


def write_metric_pages(folder: Path) -> None:
    """The page `metrics.md`, and below `metrics/` a page for each metric."""
    pages = folder / "metrics"
    pages.mkdir(exist_ok=True)
    for metric in (*METRICS.values(), *MULTICLASS_METRICS.values()):
        (pages / f"{file_of(metric)}.md").write_text(page_of(metric), encoding="utf-8")
        draw(metric, pages / f"{file_of(metric)}.png")
    (folder / "metrics.md").write_text(_index(), encoding="utf-8")


def is_of_classes(metric: Metric) -> bool:
    """Whether a metric is one of several classes."""
    return metric.of in ("cells", "rows")


def file_of(metric: Metric) -> str:
    """What the page of a metric is called: some names stand for one of two classes and for one of several."""
    return f"several_{metric.name}" if is_of_classes(metric) else metric.name


def example_of(metric: Metric) -> str:
    """The lines that draw the picture."""
    return _DRAWN.format(
        function="plot_multiclass_metric" if is_of_classes(metric) else "plot_metric", name=metric.name
    )


def draw(metric: Metric, path: Path) -> None:
    """Run the example of the page, and keep its picture."""
    import matplotlib

    matplotlib.use("Agg")
    from unconfuse.plots import save

    if path.exists() and path.stat().st_mtime > newest():
        return
    names: dict[str, object] = {}
    exec(example_of(metric), names)
    save(names["ax"].figure, str(path), close=True)  # type: ignore[attr-defined]


def newest() -> float:
    """When what pictures are made of was last changed."""
    import unconfuse

    rooms = Path(unconfuse.__file__).parent
    return max(each.stat().st_mtime for room in ("plots", "metrics") for each in (rooms / room).glob("*.*"))


def page_of(metric: Metric) -> str:
    """Everything about one metric."""
    title, seen, words = (
        _SEARCHED.get(metric.name, metric.label),
        "At three prevalences",
        "1%, 10% and 50% are positive",
    )
    if is_of_classes(metric):
        title, seen, words = (
            f"{metric.label} (several classes)",
            "Where one class is rare",
            "one of three classes is rare",
        )
    example = f"```python\n{example_of(metric)}```\n"
    picture = f"![{metric.label} where {words}]({file_of(metric)}.png)\n"
    return "\n".join([f"# {title}\n", _body(metric), f"## {seen}\n", picture, example, _names(metric)])


def _names(metric: Metric) -> str:
    others = [f"`{each}`" for each in metric.aliases]
    lines = [f"Here `{metric.name}`" + (f", and also {', '.join(others)}." if others else ".")]
    lines += [f"{where}: {name}." for where, name in NAMES.get(metric.name, {}).items()]
    return "## What it is called\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def _index() -> str:
    parts = [
        "# All metrics\n\nWritten from the declarations in `unconfuse.metrics`; `unconfuse metrics NAME` prints one.\n"
    ]
    for kind, title in _TITLES.items():
        parts.append(_listed(title, [each for each in METRICS.values() if each.of == kind]))
    parts.append(_listed("Several classes", list(MULTICLASS_METRICS.values())))
    names = "\n".join(f"metrics/{file_of(each)}" for each in (*METRICS.values(), *MULTICLASS_METRICS.values()))
    parts.append(f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{names}\n```\n")
    return "\n".join(parts)


def _listed(title: str, metrics: list[Metric]) -> str:
    rows = "".join(f"| [{each.label}](metrics/{file_of(each)}.md) | {each.question} |\n" for each in metrics)
    return f"## {title}\n\n| metric | question |\n|---|---|\n{rows}"


def _body(metric: Metric) -> str:
    low, high = (number_text(end) for end in metric.range)
    shares = "the shares of the classes" if metric.of in ("cells", "rows") else "prevalence"
    moves = "changes" if metric.depends_on_prevalence else "does not change"
    lines = [
        f"*{metric.question}*\n",
        f"{convert(metric.formula, display='block')}\n",
        f"`{metric.name}` ranges from {low} to {high}; {_DIRECTIONS[metric.better]}. It {moves} with {shares}.",
        f"Undefined when {metric.undefined}. Interval: `{metric.interval}`.\n",
    ]
    if metric.misleads:
        lines.append(f"**When it misleads.** {metric.misleads}\n")
    if metric.example is not None and isinstance(metric.example.data, Counts):
        cells = ", ".join(f"{key.upper()} = {value:g}" for key, value in metric.example.data.as_dict().items())
        lines.append(f"**Example.** {cells} give {number_text(metric.example.value)}.\n")
    lines += [f"- {reference}" for reference in metric.references]
    return "\n".join(lines) + "\n"
