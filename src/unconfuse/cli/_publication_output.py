"""What is written for papers and hubs: tables, the methods paragraph, checklists, model-card metadata."""

from __future__ import annotations

from typing import Any

import click

from unconfuse.cli._options import (
    DOCUMENTS,
    Words,
    collected,
    file_to_write,
    is_document,
    note_written,
    option,
    refuse,
    together,
)
from unconfuse.cli._output import emit_text, json_text, wrote


def _checked(context: click.Context, parameter: click.Parameter, given: str | None) -> str | None:
    """Note the file of a checklist, and refuse one that is no document."""
    _, sign, path = (given or "").partition("=")
    if sign and not is_document(path):
        raise click.UsageError(f"the file of --for must end in {', '.join(DOCUMENTS)}; got {path[:60]!r}.")
    if sign:
        note_written(context, parameter, path)
    return given


methods_option = collected(
    "output", option("--methods", "Print a methods paragraph with references instead.", default=None, group="Output")
)
_other_options = collected(
    "output",
    option(
        "--for GUIDELINE [FILE]",
        "Print the checklist of stard, tripod-ai or claim, or write it to FILE (.md, .docx, .html, .tex or .csv).",
        name="checklist",
        group="Output",
        callback=_checked,
    ),
    file_to_write("--model-index FILE", "Write the metadata of a Hugging Face model card (YAML).", group="Output"),
)
evaluation_options = together(methods_option, _other_options)
document_option = collected(
    "output",
    file_to_write(
        "--table FILE", "Write a table for a paper: .docx, .tex, .md, .html or .csv.", name="document", group="Output"
    ),
    make=lambda document: {"documents": [] if document is None else [document]},
)


def documents_of(tables: list[str] | None) -> tuple[str | None, list[str]]:
    """Return the table of a database to read, and the documents to write, from what `--table` named."""
    read = [each for each in tables or () if not is_document(each)]
    if len(read) > 1:
        hint = "Hint: name one; a table for a paper ends in .docx, .tex, .md, .html or .csv."
        raise click.UsageError(f"--table names two tables to read, {read[0]!r} and {read[1]!r}. {hint}")
    return (read[0] if read else None), [each for each in tables or () if is_document(each)]


def write_documents(result: Any, output: Words, prevalence: float | None = None) -> None:
    """Write the tables, the checklist and the metadata that were asked for."""
    asked = {"table": output.get("documents") or None, "methods": output.get("methods"), "for": output.get("checklist")}
    asked["model-index"] = output.get("model_index")
    if prevalence is not None:
        refuse(asked, "is of the cases as they are; --prevalence shows another population.")
    for path in output.get("documents", ()):
        from unconfuse._table_view import form_of  # most commands write none

        result.table(form_of(path), path)
        wrote(path)
    guideline, path = _guideline(output)
    if path is not None:
        _of_everyone(result).checklist(guideline).save(path)
        wrote(path)
    if asked["model-index"] is not None:
        _of_everyone(result).model_index(asked["model-index"])
        wrote(asked["model-index"])


def printed_instead(result: Any, output: Words, **beside: Any) -> bool:
    """Print the methods paragraph or the checklist, if one of them was asked for; else return False."""
    guideline, path = _guideline(output)
    methods, shown = bool(output.get("methods")), guideline is not None and path is None
    if not (methods or shown):
        return False
    refuse({name: each or None for name, each in beside.items()}, "is not shown with --methods or --for.")
    if output["form"] == "csv":
        raise click.UsageError("--methods and --for are not shown in CSV. Hint: use --format json or markdown.")
    of_subgroups = hasattr(result, "checklist") and result.sample.by
    subject = result.subgroups if of_subgroups else result
    parts: Words = {"methods": subject.methods_text()} if methods else {}
    parts |= {"checklist": _of_everyone(result).checklist(guideline)} if shown else {}
    if output["form"] == "json":
        told = {name: part if isinstance(part, str) else part.as_dict() for name, part in parts.items()}
        emit_text(json_text(told), output["path"])
    else:
        emit_text("\n".join(f"{str(part).rstrip()}\n" for part in parts.values()), output["path"])
    return True


def _guideline(output: Words) -> tuple[str | None, str | None]:
    """Return the guideline that was named, and the file that its checklist goes to."""
    given = output.get("checklist")
    if given is None:
        return None, None
    guideline, sign, path = given.partition("=")
    return guideline, path if sign else None


def _of_everyone(result: Any) -> Any:
    """Return the evaluation behind subgroups, or the evaluation itself."""
    return getattr(result, "overall", result)
