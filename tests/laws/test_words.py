"""No string of the product that a user reads holds a word that claims too much or that no native speaker would use."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "unconfuse"
NEVER = re.compile(
    r"\b(surely|surer|honest(ly)?|nobody|everybody|whoever|alarm(s|ed|ing)?|timid|in words|of one's own|knows? no"
    r"|is useful|not useful|judg(es|ed|ing)|a judge|the judge)\b"
    r"|\bless (that of|the )|\btold apart(?! by their)"
    r"|(?<!there )\b(is|are) no (number|name|file|column|model|count|table)\b"
    r"| against the (rest|majority)",
    re.IGNORECASE,
)
QUOTED = re.compile(r"'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`")
# Texts about published texts quote them; a detector of change has a rate of false alarms by definition.
APART = ("reproduce/", "demo/")


def python_strings():
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                yield path, node.lineno, node.value


def script_strings():
    for path in sorted((SOURCE / "explorer").rglob("*.js")):
        text = re.sub(r"^\s*(//|\*|/\*\*).*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for found in QUOTED.finditer(text):
            yield path, text[: found.start()].count("\n") + 1, re.sub(r"\$\{[^}]*\}", "", found.group())


@pytest.mark.parametrize("strings", [python_strings, script_strings])
def test_no_string_holds_a_word_that_claims_too_much(strings):
    seen, wrong = 0, []
    for path, line, text in strings():
        name = path.relative_to(SOURCE).as_posix()
        if name.startswith(APART) or " " not in text:  # one word is a name
            continue
        seen += 1
        if NEVER.search(text):
            wrong.append(f"{name}:{line}: {text}")
    assert seen > 500
    assert not wrong, "\n".join(wrong)
