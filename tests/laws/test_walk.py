"""How a call walks: down through the rooms, so that no room is entered again from one below it.

Files are not counted: an idea that outgrows its file is split in two without breaking the law.
"""

import configparser
import sys
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc

HOUSE = Path(uc.__file__).parent
RULES = Path(__file__).parents[2] / ".importlinter"
# What runs a function of a room above on its behalf: decorators, and what computes a value once.
WRAPPERS = {("_validate.py", "call"), ("_deprecated.py", "call"), ("ingest/_read.py", "call")}
WRAPPERS |= {("table/score_table.py", "remembered")}


def storeys():
    """Of each room, how far up it lies: 0 for the highest."""
    rules = configparser.ConfigParser()
    rules.read(RULES)
    layers = rules["importlinter:contract:rooms"]["layers"].splitlines()
    return {room.strip(): place for place, layer in enumerate(layers) for room in layer.split("|")}


STOREYS = storeys()


def place_of(frame):
    """The file of the house and the function that a frame runs; None outside."""
    path = Path(frame.f_code.co_filename)
    return (path.relative_to(HOUSE).as_posix(), frame.f_code.co_name) if path.is_relative_to(HOUSE) else None


def room_of(place):
    return place[0].split("/")[0].removesuffix(".py")


def caller_of(frame):
    """Who called, past wrappers and other packages."""
    above = frame.f_back
    while above is not None and (place_of(above) is None or place_of(above) in WRAPPERS):
        above = above.f_back
    return None if above is None else place_of(above)


def walked(call):
    """Each step of a call from one place of the house to another: (caller, called)."""
    call()  # what is imported or remembered on the first call is not part of the walk
    steps = set()

    def note(frame, event, argument):
        if event == "call" and (place := place_of(frame)) is not None and (caller := caller_of(frame)) is not None:
            steps.add((caller, place))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return steps


def from_below(steps):
    """Steps into a room from one that lies below it."""
    storey = {place: STOREYS.get(room_of(place)) for step in steps for place in step}
    known = [step for step in steps if None not in (storey[step[0]], storey[step[1]])]
    return [step for step in known if storey[step[0]] > storey[step[1]]]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    y = rng.random(300) < 0.4
    return y, 1 / (1 + np.exp(-(y + rng.normal(size=(3, 300)))))


def calls(rows):
    y, s = rows
    stated = np.exp(s).T / np.exp(s).T.sum(axis=1, keepdims=True)
    return {
        "evaluate": lambda: uc.evaluate(y, s[0]),
        "evaluate several classes": lambda: uc.evaluate(np.arange(300) % 3, stated),
        "compare": lambda: uc.compare(y, {"a": s[0], "b": s[1], "c": s[2]}),
        "subgroups": lambda: uc.evaluate(y, s[0], by=np.arange(300) % 2).subgroups.differences("auroc"),
    }


@pytest.mark.parametrize("name", ["evaluate", "evaluate several classes", "compare", "subgroups"])
def test_no_room_is_entered_from_below(rows, name):
    steps = walked(calls(rows)[name])
    assert len({room_of(called) for _, called in steps}) > 5  # or nothing was seen
    assert from_below(steps) == []


def test_a_step_up_is_seen():
    steps = {
        (("table/counts.py", "total"), ("results/contrast.py", "held")),
        (("api/_gate.py", "gate"), ("table/a.py", "")),
    }
    assert from_below(steps) == [(("table/counts.py", "total"), ("results/contrast.py", "held"))]


def test_several_classes_and_comparisons_go_through_the_same_engine(rows):
    y, s = rows
    stated = np.exp(s).T / np.exp(s).T.sum(axis=1, keepdims=True)
    truth = np.arange(300) % 3
    for call in (
        lambda: uc.evaluate(y, s[0]),
        lambda: uc.evaluate(truth, stated),
        lambda: uc.evaluate(y, s[0], groups=np.arange(300) // 3, metrics=["auroc"]),
        lambda: uc.compare(y, {"a": s[0], "b": s[1]}, metrics=["auroc"]),
    ):
        assert "uncertainty/engine.py" in {called[0] for _, called in walked(call)}
