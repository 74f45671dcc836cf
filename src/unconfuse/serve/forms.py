"""Forms made from what questions declare: each field with its guess, the reason for it, and a place for its refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unconfuse._parameters import OptionSpec
from unconfuse.serve.column_guesses import OF_TABLES
from unconfuse.serve.page_layout import SafeHtml, element, error_place
from unconfuse.serve.questions import QUESTIONS, ROLES, TITLES

_PAYERS, _MOST_SUBGROUPS = 3, 50
_GUESSED = ("label", "score", "id", "predicted", *OF_TABLES)  # columns that are chosen as they are guessed
_FOLLOWED = ("label", "positive", "score")  # whose reasons change with the choice
_COSTS: tuple[tuple[str, str | None, str], ...] = (
    ("Who pays", None, "clinic"),
    ("False positive", "decimal", "1"),
    ("Missed case", "decimal", "10"),
)
_BUTTONS = {
    "evaluate": "Evaluate",
    "compare": "Compare",
    "thresholds": "Find thresholds",
    "resolve": "Find out",
    "benchmark": "Compare",
    "plan": "Plan",
}


def question_form(question: str, seen: Mapping[str, Any] | None = None, file: str | None = None) -> SafeHtml:
    """All fields of a question, the usual ones first; `seen` is what is known of the file."""
    given, columns = (
        dict((seen or {}).get("suggestions", {})),
        [each["name"] for each in (seen or {}).get("columns", [])],
    )
    fields = [
        (option_spec, _field(option_spec, columns, given.get(option_spec.name, {}), seen))
        for option_spec in _adapted(question, given)
    ]
    usual = [made for option_spec, made in fields if not option_spec.is_rare]
    rare = [made for option_spec, made in fields if option_spec.is_rare]
    folded = (
        element("details", element("summary", "More options"), element("div", rare, class_="fields"), class_="more")
        if rare
        else ""
    )
    button = element("button", _BUTTONS.get(question, "Evaluate"), type="submit", class_="main")
    return element(
        "form",
        element("div", usual, class_="fields"),
        folded,
        _kept_as(),
        error_place("form"),
        element("div", button, working(), class_="go"),
        id="question",
        data_question=question,
        data_file=file,
        novalidate=True,
        aria_label=TITLES[question],
    )


def _adapted(question: str, given: Mapping[str, Any]) -> list[OptionSpec]:
    """Where there are scores of several classes or predicted answers, these are what is asked for first."""
    from dataclasses import replace

    several = "scores" in given and "positive" not in given
    fields = list(QUESTIONS[question])
    if question == "evaluate" and "predicted" in given:
        fields = [replace(field, is_rare=field.is_rare and field.name != "predicted") for field in fields]
    if not several or question != "evaluate":
        return fields
    swapped = {
        "scores": False,
        "positive": True,
        "score": True,
        "threshold": True,
        "prevalence": True,
        "keep_cases": True,
    }
    made = [replace(field, is_rare=swapped.get(field.name, field.is_rare)) for field in fields]
    return sorted(made, key=lambda each: each.name not in ("label", "scores"))


def _kept_as() -> SafeHtml:
    """Under what name it will be found again."""
    shown = {"name": ("Name", 200, "made from the columns"), "tags": ("Tags", 400, "ward 3, autumn")}
    fields = []
    for name, (label, longest, hint) in shown.items():
        told = {"maxlength": longest, "placeholder": hint, "aria_describedby": f"error-{name}"}
        control = element("input", id=f"field-{name}", name=name, **told)
        fields.append(
            element("div", element("label", label, for_=f"field-{name}"), control, error_place(name), class_="field")
        )
    return element("div", fields, class_="fields kept")


def working() -> SafeHtml:
    """Progress, and the way to stop."""
    bar = element("progress", id="progress", max=1, aria_labelledby="progress-text")
    stop = element("button", "Cancel", type="button", id="cancel", class_="quiet")
    text = element("span", id="progress-text", role="status")
    return element("div", bar, text, stop, id="working", class_="working", hidden=True)


def _field(
    field: OptionSpec, columns: Sequence[str], guess: Mapping[str, Any], seen: Mapping[str, Any] | None
) -> SafeHtml:
    control = _CONTROLS.get(field.kind, _input)(field, columns, guess.get("value"), seen)
    about = _about(field, guess)
    if field.kind == "flag":
        return element("div", control, about, error_place(field.name), class_="field flag")
    if field.kind in ("columns", "costs"):
        legend = element("legend", field.label)
        return element(
            "fieldset",
            legend,
            control,
            about,
            error_place(field.name),
            class_="field",
            data_field=field.name,
            data_role="yes" if field.name in ROLES else None,
            data_kind=field.kind,
        )
    star = element("span", " (needed)", class_="muted") if field.is_needed else ""
    return element(
        "div",
        element("label", field.label, star, for_=f"field-{field.name}"),
        control,
        about,
        error_place(field.name),
        class_="field",
    )


def _about(field: OptionSpec, guess: Mapping[str, Any]) -> SafeHtml | str:
    """Explain what a field is for, and why it holds what was guessed; the script hides the reason on a new choice."""
    reason, value = guess.get("reason") if field.name != "by" else "", guess.get("value")
    if field.name in _FOLLOWED or reason:
        several = field.kind == "columns" and isinstance(value, list) and len(value) > 1
        said = "Guessed: these hold numbers." if several and reason else f"Guessed: {reason}." if reason else ""
        first = value[0] if isinstance(value, list) and value else value
        why = element("span", said, class_="why", id=f"why-{field.name}", data_guess=first, hidden=not said)
        return element("p", field.help, " ", why, class_="help", id=f"help-{field.name}")
    return element("p", field.help, class_="help", id=f"help-{field.name}") if field.help else ""


def _common(field: OptionSpec) -> dict[str, Any]:
    told = f"help-{field.name} error-{field.name}" if field.help else f"error-{field.name}"
    role = "yes" if field.name in ROLES else None
    common = {"id": f"field-{field.name}", "name": field.name, "data_kind": field.kind, "aria_describedby": told}
    return common | {"data_role": role}


def _input(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    if field.name == "positive" and seen is not None:
        return _positive(field, guess, seen)
    kind = {"inputmode": "decimal"} if field.kind in ("number", "share", "whole") else {}
    first = guess[0] if isinstance(guess, list) and guess else guess
    hint = None if field.default is None else str(field.default)
    return element("input", **_common(field), value=first, placeholder=hint, autocomplete="off", **kind)


def _positive(field: OptionSpec, guess: Any, seen: Mapping[str, Any]) -> SafeHtml:
    """Offer a choice among the values of the label; the script follows when another label is chosen."""
    label = seen["suggestions"].get("label", {}).get("value")
    values: list[Any] = next((each["values"] for each in seen["columns"] if each["name"] == label), [])
    options = [element("option", "(not needed for 0 and 1)", value="")]
    options += [element("option", value, value=value, selected=value == guess) for value, _ in values]
    return element("select", options, **_common(field))


def _column(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    first = guess[0] if isinstance(guess, list) and guess else guess
    chosen = first if field.name in _GUESSED and not (field.name == "score" and _several(seen)) else None
    options = [element("option", "(none)", value="")]
    options += [element("option", name, value=name, selected=name == chosen) for name in columns]
    return element("select", options, **_common(field))


def _several(seen: Mapping[str, Any] | None) -> bool:
    return seen is not None and "scores" in seen["suggestions"] and "positive" not in seen["suggestions"]


def _columns(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    """Show a box for each column; of the models' scores those that look like scores are ticked."""
    answer = (seen or {}).get("suggestions", {}).get("label", {}).get("value") if field.name == "by" else None
    likely = [each for each in guess or [] if each != answer]
    others = [column for column in columns if column not in (*likely, answer) and _divides(field, column, seen)]
    ordered = [*likely, *others]
    ticked = set(likely) if field.name == "score" else set()
    boxes = [
        element("label", element("input", type="checkbox", value=name, checked=name in ticked), " ", name, class_="box")
        for name in ordered
    ]
    return element("div", boxes, class_="boxes")


def _divides(field: OptionSpec, column: str, seen: Mapping[str, Any] | None) -> bool:
    """Whether rows can be divided by a column; models' scores may be anywhere."""
    known = {each["name"]: each["distinct"] for each in (seen or {}).get("columns", [])}
    return field.name != "by" or 2 <= known.get(column, 0) <= _MOST_SUBGROUPS


def _choice(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    """Offer the choices; the default is an empty answer, as some files refuse the question itself (Excel decimals)."""
    chosen = guess or field.default
    options = [
        element("option", choice, value="" if choice == field.default else choice, selected=choice == chosen)
        for choice in field.choices
    ]
    options = options if field.default else [element("option", "not set", value="", selected=not chosen), *options]
    return element("select", options, **_common(field))


def _flag(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    box = element("input", type="checkbox", **_common(field))
    return element("label", box, " ", field.label, class_="box")


def _costs(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    """Who pays, and what a false alarm and a missed case cost."""
    heads = [element("th", words, scope="col") for words, _, _ in _COSTS]
    rows = [element("tr", [_cost(number, *each) for each in _COSTS]) for number in range(1, _PAYERS + 1)]
    return element("table", element("thead", element("tr", heads)), element("tbody", rows), class_="costs")


def _cost(number: int, words: str, mode: str | None, shown: str) -> SafeHtml:
    hint = shown if number == 1 else None
    return element("td", element("input", aria_label=f"{words} {number}", inputmode=mode, placeholder=hint))


def _matrix(field: OptionSpec, columns: Sequence[str], guess: Any, seen: Any) -> SafeHtml:
    return element(
        "textarea", **_common(field), rows=7, spellcheck="false", placeholder="\tcat\tdog\ncat\t50\t3\ndog\t10\t30"
    )


_CONTROLS = {
    "column": _column,
    "columns": _columns,
    "choice": _choice,
    "flag": _flag,
    "costs": _costs,
    "matrix": _matrix,
}
