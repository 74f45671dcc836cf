"""From a result, or a stored payload that is checked first, to one HTML file or to the output of a notebook."""

import html
import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from unconfuse import _html_repr
from unconfuse._atomic_files import write_atomically
from unconfuse._errors import ArgumentError, InputError
from unconfuse._formatting import read_json
from unconfuse._schemas import problem_of
from unconfuse.explorer import page_of, sentences
from unconfuse.report.payload import PageOptions, payload_of
from unconfuse.report.tabular_page import SCHEMA as TABULAR
from unconfuse.report.tabular_page import check_tabular, tabular_page

LARGEST = 50_000_000  # bytes of a payload
HEIGHT = 760
_OF_OTHERS = {".pdf", ".docx", ".doc", ".png", ".svg", ".jpg", ".md", ".tex", ".ipynb"}
_OF_DATA = {".csv", ".tsv", ".gz", ".zst", ".parquet", ".json", ".jsonl", ".ndjson", ".xlsx", ".db", ".sqlite"}
NAME = "unconfuse-payload/"
_OF_ADDRESSES = "/:?#[]@!$&'()*+,;=%"  # signs that stay as they are in an address
SANDBOX = "allow-scripts allow-downloads allow-modals"  # downloads save pictures and numbers, modals print


def write_report(result: Any, path: str | PathLike[str], page: PageOptions | None = None) -> Path:
    """Write the page of a result; nobody ever sees half a file."""
    check_page_name(path)
    write_atomically(Path(path), drawn(payload_of(result, page)))
    return Path(path)


def check_page_name(path: str | PathLike[str]) -> None:
    """Refuse the name of another kind of file: what it says would be wrong."""
    if Path(path).suffix.lower() in _OF_DATA:
        raise ArgumentError(f"a page is HTML, and {str(path)!r} is the name of a data file. Hint: end it in .html.")
    if Path(path).suffix.lower() in _OF_OTHERS:
        raise ArgumentError(
            f"a page is HTML, and {str(path)!r} ends in {Path(path).suffix}. Hint: end it in .html; a browser prints "
            "it as PDF, result.plot(path) draws a picture and result.table(form, path) writes a table."
        )


def render(payload: Any) -> str:
    """Draw the page of a payload that was stored, after checking that it is one."""
    check_payload(payload)
    return drawn(payload)


def drawn(payload: Any) -> str:
    """Return the page of a payload that was just made, or checked."""
    return tabular_page(payload) if payload["schema"] == TABULAR else page_of(payload)


def read_payload(path: str | PathLike[str]) -> Any:
    """Read a payload from a file, and check it."""
    source = Path(path)
    try:
        if source.stat().st_size > LARGEST:
            raise InputError(f"{source} is too large to be a payload: {source.stat().st_size:,} bytes.")
        content = read_json(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{source} cannot be read: {error.strerror}.") from None
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source} is not JSON: {error}. Hint: make it with `unconfuse evaluate --payload`.") from None
    check_payload(content)
    return content


@dataclass(frozen=True, repr=False)
class NotebookPage:
    """A page that a notebook shows in place; it stays alive in the exported HTML, and needs no network.

    The verdict stands above it as words, for viewers that show no frames, as GitHub's.
    """

    page: str
    height: int = HEIGHT
    verdict: str = ""

    def _repr_html_(self) -> str:
        said = f"<p><b>{_html_repr.text(self.verdict, 400)}</b></p>" if self.verdict else ""
        return said + frame(f'srcdoc="{html.escape(self.page)}"', "", self.height)

    def __repr__(self) -> str:
        said = f"{self.verdict} " if self.verdict else ""
        return f"{said}(Explorer: a page of {len(self.page):,} characters)"


def frame(source: str, title: str, height: int) -> str:
    """Return the element that shows a page inside another, which it can neither read nor change."""
    named = html.escape(f"{title} (unconfuse)" if title else "unconfuse")
    return (
        f'<iframe {source} sandbox="{SANDBOX}" title="{named}" width="100%" height="{height}" loading="lazy" '
        'style="border:1px solid #8884;border-radius:8px"></iframe>'
    )


def snippet(address: str, title: str, height: int = HEIGHT) -> str:
    """Return an iframe that shows the page at an address; file names are quoted as addresses need it.

    >>> snippet("my report.html", "risk").split(" sandbox")[0]
    '<iframe src="my%20report.html"'
    """
    _check_height(height)
    if not address or address.lower().lstrip().startswith(("javascript:", "data:")):
        raise ArgumentError(f"`src` must be the address or the file name of a page; got {address[:60]!r}.")
    return frame(f'src="{html.escape(quote(address, safe=_OF_ADDRESSES))}"', title, height)


def embed(result: Any, src: str | PathLike[str] | None, page: PageOptions, height: int) -> str:
    """Return an iframe with the page of a result inside it; or, with `src`, one that loads the page from there."""
    if src is not None:
        return snippet(Path(src).as_posix() if isinstance(src, PathLike) else src, page.title, height)
    _check_height(height)
    payload = payload_of(result, page)
    return frame(f'srcdoc="{html.escape(drawn(payload))}"', payload["title"], height)


def _check_height(height: int) -> None:
    if not 200 <= height <= 10_000:
        raise ArgumentError(f"`height` must lie between 200 and 10,000 pixels; got {height}.")


def explore(result: Any, page: PageOptions | None = None, *, height: int = HEIGHT) -> NotebookPage:
    """Return the page of a result, to be shown in a notebook."""
    _check_height(height)
    payload = payload_of(result, page)
    said = [each["sentence"] for each in payload["said"]] if payload["schema"] == TABULAR else sentences(payload)
    return NotebookPage(drawn(payload), height, next(iter(said), ""))


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the JSON schema of a payload."""
    return dict(json.loads(files("unconfuse.report").joinpath("schema.json").read_text(encoding="utf-8")))


def check_payload(payload: Any) -> None:
    """Raise with the first thing that is wrong, and where.

    >>> check_payload({"schema": "unconfuse-payload/2"})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    unconfuse._errors.InputError: the payload has version 2, and this version of unconfuse reads 1. Hint: ...
    """
    if isinstance(payload, dict) and payload.get("schema") == TABULAR:
        check_tabular(payload)
        return
    _check_version(payload)
    problem = problem_of(payload, schema(), "payload", schema()["$defs"])
    if problem:
        raise InputError(f"{problem}. Hint: make the payload anew with `unconfuse evaluate --payload`.")
    _check_columns(payload)


def _check_version(payload: Any) -> None:
    name = payload.get("schema") if isinstance(payload, dict) else None
    if not isinstance(name, str) or not name.startswith(NAME):
        hint = "Hint: `unconfuse evaluate FILE --payload payload.json` writes one."
        raise InputError(f"this is not a payload of unconfuse: it does not say so. {hint}")
    given, ours = (each.removeprefix(NAME) for each in (name, schema()["properties"]["schema"]["const"]))
    if given != ours:
        both = f"the payload has version {given[:20]}, and this version of unconfuse reads {ours}"
        raise InputError(f"{both}. Hint: update unconfuse.")


def _check_columns(payload: dict[str, Any]) -> None:
    """Check what a schema cannot say: columns that belong together are equally long."""
    _check_classes(payload.get("classes"), payload["models"])
    for i, model in enumerate(payload["models"]):
        stops = model["stops"]
        columns = [stops["tp"], stops["fp"], *stops["values"].values()]
        columns += [side for name in ("intervals", "ratios") for pair in stops[name].values() for side in pair]
        if any(len(column) != len(stops["threshold"]) for column in columns) or not stops["threshold"]:
            raise InputError(f"payload.models[{i}].stops holds columns of different lengths.")
        if any(len(each["x"]) != len(each["y"]) for each in model["curves"].values()):
            raise InputError(f"payload.models[{i}].curves holds columns of different lengths.")


def _check_classes(part: dict[str, Any] | None, models: list[Any]) -> None:
    """Columns of classes have one entry for each; places are those of classes, or of cells."""
    if part is None:
        return
    size, cells = len(part["names"]), part["cells"]
    columns = [part[name] for name in ("truth", "predicted", "order")]
    columns += [each[name] for each in part["table"]["metrics"].values() for name in ("value", "low", "high")]
    right = [
        size > 0 and all(len(column) == size for column in columns),
        len(cells["step"]) == len(cells["count"]),
        all(isinstance(each, int) and each >= 0 for each in cells["step"]) and sum(cells["step"]) < max(size, 1) ** 2,
        sorted(map(str, part["order"])) == sorted(map(str, range(size))),
        len(part["full"]) == len(models),
        all(each in range(size) for each in part["full"]),
        all(len(each["x"]) == len(each["y"]) for each in part["small_curves"].values()),
    ]
    if not all(right):
        raise InputError("payload.classes holds columns that do not belong together.")
