"""For all tests, those in docstrings too: pictures are closed, and what the suite did not run, it says.

Tests that need Spark, PostgreSQL or a browser are skipped where these are missing. A run ends by saying how many of
each kind ran, and which files took longest. In continuous integration (`CI=true`) a kind that did not run is a failure:
nobody reads green logs. Slow kinds are marked (`MARKS`), so that `-m "not (spark or browser)"` leaves them out.
"""

import os
import sys
from collections import Counter

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # several processes share the cores; before NumPy is imported

import pytest
from hypothesis import settings

KINDS = ("Spark", "PostgreSQL", "browser")
MARKS = {
    **{kind.casefold(): f"needs {kind}" for kind in KINDS},
    "server": "starts `unconfuse serve`",
    "frozen": "computes frozen results anew",
    "attack": "tries hostile inputs",
}
collect_ignore_glob = ["tests/reference/make_*.py"]  # scripts that made values with packages that are not needed here
LONG = 30  # seconds
SLOW = (  # files that take longer than that start first, so that all processes end at about the same time
    "test_spark.py",
    "test_readme.py",
    "test_parameters.py",
    "test_gallery.py",
    "test_mlflow.py",
    "test_page.py",
    "test_serve_flow.py",
    "test_page_payload.py",
    "test_serve_browser.py",
    "test_serve_archives.py",
    "test_decision_laws.py",
    "test_page_classes.py",
    "test_page_first.py",
    "test_any_source.py",
    "test_situations.py",
    "test_reconstruct.py",
    "test_attack.py",
    "test_frozen.py",
    "test_plots.py",
    "test_win_probability.py",
    "test_sentences.py",
    "test_serve_hostile.py",
    "test_tabular_page.py",
    "test_lessons.py",
    "test_figures.py",
    "test_any_quantities.py",
    "test_quantities.py",
    "test_ranking_invariance.py",
    "test_resolving_oracles.py",
    "test_reproduce.py",
    "test_sites.py",
    "test_release.py",
    "test_one_door.py",
)


@pytest.fixture(autouse=True)
def no_figures_left_open():
    """Too many open pictures are a warning, and so an error."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


def kind_of(item):
    """Say what a test needs besides Python packages: by its mark, its fixtures or its name."""
    mark = item.get_closest_marker("needs")
    if mark is not None:
        return mark.args[0]
    if "chromium" in getattr(item, "fixturenames", ()):
        return "browser"
    return "PostgreSQL" if "postgresql" in item.name.casefold() else None


def marks_of(item):
    """Name the slow kinds that a test is of: what it needs, a server, and the folders that are slow as a whole."""
    found = {(kind_of(item) or "").casefold(), item.path.parent.name}
    if {"server", "serving"} & set(getattr(item, "fixturenames", ())):
        found.add("server")
    return found & set(MARKS)


class WhatRan:
    """Counts tests by what they need, and the reasons for which tests were skipped."""

    def __init__(self):
        self.ran, self.skipped, self.reasons, self.seconds = Counter(), Counter(), Counter(), Counter()

    def pytest_runtest_logreport(self, report):
        """Count a test that ran or was skipped."""
        self.seconds[report.nodeid.partition("::")[0]] += report.duration
        kind = dict(report.user_properties).get("needs")
        if report.skipped:
            self.skipped[kind] += kind is not None
            self._because(report)
        elif report.when == "call" and kind is not None:
            self.ran[kind] += 1

    def pytest_collectreport(self, report):
        """Count a file that was skipped as a whole."""
        if report.skipped:
            self._because(report)

    def _because(self, report):
        """Count a reason: a skip carries (file, line, reason), an expected failure carries its reason elsewhere."""
        told = report.longrepr[2] if isinstance(report.longrepr, tuple) else getattr(report, "wasxfail", "")
        self.reasons[str(told).removeprefix("Skipped: ")] += 1

    def missing(self, config):
        """Kinds of which a test was skipped; of the whole suite also those of which none ran."""
        whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.keyword
        return [kind for kind in KINDS if self.skipped[kind] or (whole and not self.ran[kind])]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session, exitstatus):
        """In continuous integration, green turns red if a kind did not run."""
        if os.environ.get("CI") == "true" and exitstatus == pytest.ExitCode.OK and self.missing(session.config):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter, config):
        """Say it, before pytest's own last line."""
        terminalreporter.section("what ran, and what did not")
        for kind in KINDS:
            skipped = f", {self.skipped[kind]} SKIPPED" if self.skipped[kind] else ""
            terminalreporter.line(f"{kind} tests: {self.ran[kind]} ran{skipped}")
        for file, seconds in self.seconds.most_common():
            if seconds > LONG:
                late = "" if file.rpartition("/")[2] in SLOW else "; it is not in SLOW of conftest.py"
                terminalreporter.line(f"{seconds:.0f} s: {file}{late}")
        for reason, times in sorted(self.reasons.items()):
            terminalreporter.line(f"skipped {times}: {reason}")
        if os.environ.get("CI") == "true" and self.missing(config):
            terminalreporter.line(f"FAILED, because in CI these must run: {', '.join(self.missing(config))}", red=True)


# The same examples in every run: what is red today was red yesterday. New ones are drawn by `make attack`.
settings.register_profile("the same in every run", derandomize=True, deadline=None)
settings.load_profile("the same in every run")


def pytest_configure(config):
    """Declare the marks, and count."""
    config.addinivalue_line("markers", "needs(kind): the test needs Spark, PostgreSQL or a browser")
    for name, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{name}: the test {meaning}; given by conftest.py")
    if not hasattr(config, "workerinput"):  # workers only run tests; their reports arrive at the main process
        config.pluginmanager.register(WhatRan(), "what ran")


@pytest.hookimpl(tryfirst=True)  # before pytest chooses tests by their marks
def pytest_collection_modifyitems(items):
    """Slow files first, slow kinds marked; and let reports carry what a test needs, across processes too."""
    place = {name: k for k, name in enumerate(SLOW)}
    items.sort(key=lambda item: place.get(item.path.name, len(SLOW)))
    for item in items:
        for name in marks_of(item):
            item.add_marker(name)
        kind = kind_of(item)
        if kind is not None:
            item.user_properties.append(("needs", kind))
