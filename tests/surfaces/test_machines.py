"""The payload's published schema, its examples, and exit codes: what other programs rely on."""

import json
from pathlib import Path

import pytest

from unconfuse._errors import InputError
from unconfuse.cli import RuntimeFailure, UsageFailure
from unconfuse.cli.gate import EXIT_CODES
from unconfuse.report import read_payload, render, schema

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLES = sorted((DOCS / "payloads").glob("*.json"))


def test_there_are_examples():
    assert {each.name for each in EXAMPLES} >= {"counts.json", "evaluate.json"}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_published_example_is_read_for_ever(path):
    """They were written once; whatever release comes after must read and draw them."""
    jsonschema = pytest.importorskip("jsonschema")
    stored = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema()).validate(stored)
    assert read_payload(path) == stored
    assert "<html" in render(stored)


def test_an_unknown_version_is_refused(tmp_path):
    stored = json.loads(EXAMPLES[0].read_text(encoding="utf-8")) | {"schema": "unconfuse-payload/99"}
    path = tmp_path / "later.json"
    path.write_text(json.dumps(stored))
    with pytest.raises(InputError, match="version 99"):
        read_payload(path)


def test_exit_codes_are_those_of_the_documentation():
    listed = {
        line.split("|")[1].strip(): line for line in (DOCS / "machines.md").read_text().splitlines() if "|" in line
    }
    assert (UsageFailure.exit_code, RuntimeFailure.exit_code) == (2, 1) and EXIT_CODES == {
        "pass": 0,
        "worse": 3,
        "cannot tell": 4,
    }
    assert "bad input" in listed["2"] and "fault" in listed["1"]
    assert "pass" in listed["0"] and "worse" in listed["3"] and "cannot tell" in listed["4"]
