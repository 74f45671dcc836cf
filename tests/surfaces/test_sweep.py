"""The sweep that finds waits: it asks every member of a result, and says what is slow, steep or large."""

import sys
from pathlib import Path

import pytest

import unconfuse as uc

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")


@pytest.fixture
def sweep(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    import bench_sweep

    yield bench_sweep
    for name in ("bench_sweep", "bench_waits"):
        sys.modules.pop(name, None)


def test_every_public_member_is_asked_or_says_why_not(sweep):
    found = sweep.swept([1e3], "Guarantee", memory=False)
    made = sweep.results(1e3)["Guarantee"]()
    named = {name.rpartition(".")[2] for name in [*found["members"], *found["unasked"]]}
    assert {name for name in dir(type(made)) if not name.startswith("_")} <= named
    assert found["members"] and all(found["unasked"].values())
    assert not [name for name, each in found["members"].items() if sweep.faults(each)]


def test_a_property_is_computed_and_a_method_called(sweep):
    calls = []

    class Result:
        @property
        def shown(self):
            calls.append("shown")

        def told(self):
            calls.append("told")
            yield calls.append("used up")

        def refused(self):
            raise uc.UnconfuseError("not of this one")

        def wanting(self, what):
            raise AssertionError(what)

    made = Result()
    asked = [name for name in sweep.members(made) if not sweep.unasked(made, name)]
    for name in asked:
        sweep.ask(made, name)
    assert calls == ["shown", "told", "used up"]
    assert sweep.unasked(made, "wanting") == "needs what"


@pytest.mark.parametrize(
    ("seconds", "of_memory", "told"),
    [
        ({"1e+03": 0.01, "1e+05": 0.1, "1e+06": 1.0}, 100.0, []),
        ({"1e+03": 0.6, "1e+05": 0.7}, 100.0, ["takes 0.6 s at 1e+03"]),
        ({"1e+05": 0.01, "1e+06": 1.0}, 100.0, ["grows with slope 2.00"]),
        ({"1e+05": 0.0001, "1e+06": 0.01}, 100.0, []),  # too short to tell
        ({"1e+05": 0.1, "1e+06": 1.0}, 5000.0, ["holds 5000 bytes a row"]),
    ],
)
def test_faults_are_named(sweep, seconds, of_memory, told):
    each = {"seconds": seconds, "bytes": of_memory}
    assert sweep.faults(each) == told
    assert all(words in "\n".join(sweep.table({"members": {"R.x": each}})) for words in told)
