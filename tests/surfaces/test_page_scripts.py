"""The page's scripts: modules are joined in order or refused, texts stay as they are, and types fit the schema."""

import json
import math
import random
import re
import shutil
import subprocess
from importlib.resources import files

import pytest

from unconfuse._formatting import interval_words, number_text, percent, threshold_words
from unconfuse.explorer import SHARED
from unconfuse.explorer.bundler import compact_script, compact_style, joined_modules
from unconfuse.explorer.formulas import functions
from unconfuse.report import schema

FOLDER = files("unconfuse.explorer")
ENTRIES = ("two_classes.js", "several_classes.js", "simulation.js", "exercises.js")
MADE = {"formulas.js": ("METRIC", "FORMULA", "VERDICT_TONES")}
SOURCES = sorted(path for path in FOLDER.rglob("*") if path.suffix in (".js", ".ts", ".css"))


def text_of(path):
    return FOLDER.joinpath(path).read_text(encoding="utf-8")


def join(made=(), **modules):
    """Join modules given as name=text, beginning with the first."""
    sources = {f"{name}.js": text for name, text in modules.items()}
    return joined_modules(next(iter(sources)), sources.__getitem__, dict(made))


def test_what_is_imported_comes_first_and_once():
    found = join(
        page="import {a} from './a.js';\nimport {b} from './b.js';\n\nrun(a, b);\n",
        b="import {c} from './c.js';\n\nexport const b = c + 1;\n",
        a="import {\n  c,\n} from './c.js';\n\nexport function a() {\n  return c;\n}\n",
        c="export const c = 1;\n",
    )
    assert found.splitlines() == ["const c=1;", "function a(){return c;}", "const b=c + 1;", "run(a,b);"]


def test_paths_start_from_the_module_that_names_them():
    sources = {
        "page.js": "import {one} from './parts/one.js';\none();\n",
        "parts/one.js": "import {two} from '../two.js';\nexport const one = two;\n",
        "two.js": "import {METRIC} from './formulas.js';\nexport const two = METRIC;\n",
    }
    found = joined_modules("page.js", sources.__getitem__, MADE)
    assert found.splitlines() == ["const two=METRIC;", "const one=two;", "one();"]


@pytest.mark.parametrize(
    ("modules", "words"),
    [
        (
            {
                "page": "import {a} from './a.js';\n",
                "a": "import {b} from './b.js';\nexport const a = b;\n",
                "b": "import {a} from './a.js';\nexport const b = a;\n",
            },
            "circle: page.js -> a.js -> b.js -> a.js",
        ),
        ({"page": "import {b} from './a.js';\n", "a": "export const a = 1;\n"}, "imports 'b' from a.js"),
        ({"page": "import {a} from './a.js';\n", "a": "const a = 1;\n"}, "does not export it"),
        ({"page": "import {a as b} from './a.js';\n", "a": "export const a = 1;\n"}, "imports 'a as b'"),
        ({"page": "import {a} from './a.js';\nlet b;\n", "a": "export const a = 1;\nclass b {}\n"}, "both declare 'b'"),
        ({"page": "const METRIC = 1;\n"}, "formulas.js and page.js both declare 'METRIC'"),
        ({"page": "import {RATIO} from './formulas.js';\n"}, "imports 'RATIO'"),
        ({"page": "import a from './a.js';\n"}, "cannot be joined"),
        ({"page": "import * as a from './a.js';\n"}, "cannot be joined"),
        ({"page": "import './a.js';\n"}, "cannot be joined"),
        ({"page": "import {a} from 'https://example.org/a.js';\n"}, "cannot be joined"),
        ({"page": "export default 1;\n"}, "cannot be joined"),
        ({"page": "export {a} from './a.js';\n"}, "cannot be joined"),
        ({"page": "export async function a() {}\n"}, "cannot be joined"),
        ({"page": "const {a, b} = c;\n"}, "cannot be joined"),
        ({"page": "const a = 1,\n  b = 2;\n"}, "cannot be joined"),
        ({"page": "var a = 1;\n"}, "cannot be joined"),
        ({"page": "say(`one\n  two`);\n"}, "made compact"),
        ({"page": "say(`a ${b ? `c = d` : ''}`);\n"}, "made compact"),
        ({"page": "say(1); // why\n"}, "made compact"),
        ({"page": "say(a.replace(/ = /g, b));\n"}, "made compact"),
    ],
)
def test_what_cannot_be_joined_is_refused(modules, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        join(MADE, **modules)


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("const a = b ? 'c ? d' : \"e : f\";", "const a=b?'c ? d':\"e : f\";"),
        ("say(`${a} = ${f(b, c)}, d`);", "say(`${a} = ${f(b, c)}, d`);"),
        (r"say('it\'s = ', a);", r"say('it\'s = ',a);"),
        (r"a.replace(/[ /'] = \/(b)/g, c);", r"a.replace(/[ /'] = \/(b)/g,c);"),
        ("const a = (b / c) * (d / e) - -f;", "const a=(b / c)*(d / e)- -f;"),
        ("for (const [a, b] of c) d(a);\nreturn !e;", "for(const[a,b]of c)d(a);\nreturn!e;"),
        ("f(\n  a,\n  b,\n);\n", "f(a,b,);"),
        ("const a = 'http://b';\n\n\nc();", "const a='http://b';\nc();"),
    ],
)
def test_only_layout_is_left_out(code, wanted):
    assert compact_script(code, "page.js") == wanted


def test_style_keeps_its_meaning():
    style = "a :hover,\nb > c + d {\n  font:\n    1px/2 x,\n    y;\n}\n"
    assert compact_style(style) == "a :hover,b > c + d{font:1px/2 x,y;}"
    style = "@media (max-width: 9px) {\n  e::after {\n    content: ' ↑';\n  }\n}\n"
    assert compact_style(style) == "@media (max-width:9px){e::after{content:' ↑';}}"


def test_every_script_is_in_a_page():
    seen = set()

    def read(path):
        seen.add(path)
        return text_of(path)

    for entry in ENTRIES:
        assert joined_modules(entry, read, MADE)
    assert seen == {path.relative_to(FOLDER).as_posix() for path in SOURCES if path.suffix == ".js"}


@pytest.mark.parametrize("entry", ENTRIES)
def test_joined_scripts_are_well_formed(entry, tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node, which reads scripts without running them, is not installed")
    script = tmp_path / "page.js"
    body = joined_modules(entry, text_of, MADE)
    script.write_text(f"'use strict';\n{functions({})}(()=>{{\n{body}\n}})();", encoding="utf-8")
    done = subprocess.run(["node", "--check", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def numbers_to_write():
    """Ties of every length (shares of 16, 400 and 1,000 cases), ends of ranges, and numbers of every size."""
    draw = random.Random(5)
    sizes = [draw.uniform(-1, 1) * 10**power for power in range(-13, 17) for _ in range(60)]
    halves = [sign * k / 2**power for power in range(1, 9) for k in range(1, 70) for sign in (1, -1)]
    return sorted(
        {*sizes, *halves, *(k / 400 for k in range(401)), *(k / 1000 for k in range(1001)), 9.995, 99.95, 999.5}
    )


def test_the_page_writes_numbers_as_python_does(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("node, which runs the page's scripts without a browser, is not installed")
    (tmp_path / "text.mjs").write_text(text_of("text.js"), encoding="utf-8")
    values = numbers_to_write()
    (tmp_path / "write.mjs").write_text(
        "import {numberText, percentText, intervalText, thresholdText} from './text.mjs';"
        f"const values = {json.dumps(values)};"
        "console.log(JSON.stringify(values.map(x => "
        "[numberText(x), percentText(x), intervalText(x, 0.3), Number(thresholdText(x))])));",
        encoding="utf-8",
    )
    done = subprocess.run(["node", tmp_path / "write.mjs"], capture_output=True, text=True, check=True)
    for value, texts in zip(values, json.loads(done.stdout), strict=True):
        ends = interval_words(value, 0.3)
        assert [texts[0], texts[2]] == [number_text(value), f"[{ends[0]}, {ends[1]}]"], value
        assert texts[1] == percent(value) or not 0 <= value <= 1, value  # only shares are written as percentages
        assert math.isclose(texts[3], float(threshold_words(value)), rel_tol=1e-12), value


def test_lines_can_be_read():
    long = {path.name for path in SOURCES for line in path.read_text(encoding="utf-8").splitlines() if len(line) > 120}
    assert long == set()


def test_types_of_formulas_are_those_that_python_writes():
    declared = re.findall(r"^  (\w+)\(([^)]*)\): number;$", text_of("formulas.d.ts"), re.MULTILINE)
    found = {name: tuple(re.findall(r"(\w+): number", arguments)) for name, arguments in declared}
    assert found == {name: arguments for name, (arguments, _) in SHARED.items()}


# The parts of a payload whose fields types.d.ts names, and where the schema has them.
PARTS = {
    "Payload": (),
    "CalibrationPart": ("$defs", "calibration"),
    "BandPart": ("$defs", "calibration", "properties", "band"),
    "DecisionDifferencePart": ("properties", "decision_differences", "items"),
    "WidestPart": ("$defs", "subgroups", "properties", "gaps", "items"),
    "Payer": ("properties", "costs", "items"),
    "LedgerPart": ("properties", "ledger", "items"),
    "FindingPart": ("$defs", "finding"),
    "MetricPart": ("$defs", "metric"),
    "ModelPart": ("$defs", "model"),
    "EstimatePart": ("$defs", "model", "properties", "estimates", "additionalProperties"),
    "StopsPart": ("$defs", "model", "properties", "stops"),
    "CurvePart": ("$defs", "model", "properties", "curves", "additionalProperties"),
    "HistogramPart": ("$defs", "model", "properties", "histogram"),
    "CardPart": ("$defs", "card"),
    "RulePart": ("$defs", "card", "properties", "rules", "items"),
    "ComparisonPart": ("$defs", "comparison"),
    "DifferencePart": ("$defs", "comparison", "properties", "differences", "items"),
    "LeaderboardPart": ("$defs", "comparison", "properties", "leaderboard"),
    "StandingPart": (*("$defs", "comparison", "properties", "leaderboard", "properties"), *("standings", "items")),
    "ResolutionPart": ("$defs", "resolution"),
    "ResolutionRow": ("$defs", "resolution", "properties", "rows", "items"),
    "KindPart": ("$defs", "resolution", "properties", "kinds", "items"),
    "SubgroupsPart": ("$defs", "subgroups"),
    "SubgroupPart": ("$defs", "subgroups", "properties", "groups", "items"),
    "GapPart": ("$defs", "subgroups", "properties", "differences", "items"),
    "SummaryPart": ("$defs", "summary"),
    "ClassesPart": ("$defs", "classes"),
    "MistakePart": ("$defs", "classes", "properties", "worst", "items"),
    "ClassMetricPart": ("$defs", "classes", "properties", "declared", "additionalProperties"),
    "RiskCoveragePart": ("$defs", "classes", "properties", "risk_coverage"),
}


def declared_fields(name, text):
    """Fields of an interface with those that it extends, and whether each must be there."""
    extended, body = re.search(
        rf"^export interface {name} (?:extends (\w+) )?\{{\n(.*?)^\}}", text, re.M | re.S
    ).groups()
    own = {field: not optional for field, optional in re.findall(r"^  (\w+)(\??):", body, re.MULTILINE)}
    return (declared_fields(extended, text) if extended else {}) | own


@pytest.mark.parametrize("name", PARTS)
def test_types_are_those_of_the_schema(name):
    rule = schema()
    for key in PARTS[name]:
        rule = rule[key] if key in rule else rule["properties"][key]
    fields = {field: field in rule.get("required", ()) for field in rule["properties"]}
    assert declared_fields(name, text_of("types.d.ts")) == fields
