"""Writes the page of all public names from `unconfuse.__all__`."""

from __future__ import annotations

import inspect
from pathlib import Path

import unconfuse


def write_api_page(folder: Path) -> None:
    """The page `api.md`: functions, then classes, then the rest."""
    names = {name: getattr(unconfuse, name) for name in unconfuse.__all__}
    functions = [name for name, value in names.items() if inspect.isfunction(value)]
    classes = [name for name, value in names.items() if inspect.isclass(value)]
    parts = ["# Python API\n", "`import unconfuse as uc` fetches a name when it is first used.\n"]
    parts += [_section("Functions", "autofunction", functions, names), _section("Classes", "autoclass", classes, names)]
    parts.append(
        "## Data\n\n`uc.METRICS` is the read-only mapping of all [declared metrics](metrics.md) by name; "
        "`uc.MULTICLASS_METRICS` holds those of several classes.\n"
    )
    (folder / "api.md").write_text("\n".join(parts), encoding="utf-8")


def _section(title: str, directive: str, chosen: list[str], names: dict[str, object]) -> str:
    options = "   :members:\n" if directive == "autoclass" else ""
    entries = "".join(f".. {directive}:: {names[name].__module__}.{name}\n{options}\n" for name in chosen)
    return f"## {title}\n\n```{{eval-rst}}\n{entries}```\n"
