"""What a command refuses, it refuses in the words of the command line: options, no arguments and quotes of Python."""

import os
import re

import click
import numpy as np
import pytest

from unconfuse.cli import cli
from unconfuse.cli._help import in_options

PYTHON = re.compile(
    r"`(?!unconfuse )\w[^`]*`"  # `name`
    r"|(?<![-\w.])[a-z_]+=(?!=)(?![\w.]*:)"  # name=
    r"|\b(uc|ev|np|pd)\.|\.to[A-Z]|\(\.\.\.|\bTrue\b|\bNone\b|\['|[a-z]\(\)"
)
MEANT = re.compile(r"--threshold \S+=\S+|such as (auroc|risk|clinic)=\S+|--counts \w+=\S+|'[^']*'")
SCORED = ("rows.csv", "--label", "y", "--score", "p")
BASES = {
    "evaluate": (*SCORED, "--resamples", "100", "--metric", "auroc"),
    "compare": ("rows.csv", "--label", "y", "--score", "p", "--score", "q", "--resamples", "100", "--metric", "auroc"),
    "curve": (*SCORED, "--resamples", "100"),
    "gate": ("rows.csv", *SCORED[1:], "--metric", "auroc", "--margin", ".01", "--resamples", "100"),
    "counts": ("--tp", "5", "--fp", "2", "--fn", "1", "--tn", "9"),
    "calibration": (*SCORED, "--repair", os.devnull),
    "guarantee": (*SCORED, "--at-least", ".6"),
    "indistinguish": (*SCORED, "--resamples", "100"),
    "meta": ("rows.csv", "--tp", "y", "--fp", "points", "--fn", "one", "--tn", "y"),
    "benchmark": ("rows.csv", "--dataset", "p", "--model", "y", "--value", "q"),
    "plan": ("--difference", ".1", "--prevalence", ".3"),
    "bayes": ("--prevalence", ".01", "--sensitivity", ".9", "--specificity", ".95"),
    "small-sample": ("--right", "6", "--of", "10", "--rate", ".8"),
    "table": (*SCORED, "-o", os.devnull),
    "thresholds": (*SCORED, "--resamples", "100", "--rule", "youden", "--honest", "none"),
}
# By what the help calls the value of an option.
BAD = {
    "COLUMN": ("nope", "three", "one", "hole"),
    "LABEL": ("Yes", "nope"),
    "SHARE": ("2", "-1", "nan"),
    "SCORE": ("99", "nan"),
    "N": ("0", "-3"),
    "NAME": ("nope", "f_beta(", "precision_at_k(0)", "cohen_kappa_linear"),
    "METRIC": ("nope",),
    "RULE": ("nope",),
    "SUBGROUP": ("nope",),
    "PATTERN": ("p_*", "nope_*"),
    "NAMES": ("a,b",),
    "CHARACTER": ("ab", ","),
    "TEXT": ("nope>=3", "sensitivity>=2"),
    "COST": ("-1", "nan"),
    "RATIO": ("-1", "nan"),
    "D": ("0", "2"),
    "W": ("0", "3"),
    "VALUE": ("5",),
    "AUROC": (".2", "1.5"),
    "CORRELATION": ("3",),
    "METRIC[=VALUE]": ("auroc=3", "nope=.5"),
    "[MODEL=]SCORE": ("nope=.5", "5"),
    "NAME=TP,FP,FN,TN": ("a=1,2",),
    "NAME=FP:FN": ("a", "a=0:0"),
    "SIGNS": ("+x",),
    "SQL": ("select 1",),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path, rng, n = tmp_path_factory.mktemp("refused") / "rows.csv", np.random.default_rng(1), 24
    y = np.arange(n) % 2
    p = np.round(np.clip(0.4 + 0.2 * y + rng.normal(0, 0.2, n), 0.01, 0.99), 2)
    columns = {"y": y, "p": p, "q": 1 - p, "points": np.round(10 * p), "one": np.ones(n)}
    columns |= {"three": ["yes", "no", "unknown", "Yes"] * 6, "hole": ["", *p[1:]], "part": [*y[:20], *[""] * 4]}
    lines = [",".join(columns), *(",".join(map(str, line)) for line in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


SHARED = {each.name for each in cli.get_command(click.Context(cli), "guarantee").params} - {"metric", "prevalence"}


def without(words, names):
    """The words without an option and its value: given twice, it would be refused for that."""
    place = next((place for place, word in enumerate(words) if word in names), len(words))
    return [*words[:place], *words[place + 2 :]]


def asked(name):
    """A command with each of its options, one at a time, given what it cannot take; shared ones with one command."""
    for option in cli.get_command(click.Context(cli), name).params:
        shared = option.name in SHARED and name != "guarantee"
        if isinstance(option, click.Option) and option.metavar in BAD and not shared and option.name != "spark":
            for value in BAD[option.metavar]:
                yield [*(BASES[name] if option.multiple else without(BASES[name], option.opts)), option.opts[0], value]
    if name in ("evaluate", "compare"):
        for label in ("three", "one", "hole", "nope"):
            yield [label if each == "y" else each for each in BASES[name]]
        yield [("nope.csv" if each == "rows.csv" else each) for each in BASES[name]]
        yield [("points" if each == "p" else each) for each in BASES[name]]


@pytest.mark.parametrize("name", list(BASES))
def test_refusals_speak_of_options(run, rows, name):
    refused = []
    for words in asked(name):
        done = run(name, *(rows if each == "rows.csv" else each for each in words))
        assert done.exit_code in (0, 2, 3, 4), (words, done.stderr)
        if done.exit_code == 2:
            refused.append(done.stderr.partition("Error:")[2])
    said = {text: found[0] for text in refused if (found := PYTHON.search(MEANT.sub("", text)))}
    assert refused and not said


def test_words_of_python_become_options():
    options = [click.Option(["--resamples", "n_resamples"]), click.Option(["--metric", "metrics"], multiple=True)]
    said = in_options("`n_resamples` is 3. Hint: `metrics=['auroc']`, or `evaluate`; `threshold of a` is 5.", options)
    assert said == "--resamples is 3. Hint: --metric auroc, or `unconfuse evaluate`; threshold of a is 5."


def test_values_of_python_are_quoted_for_the_shell():
    options = [click.Option(["--negative"], multiple=True), click.Option(["--rest-negative", "rest"], is_flag=True)]
    said = in_options("Hint: `negative=['not ill', 'never']` (`rest=True`); not `other=3`.", options)
    assert said == "Hint: --negative 'not ill' --negative never (--rest-negative); not other=3."


@pytest.mark.parametrize("name", ["weight=3.csv", "weight=3", "by=site/weight=3/part.csv"])
def test_names_from_the_data_are_never_options(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("y,p,label=1\n1,.5,a\n0,abc,b\n")
    said = run("evaluate", name, "--label", "y", "--score", "p").stderr
    assert f"line 3 of {name}: column 'p'" in said
    said = run("evaluate", name, "--label", "score=2", "--score", "p").stderr
    assert f"{name} has no column 'score=2'" in said and "label=1" in said and "--" not in said
    whole = run("evaluate", name.partition("/")[0], "--label", "y", "--score", "p").stderr
    assert name in whole and "--" not in whole
    missing = run("evaluate", "group=4.csv", "--label", "y", "--score", "p").stderr
    assert "group=4.csv" in missing


def test_backquotes_in_names_open_no_argument(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "`score`.csv").write_text("y,`p\n1,.5\n0,abc\n")
    said = run("evaluate", "`score`.csv", "--label", "y", "--score", "q").stderr
    assert "`score`.csv has no column 'q'" in said and "--score" not in said


def test_backquotes_in_columns_and_labels_open_no_argument(run, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("`by`,`score=9`,x\n`positive`,.5,1\nno,.3,1\n`positive`,.8,1\n")
    said = run("evaluate", path, "--label", "`by`", "--score", "`score=8`").stderr
    assert "has no column '`score=8`'. Hint: did you mean '`score=9`'?" in said
    said = run("evaluate", path, "--label", "`by`", "--score", "`score=9`").stderr
    assert "found '`positive`' (2 rows), 'no' (1 row). Hint: say which, --positive '`positive`' or" in said


def test_an_option_of_one_value_is_not_given_twice(run, data_files):
    path = data_files["data.csv"]
    done = run("evaluate", path, "--score", "a", "--score", "b")
    assert done.exit_code == 2
    assert "--score was given 2 times, and takes one value. Hint: unconfuse compare takes several" in done.stderr
    done = run("evaluate", path, "--seed", "1", "--seed=2")
    assert done.exit_code == 2 and "--seed was given 2 times" in done.stderr
    done = run("counts", "--tp", "5", "--fp", "2", "--fn", "1", "--tn", "9", "--metric", "f1", "--metric", "mcc")
    assert done.exit_code == 0


def test_no_value_is_taken_for_a_former_spelling(run):
    """An empty text, or one that begins with an equals sign, names no option."""
    done = run("counts", "--tp", "5", "--fp", "2", "--fn", "1", "--tn", "9", "--metric", "=f1")
    assert done.exit_code == 2 and "renamed" not in done.stderr


def test_refused_options_are_called_as_they_are_given(run, data_files):
    done = run("calibration", data_files["data.csv"], "--label", "y", "--score", "p", "--seed", "3")
    assert done.exit_code == 2 and "--seed is for mending" in done.stderr


@pytest.mark.parametrize("option", ["--by", "--site"])
def test_rows_of_a_comparison_leave_out_no_option(run, tmp_path, option):
    path = tmp_path / "rows.csv"
    path.write_text("\n".join(["y,a,b,g", *(f"{i % 2},{i / 40},{1 - i / 40},{i // 3 % 2}" for i in range(40))]))
    done = run("compare", path, "--label", "y", "--score", "a", "--score", "b", option, "g", "--format", "csv")
    assert done.exit_code == 2 and f"{option} is not shown in CSV" in done.stderr
    done = run("compare", path, "--label", "y", "--score", "a", "--score", "b", option, "g", "--decision-curve")
    assert done.exit_code == 2 and f"{option} cannot be combined with --decision-curve" in done.stderr
