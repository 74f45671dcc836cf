"""The other commands, help, exit codes, speed and silence."""

import json
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import unconfuse as uc
from unconfuse.cli import COMMANDS
from unconfuse.demo import patients_path

BAYES = ("bayes", "--prevalence", ".01", "--sensitivity", ".9", "--specificity", "95%")
COUNTS = ("counts", "--tp", 141, "--fp", 0, "--fn", 67, "--tn", 31)


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help(run, name, flag):
    result = run(name, flag)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: unconfuse {name}")


def test_the_list_of_commands_is_complete(run):
    assert all(name in run("--help").stdout for name in COMMANDS)
    assert run("--version").stdout == f"unconfuse {uc.__version__}\n"


def test_bayes_prints_the_numbers_of_the_function(run):
    expected = uc.bayes(prevalence=0.01, sensitivity=0.9, specificity=0.95)
    answer = json.loads(run(*BAYES, "--prior", ".3", "--json").stdout)
    assert answer["precision"] == expected.precision
    assert answer["after_positive"] == uc.bayes(prevalence=0.3, sensitivity=0.9, specificity=0.95).precision
    assert "Of 1,000 people, 10 have the condition" in run(*BAYES).stdout
    for form in ("csv", "markdown"):
        assert "precision" in run(*BAYES, "--format", form).stdout


def test_bayes_shows_a_person_and_the_work(run):
    rates = ("bayes", "--sensitivity", ".9", "--specificity", ".95", "--prior", "5%")
    answer = json.loads(run(*rates, "--tests", "++-", "--json").stdout)
    odds = 0.05 / 0.95 * 18 * 18 * (0.1 / 0.95)
    assert answer["after_++-"] == pytest.approx(odds / (1 + odds))
    assert json.loads(run(*rates, "--tests", "+", "+", "-", "--json").stdout) == answer
    assert "independent" in answer["person"]["dependence"]
    shown = run(*rates, "--tests", "+", "--show-work").stdout
    assert "PPV = Se x pi1 / p1          = 0.9 x 0.05 / 0.0925      = 0.4865" in shown
    assert "|-- 50 have the condition" in shown
    assert sum(line.count("#") for line in shown.splitlines() if set(line) <= set("#o!.")) == 45


def test_counts_show_a_person(run):
    study = ("counts", "--tp", 90, "--fp", 5, "--fn", 10, "--tn", 95, "--prior", "5%", "--tests", "++-")
    expected = uc.posterior(uc.Counts(tp=90, fp=5, fn=10, tn=95), prior=0.05, results="++-")
    person = json.loads(run(*study, "--json").stdout)["person"]
    assert (person["after"]["low"], person["after"]["high"]) == (
        expected.after_results.low,
        expected.after_results.high,
    )
    assert "after ++- it is 64.2%" in run(*study, "--format", "markdown").stdout
    assert "Before the test the probability is 5%" in run(*study).stdout
    assert run(*study, "--format", "csv").exit_code == 2


def test_bayes_knows_ratios_ranges_and_rounding(run):
    answer = json.loads(run("bayes", "--lr-positive", 9, "--lr-negative", ".1", "--prevalence", "5%", "--json").stdout)
    assert answer["precision"] == pytest.approx(9 / (9 + 19))
    ranges = json.loads(run("bayes", "--negative-prevalence", "80%", "--accuracy", ".9", "--ranges", "--json").stdout)
    assert ranges["ranges"]["sensitivity"] == [0.5, 1.0]
    four = (*BAYES, "--precision", ".16")
    assert run(*four).exit_code == 2
    assert run(*four, "--tolerance", ".005").exit_code == 0


def test_few_cases_and_simulated_ones(run, tmp_path):
    few = run("small-sample", "--right", 6, "--of", 10, "--rate", ".8").stdout
    assert "gets 6 or fewer of 10 right 12.1% of the time" in few
    assert "all 10 right 10.7%" in few
    assert run("small-sample", "--right", 11, "--of", 10).exit_code == 2
    file = tmp_path / "sample.csv"
    told = json.loads(run("simulate", "--scenario", 4, "--save-rows", file, "--json").stdout)
    assert (told["positives"], told["negatives"]) == (500, 9500)
    assert told["auroc_of_the_population"] == pytest.approx(0.9214, abs=1e-4)
    assert told["auroc"]["low"] < 0.9214 < told["auroc"]["high"]
    recall = [line["recall"] for line in told["trend"]]
    assert recall == sorted(recall, reverse=True)
    assert json.loads(run("evaluate", file, "--metric", "auroc", "--json").stdout)["positives"] == 500
    assert run("simulate", "--scenario", 9).exit_code == run("simulate", "--seed", -1).exit_code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("bayes",),
        (*BAYES, "--tests", "++"),
        (*BAYES, "--prior", ".1", "--tests", "+x"),
        (*BAYES, "+"),
        ("bayes", "--prevalence", ".1"),
        ("bayes", "--prevalence", "2"),
        ("bayes", "--prevalence", "x"),
        (*BAYES, "--precision", ".99"),
    ],
)
def test_bayes_refuses_what_does_not_determine_the_rest(run, arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Error: " in result.stderr


@pytest.mark.parametrize("name", uc.METRICS)
def test_every_metric_is_listed_and_explained(run, name):
    assert name in run("metrics").stdout
    explained = run("metrics", name).stdout
    assert uc.METRICS[name].label in explained
    assert "\\" not in explained.split("range")[0]  # formulas are for reading
    assert json.loads(run("metrics", name, "--json").stdout)["question"] == uc.METRICS[name].question


def test_a_misspelt_name_is_offered_again(run):
    assert "did you mean 'sensitivity'" in run("metrics", "sensitivty").stderr
    assert "did you mean 'counts'" in run("count").stderr
    assert "did you mean 'sensitivity'" in run(*COUNTS, "--metric", "sensitivty").stderr


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_completion_scripts(run, shell_name):
    result = run("completion", shell_name)
    assert result.exit_code == 0
    assert "_UNCONFUSE_COMPLETE" in result.stdout


def test_completion_offers_commands_and_metrics(shell):
    words = {"_UNCONFUSE_COMPLETE": "bash_complete", "COMP_CWORD": "3", "COMP_WORDS": "unconfuse counts --metric sens"}
    assert "sensitivity" in shell(env=words).stdout.decode()


def test_the_demo_runs_and_names_its_commands(shell, patience):
    start = time.monotonic()
    result = shell("demo")
    assert result.returncode == 0, result.stderr
    shown = result.stdout.decode()
    assert "$ unconfuse evaluate" in shown
    assert "--tp 141 --fp 0 --fn 67 --tn 31" in shown
    assert "where 2% are positive" in shown
    assert time.monotonic() - start < 20 * patience()


def test_examples_are_listed_and_recomputed(run):
    from unconfuse.reproduce import REPRODUCTIONS

    listed = run("reproduce").stdout
    assert all(name in listed for name in REPRODUCTIONS)
    result = run("reproduce", "chapter", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["agrees"] is True
    shown = run("reproduce", "chapter").stdout
    assert "published" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_the_package_can_be_run_as_a_module():
    command = [sys.executable, "-m", "unconfuse", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == f"unconfuse {uc.__version__}\n"


BAD_USE = {
    "no such file": ("evaluate", "nothing.csv"),
    "no file": ("evaluate",),
    "unknown option": ("evaluate", "--nothing"),
    "negative count": ("counts", "--tp", 1, "--fp", -1, "--fn", 1, "--tn", 1),
    "count that is no number": ("counts", "--tp", "x", "--fp", 1, "--fn", 1, "--tn", 1),
    "count that is NaN": ("counts", "--tp", "nan", "--fp", 1, "--fn", 1, "--tn", 1),
    "no cases": ("counts", "--tp", 0, "--fp", 0, "--fn", 0, "--tn", 0),
    "missing count": ("counts", "--tp", 1),
    "level of 1": (*COUNTS, "--level", 1),
    "level of 95": (*COUNTS, "--level", 95),
    "unknown design": (*COUNTS, "--design", "x"),
    "unknown metric": (*COUNTS, "--metric", "x"),
    "metric that is code": (*COUNTS, "--metric", "f_beta(__import__('os'))"),
    "prevalence of 2": (*COUNTS, "--prevalence", 2),
    "unknown form": (*COUNTS, "--format", "x"),
    "unknown command": ("nothing",),
    "unknown shell": ("completion", "x"),
    "unknown example": ("reproduce", "nothing"),
}


@pytest.mark.parametrize("name", BAD_USE)
def test_wrong_use_ends_with_2_and_one_message(run, name):
    result = run(*BAD_USE[name])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("Error: ") == 1
    assert "Traceback" not in result.stderr


BAD_DATA = {
    "thresholds outside the range": (b"y,p\n1,.5\n0,.2\n", ["--threshold", "50"]),
    "threshold is NaN": (b"y,p\n1,.5\n0,.2\n", ["--threshold", "nan"]),
    "one class": (b"y,p\n1,.5\n1,.2\n", []),
    "header only": (b"y,p\n", []),
    "text": (b"y,p\n1,x\n", []),
    "ragged": (b"y,p\n1,.5,3\n", []),
    "missing": (b"y,p\n1,\n0,.5\n", []),
    "unknown column": (b"y,p\n1,.5\n0,.2\n", ["--label", "outcome"]),
    "unknown positive": (b"y,p\n1,.5\n0,.2\n", ["--positive", "yes"]),
    "negative weight": (b"y,p,w\n1,.5,-1\n0,.2,1\n", ["--weight", "w"]),
    "twice the same": (b"y,p,id\n1,.5,a\n0,.2,a\n", ["--id", "id"]),
    "garbage": (bytes(range(256)), []),
    "control characters": (b"\x1b[31mred,p\n1,.5\n", []),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_end_with_2_and_one_message(run, tmp_path, name):
    data, options = BAD_DATA[name]
    (tmp_path / "a.csv").write_bytes(data)
    result = run("evaluate", tmp_path / "a.csv", *options)
    assert result.exit_code == 2
    assert result.stderr.count("Error: ") == 1
    assert "\x1b" not in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize("name", ["one class", "garbage", "control characters"])
def test_bad_data_end_the_process_with_2_and_without_a_traceback(shell, tmp_path, name):
    data, options = BAD_DATA[name]
    (tmp_path / "a.csv").write_bytes(data)
    result = shell("evaluate", tmp_path / "a.csv", *options)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(b"Error: ")
    assert b"Traceback" not in result.stderr
    assert b"\x1b" not in result.stderr


STRANGE = ["[red]x[/red]", "<b>bold</b>", "\x1b[31mred\x1b[0m", "\u202eabc", "x" * 10_000, ":smile:", "a|b"]


@pytest.mark.parametrize("name", STRANGE)
def test_names_are_printed_as_text(run, tmp_path, name):
    (tmp_path / "a.csv").write_text(f'y,"{name}"\n1,.5\n0,.2\n1,.6\n', encoding="utf-8")
    for form in ("table", "markdown", "json", "csv"):
        result = run("evaluate", tmp_path / "a.csv", "--score", name, "--metric", "sensitivity", "--format", form)
        assert result.exit_code == 0, result.stderr
        assert "\x1b" not in result.stdout
        assert "\u202e" not in result.stdout
    shown = run("evaluate", tmp_path / "a.csv", "--score", name, "--metric", "sensitivity").stdout
    assert max(map(len, shown.splitlines())) <= 100
    if name in ("[red]x[/red]", "<b>bold</b>", ":smile:"):
        assert name in shown


def test_help_is_quick_and_light():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    best = float("inf")
    for _ in range(3):
        subprocess.run([Path(sys.executable).with_name("unconfuse"), "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        before = after
    assert best < 0.25


HEAVY = {"pandas", "matplotlib", "scipy.stats", "duckdb", "rich"}


@pytest.mark.parametrize(
    ("code", "forbidden"),
    [
        ("import unconfuse", {*HEAVY, "scipy", "narwhals", "numpy"}),
        ("import unconfuse.cli", {*HEAVY, "scipy", "narwhals", "numpy"}),
        ("import unconfuse; unconfuse.evaluate; unconfuse.METRICS", HEAVY),
    ],
)
def test_imports_stay_light(code, forbidden):
    printed = subprocess.run(
        [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"], check=True, capture_output=True, text=True
    ).stdout
    assert not forbidden & set(printed.split())


def test_a_command_on_a_small_file_loads_what_it_uses(tmp_path):
    """Counted, not timed: none of these has a part in judging a plain CSV file, and each takes some milliseconds."""
    path = tmp_path / "small.csv"
    path.write_text("y,p\n" + "".join(f"{i % 3 == 0:d},{(i * 7 % 20) / 20}\n" for i in range(40)))
    code = (
        "import atexit, sys; from unconfuse.__main__ import main; atexit.register(lambda: print(*sys.modules)); main()"
    )
    words = f"evaluate {path} --label y --score p --output {path}.txt".split()
    printed = subprocess.run([sys.executable, "-c", code, *words], check=True, capture_output=True, text=True).stdout
    loaded = set(printed.split())
    unused = {"scipy.special", "scipy.stats", "concurrent.futures", "sqlite3", "difflib", "duckdb", "narwhals"}
    rooms = "thresholds resolving explorer plots ingest.sources.spark ingest.judged api.comparison results.comparison"
    assert "unconfuse.results.evaluation" in loaded
    assert not loaded & (unused | {f"unconfuse.{room}" for room in rooms.split()})
    # Sampling, strategies, contrasts and policy are modules of their own: a file that is split must not break this.
    assert sum(each.startswith("unconfuse") for each in loaded) < 169


@pytest.mark.parametrize(
    "words", ["evaluate FILE", "evaluate FILE --by age", "compare FILE --score lab", "slices FILE --by site --by age"]
)
def test_the_end_of_a_process_says_nothing(words):
    """Libraries speak of what they find left over when the interpreter ends: only a process of its own shows that."""
    file = f"{patients_path()} --label outcome --positive yes --score risk"
    command = [sys.executable, "-m", "unconfuse", *words.replace("FILE", file).split()]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout
    assert done.stderr == ""


def test_a_reader_that_goes_away_is_no_error():
    command = [Path(sys.executable).with_name("unconfuse"), "metrics", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""


def test_ctrl_c_ends_with_130_and_no_traceback():
    command = [Path(sys.executable).with_name("unconfuse"), "evaluate", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        assert b"Traceback" not in process.stderr.read()
        assert process.returncode == 130


def test_ctrl_c_while_a_library_is_loaded_ends_at_once(tmp_path):
    """Compiled modules do not survive an exception halfway: this one would go on to leave a mark."""
    (tmp_path / "halfway.py").write_text(
        "import os, pathlib, signal\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "try:\n    [each for each in range(10**7)]\n"
        "finally:\n    pathlib.Path(__file__).with_name('mark').touch()\n"
    )
    code = "from unconfuse.cli import _signals; _signals.heed_signals(); import halfway"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False, timeout=20)
    assert (done.returncode, done.stderr) == (130, b"")
    assert not (tmp_path / "mark").exists()


def test_an_interruption_that_python_takes_for_unhandled_still_ends_with_130(tmp_path):
    """`python -m` ends a process by the signal itself once code that a library ran as text was interrupted."""
    (tmp_path / "halfway.py").write_text(
        "import ctypes, os, signal\n"
        "from unconfuse import cli\n"
        "def run(**_):\n"
        "    names = ctypes.py_object({'os': os, 'signal': signal})\n"
        "    text = b'os.kill(os.getpid(), signal.SIGINT); [each for each in range(10**8)]'\n"
        "    ctypes.pythonapi.PyRun_String.restype = ctypes.py_object\n"
        "    ctypes.pythonapi.PyRun_String(text, 257, names, names)\n"
        "cli.cli.main = run\n"
        "cli.main()\n"
    )
    command = [sys.executable, "-m", "halfway"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, b"")


def test_failures_inside_end_with_1_and_say_so(run, monkeypatch):
    def fail(**_):
        raise ZeroDivisionError("boom")

    monkeypatch.setattr("unconfuse.api.evaluate_counts", fail)
    result = run(*COUNTS)
    assert result.exit_code == 1
    assert "something went wrong inside unconfuse (ZeroDivisionError: boom)" in result.stderr
    assert "Traceback" not in result.stderr
    monkeypatch.setenv("UNCONFUSE_TRACEBACK", "1")
    assert isinstance(run(*COUNTS).exception, ZeroDivisionError)


def test_a_terminal_that_knows_only_ascii_is_served(shell, tmp_path):
    (tmp_path / "a.csv").write_text("y,naïve\n1,.5\n0,.2\n1,.7\n", encoding="utf-8")
    result = shell(
        "evaluate",
        tmp_path / "a.csv",
        "--score",
        "naïve",
        "--metric",
        "sensitivity",
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert result.returncode == 0, result.stderr
    assert b"na\\xefve" in result.stdout


def test_counts_of_cases_are_whole(run):
    result = run("counts", "--tp", 10, "--fp", 15.5, "--fn", 2, "--tn", 30)
    assert result.exit_code == 2 and "--fp must be a whole number of cases; got 15.5" in result.stderr
    assert uc.evaluate_counts(tp=10, fp=15.5, fn=2, tn=30)["precision"].value == 10 / 25.5  # sums of weights


LATE = """
import os, signal, sys
from unconfuse import __main__
class Late:
    def __del__(self, kill=os.kill, me=os.getpid(), number=signal.SIG):
        kill(me, number)
__main__._waste_nothing()
sys.late = Late()
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_after_the_last_word_changes_nothing(name):
    """While Python takes itself apart it hears no signal: one that came then ended a finished command by force."""
    assert subprocess.run([sys.executable, "-c", LATE.replace("SIG)", f"{name})")], check=False).returncode == 0
