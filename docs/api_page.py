"""Writes a page for each public name, and the page that lists them by what one wants to do.

A name is shown as a user writes it: `uc.evaluate`, `plots.plot_roc`. A verb shows what it adds to the words of `Data`,
which are explained once, on the page of `uc.Data`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from figure_pages import EXAMPLES

import unconfuse
from unconfuse import plots
from unconfuse.ingest.data import Data, DataOptions

DOCS = Path(__file__).parent
# Each task: the names, most used first, and the guides that explain it.
TASKS = {
    "Evaluate a classifier": (
        "evaluate evaluate_counts evaluate_confusion cross_evaluate find_slices Evaluation Subgroups ConfusionMatrix "
        "LabelEvaluation QueryEvaluation Estimate",
        "start how-it-works subgroups",
    ),
    "Compare models": ("compare gate items Comparison", "ranking gate"),
    "Several readers, studies, data sets": ("readers meta_analysis benchmark", "places"),
    "Move to another population": ("bayes posterior shift_prevalence usefulness prevalence prevalence_study", "bayes"),
    "Choose and use a threshold": (
        "threshold_card guarantee prediction_sets apply_card read_card watch_card",
        "thresholds",
    ),
    "Check printed numbers": ("reconstruct", "reconstruct"),
    "Before labels arrive": ("forecast", "over-time"),
    "Mend probabilities": ("recalibrate read_recalibration", "recalibration calibration"),
    "Look closer": (
        "curve band definitions indistinguishability easy_negatives concentrated_auroc bootstrap",
        "ranking indistinguishability",
    ),
    "Choose a metric, plan a test set": ("resolving_power plan tournament", "resolving-power"),
    "Metrics with a parameter, and your own": (
        "metric Metric f_beta net_benefit expected_cost class_cost partial_auroc h_measure ece clipped_log_loss "
        "lift_at precision_at_k precision_at_b top_k_accuracy sensitivity_at_specificity specificity_at_sensitivity "
        "recall_at_precision precision_at_recall fpr_at_tpr bedroc min_detection_cost ndcg_at",
        "generated/metrics definitions",
    ),
    "All metrics by name": ("METRICS MULTICLASS_METRICS LABEL_METRICS QUERY_METRICS", "generated/metrics definitions"),
    "Describe data": ("Data Counts ScoreTable score_table TableBuilder", "sources sharing"),
    "Populations to reckon with": (
        "Binormal Uniform BetaMixture Distributions Empirical ModelSequence",
        "resolving-power",
    ),
    "What may go wrong": ("UnconfuseError UnconfuseWarning", "sources machines"),
}
# What a mapping of metrics holds, and an entry to show.
VALUES = {
    "METRICS": ("yes-or-no questions", "precision"),
    "MULTICLASS_METRICS": ("several classes", "accuracy"),
    "LABEL_METRICS": ("many labels of one case", "f1_micro"),
    "QUERY_METRICS": ("rankings per query", "ndcg"),
}
_MADE_BY_VERBS = ("unconfuse.results", "unconfuse.uncertainty", "unconfuse._errors")  # nobody constructs these
_NO_GUIDES = ("index", "changelog", "gallery", "errata", "benchmarks", "coverage-")
_GUIDES_SHOWN = 4


def write_api_page(folder: Path) -> None:
    """Write `api.md`, which lists all names by task, and below `api/` the page of each."""
    pages = folder / "api"
    pages.mkdir(exist_ok=True)
    drawn = [name for name in plots.__all__ if inspect.isfunction(getattr(plots, name))]
    for name in unconfuse.__all__:
        (pages / f"{file_of(name)}.md").write_text(page_of(name), encoding="utf-8")
    for name in drawn:
        (pages / f"plots.{name}.md").write_text(_page_of_plot(name), encoding="utf-8")
    parts = ["# Python API\n", "`import unconfuse as uc` loads a name when it is first used.\n"]
    parts += [
        _listed(task, [(f"uc.{name}", file_of(name), _first_line(name)) for name in names])
        for task, names in tasks().items()
    ]
    rows = [(f"plots.{name}", f"plots.{name}", _summary(getattr(plots, name))) for name in drawn]
    words = "`from unconfuse import plots`; [Pictures](pictures.md) shows all of them.\n\n|"
    parts.append(_listed("Pictures", rows).replace("|", words, 1))
    listed = [f"api/{file_of(name)}" for names in tasks().values() for name in names]
    tree = "\n".join([*listed, *(f"api/plots.{name}" for name in drawn)])
    parts.append(f"```{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{tree}\n```\n")
    (folder / "api.md").write_text("\n".join(parts), encoding="utf-8")


def tasks() -> dict[str, list[str]]:
    """Return the names of each task; one without a place stands at the end."""
    found = {task: names.split() for task, (names, _) in TASKS.items()}
    placed = {name for names in found.values() for name in names}
    more = [name for name in unconfuse.__all__ if name not in placed]
    return found | ({"More": more} if more else {})


def file_of(name: str) -> str:
    """Return what the page of a name is called; `Metric` and `metric` must differ where case does not count."""
    twin = any(each != name and each.lower() == name.lower() for each in unconfuse.__all__)
    return f"uc.{name}-class" if twin and inspect.isclass(getattr(unconfuse, name)) else f"uc.{name}"


def page_of(name: str) -> str:
    """Return the page of a public name: how to write it, what it does, an example, and where to read on."""
    task = next(task for task, names in tasks().items() if name in names)
    body = _mapping(name) if name in VALUES else _documented(f"uc.{name}", getattr(unconfuse, name))
    beside = [f"[`uc.{each}`]({file_of(each)}.md)" for each in tasks()[task] if each != name]
    read_on = ["## Read on\n", "\n".join(f"- [{_title(page)}]({_path(page)})" for page in guides_of(name, task))]
    if beside:
        read_on.append(f"\n{task}: {' · '.join(beside)}")
    return "\n".join([f"# uc.{name}\n", body, *read_on, ""])


def guides_of(name: str, task: str) -> list[str]:
    """Return the guides to read on in: the one called like the name, those of its task, those that use it most."""
    called = re.compile(rf"\buc\.{name}\b|`{name}\b")
    uses = {page: len(called.findall(text)) for page, text in _guides()}
    own = name.replace("_", "-")
    general = TASKS[task][1].split() if task in TASKS else ["start"]
    using = sorted((page for page, count in uses.items() if count), key=lambda page: (-uses[page], page))
    first = [page for page in (own, *general) if uses.get(page)]
    return list(dict.fromkeys([*first, *using[: _GUIDES_SHOWN - 1], *general]))[:_GUIDES_SHOWN]


def signature_of(member: Any) -> str:
    """Return the parameters as a user writes them: without types, the words of `Data` as `**data`.

    Nothing for a class that only verbs make.
    """
    if inspect.isclass(member) and member.__module__.startswith(_MADE_BY_VERBS):
        return ""
    whole = inspect.signature(member)
    own, words = [], []
    for each in whole.parameters.values():
        (words if member is not Data and _is_word_of_data(each) else own).append(each)
    if len(words) < len(DataOptions.__annotations__) / 2:  # a verb that happens to share a word with `Data`
        own, words = list(whole.parameters.values()), []
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in own]
    if words:
        bare.append(inspect.Parameter("data", inspect.Parameter.VAR_KEYWORD))
    return str(whole.replace(parameters=bare, return_annotation=inspect.Signature.empty))


def show_signature(
    app: Any, what: str, name: str, member: Any, options: Any, signature: str | None, *_: Any
) -> tuple[str, None] | None:
    """Tell autodoc the signature of a public function or class, if it has one."""
    return (signature_of(member), None) if signature and what in ("function", "class") else None


def name_role(role: str, raw: str, text: str, line: int, inliner: Any, *_: Any) -> tuple[list[Any], list[Any]]:
    """Link what stands in backticks in a docstring if it is a public name; other words are code."""
    from docutils import nodes
    from sphinx.domains.python import PyXRefRole

    name = text.removesuffix("()")
    if name in unconfuse.__all__ and name not in VALUES:
        return PyXRefRole()("py:obj", raw, f"uc.{name}", line, inliner)
    return [nodes.literal(raw, text)], []


def _is_word_of_data(given: inspect.Parameter) -> bool:
    return given.name in DataOptions.__annotations__ and given == inspect.signature(Data).parameters[given.name]


def _documented(called: str, member: Any) -> str:
    """A function; or a class with what it can be asked, wherever in the library that is written."""
    if not inspect.isclass(member):
        return f"```{{eval-rst}}\n.. autofunction:: {called}\n```\n"
    kind = "autoexception" if issubclass(member, Exception) else "autoclass"
    foreign = [each.__name__ for each in member.__mro__ if not each.__module__.startswith("unconfuse")]
    members = f"   :members:\n   :inherited-members: {', '.join(foreign)}\n"
    return f"```{{eval-rst}}\n.. {kind}:: {called}\n{members}```\n"


def _mapping(name: str) -> str:
    kind, shown = VALUES[name]
    metrics = getattr(unconfuse, name)
    rows = "".join(f"| `{key}` | {each.label} | {each.question} |\n" for key, each in metrics.items())
    return (
        f"The metrics of {kind} by name, {len(metrics)} in all; read-only. An alias finds its metric too, with or "
        "without capitals, spaces and hyphens.\n\n"
        f"```python\n>>> import unconfuse as uc\n>>> print(uc.{name}[{shown!r}].question)\n"
        f"{metrics[shown].question}\n\n```\n\n"
        f"| name | label | question |\n|---|---|---|\n{rows}"
    )


def _page_of_plot(name: str) -> str:
    picture = f"![{_summary(getattr(plots, name))}](../pictures/{name}.png)\n" if name in EXAMPLES else ""
    body = _documented(f"plots.{name}", getattr(plots, name))
    read_on = "## Read on\n\n- [Pictures](../pictures.md)\n- [Figures for papers](../../figures.md)\n"
    return "\n".join(part for part in (f"# plots.{name}\n", body, picture, read_on) if part)


def _listed(task: str, rows: list[tuple[str, str, str]]) -> str:
    lines = "".join(f"| [`{called}`](api/{page}.md) | {words} |\n" for called, page, words in rows)
    return f"## {task}\n\n| name | what it is |\n|---|---|\n{lines}"


def _first_line(name: str) -> str:
    return f"The metrics of {VALUES[name][0]}." if name in VALUES else _summary(getattr(unconfuse, name))


def _summary(member: Any) -> str:
    """The first paragraph of the docstring."""
    return " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split()).replace("|", "\\|")


def _guides() -> Iterator[tuple[str, str]]:
    for path in sorted(DOCS.glob("*.md")):
        if not path.stem.startswith(_NO_GUIDES):
            yield path.stem, path.read_text(encoding="utf-8")


def _title(page: str) -> str:
    if page == "generated/metrics":
        return "All metrics"
    return (DOCS / f"{page}.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")


def _path(page: str) -> str:
    return f"../{page.removeprefix('generated/')}.md" if page.startswith("generated/") else f"../../{page}.md"
