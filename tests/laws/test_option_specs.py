"""A parameter is declared once: commands, forms, OpenAPI and the verbs in Python say the same of it."""

import ast
import inspect
import json
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import unconfuse as uc
from unconfuse import _parameters
from unconfuse.cli import COMMANDS, cli
from unconfuse.serve.openapi import openapi
from unconfuse.serve.questions import QUESTIONS, FieldError, checked

VERBS = {
    "evaluate": uc.evaluate,
    "compare": uc.compare,
    "thresholds": uc.threshold_card,
    "guarantee": uc.guarantee,
    "resolve": uc.resolving_power,
    "plan": uc.plan,
    "benchmark": uc.benchmark,
    "items": uc.items,
    "forecast": uc.forecast,
    "readers": uc.readers,
    "counts": uc.evaluate_counts,
    "matrix": uc.evaluate_confusion,
}
# Where a surface chooses otherwise than the verb, on purpose.
OWN_DEFAULT = {
    ("resolve", "method"): "a form answers at once, and says so",
    ("thresholds", "validation"): "None in Python is none elsewhere",
    ("plan", "prevalence"): "without data the prevalence of models is a half",
    ("guarantee", "metric"): "several guarantees name their metrics",
}
COMMANDS_BY_NAME = {name: cli.get_command(None, name) for name in COMMANDS}


def signature(verb):
    return inspect.signature(VERBS[verb]).parameters


def documented_choices(verb):
    """The choices in the docstring of a verb, `name : {"this", "that"}`, by parameter."""
    lists = re.findall(r"^\s*(\w+) : \{([^}]*)\}", inspect.getdoc(VERBS[verb]), re.MULTILINE)
    return {name: set(re.findall(r'"([^"]+)"', text)) for name, text in lists}


@pytest.mark.parametrize("verb", [name for name in VERBS if name in COMMANDS])
def test_a_command_has_the_defaults_and_choices_of_its_verb(verb):
    options = {each.name: each for each in COMMANDS_BY_NAME[verb].params if isinstance(each, click.Option)}
    shared = [name for name in signature(verb) if name in options]
    assert shared
    for name in shared:
        default = options[name].to_info_dict().get("default")
        if default is not None and (verb, name) not in OWN_DEFAULT:
            assert default == signature(verb)[name].default, name
    for name, said in documented_choices(verb).items():
        if name in options and isinstance(options[name].type, click.Choice):
            assert set(options[name].type.choices) - {"none"} == said, name


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_form_has_the_defaults_and_choices_of_its_verb(question):
    for field in QUESTIONS[question]:
        parameter = signature(question).get(field.name)
        if parameter is None:
            continue
        if field.default is not None and parameter.default is not None and (question, field.name) not in OWN_DEFAULT:
            assert field.default == parameter.default, field.name
        said = documented_choices(question).get(field.name)
        if said is not None and field.choices:
            assert set(field.choices) - {"none"} == said, field.name


@pytest.mark.parametrize("question", QUESTIONS)
def test_openapi_has_every_field_by_its_name(question):
    properties = openapi()["components"]["schemas"][f"Question_{question}"]["properties"]["answers"]["properties"]
    assert list(properties) == [each.name for each in QUESTIONS[question]]


def test_former_names_of_answers_are_taken_and_given_twice_they_are_refused():
    found = checked("plan", {"metric": "auroc", "at": "80%", "paired": 0.5})
    assert found["quality"] == 0.8 and found["score_correlation"] == 0.5
    with pytest.raises(FieldError, match="given twice"):
        checked("plan", {"at": 0.8, "quality": 0.7})


def usages():
    """The first argument of every call of an option in the command line, where it is written out."""
    for path in Path(uc.__file__).parent.joinpath("cli").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if name in ("option", "several", "file_to_write", "option_to_read"):
                    yield path.name, str(node.args[0].value).partition(" ")[0]


# The same spelling for another thing, such as four counts of a model, a table to write, or two values of a metric.
ANOTHER_THING = {
    ("compare.py", "--counts"),
    ("evaluate.py", "--ordered"),
    ("_publication_output.py", "--table"),
    ("table.py", "--output"),
    ("readers.py", "--metric"),
    ("serve.py", "--all"),
    ("gate.py", "--baseline"),
    ("tournament.py", "--baseline"),
    ("indistinguish.py", "--method"),
    ("resolve.py", "--difference"),
}


def test_a_list_is_taken_apart_alike_on_the_command_line_and_in_a_form():
    typed, names = "auroc, expected_cost(1, 10)", ["auroc", "expected_cost(1, 10)"]
    assert checked("resolve", {"label": "y", "score": "p", "metrics": typed})["metrics"] == names
    context = COMMANDS_BY_NAME["evaluate"].make_context("evaluate", ["rows.csv", "--metric", typed])
    assert context.params["metrics"] == names


def test_no_option_is_declared_anew_in_a_command():
    declared = {spelling for each in _parameters.declared() for spelling in (each.option, *each.former)}
    again = {(file, spelling) for file, spelling in usages() if spelling in declared}
    assert again <= ANOTHER_THING, again - ANOTHER_THING
    assert len(_parameters.declared()) > 80


def test_a_decimal_comma_is_read_by_every_command_that_reads_csv():
    for name, command in COMMANDS_BY_NAME.items():
        names = {each.name for each in command.params}
        assert "delimiter" not in names or "decimal" in names, name


def test_the_gate_and_the_judge_read_a_decimal_comma(tmp_path):
    lines = [f"{i};{i % 2};{i % 2 if i % 9 else 1 - i % 2};0,{3 + i % 2 * 3 + i % 3};0,{2 + i % 5}" for i in range(60)]
    path = tmp_path / "comma.csv"
    path.write_text("\n".join(["id;y;rater;new;old", *lines]), encoding="utf-8")
    comma = [str(path), "--label", "y", "--score", "new", "--delimiter", ";", "--decimal", ",", "--json"]
    gated = CliRunner().invoke(cli, ["gate", *comma, "--baseline-score", "old", "--margin", ".1"])
    assert json.loads(gated.output)["verdict"] in ("pass", "worse", "cannot tell"), gated.output
    judged = CliRunner().invoke(cli, ["judge", *comma, "--judge", "rater"])
    assert json.loads(judged.output)["n"] == 60, judged.output
