"""Every situation still gives what was frozen, but for what changes/ lists with its reason."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import make
import on_spark
import pytest
import situations

STORED, PROSE, CHANGED = make.stored(), make.stored(make.PROSE), make.changed_on_purpose()
LONGEST = 40  # differences that one failure shows


def check(name: str, found: dict[str, Any]) -> None:
    moved = make.differences(make.expected(STORED, CHANGED, name), make.numbers(found))
    assert not moved, f"{name}: {len(moved)} values are not as frozen\n{shown(moved)}"
    worded = make.differences(PROSE[name], make.prose(found))
    hint = "read them, then store them with `python tests/frozen/make.py --prose`"
    assert not worded, f"{name}: {len(worded)} wordings are not as stored; {hint}\n{shown(worded)}"


def shown(moved: dict[str, tuple[Any, Any]]) -> str:
    return "\n".join(f"{key}: {old!r} -> {new!r}" for key, (old, new) in list(moved.items())[:LONGEST])


@pytest.mark.parametrize("name", situations.nearby())
def test_nothing_moved(name: str) -> None:
    check(name, situations.frozen(name))


@cache
def _from_spark(folder: Any) -> dict[str, Any]:
    """One session for all, in a process of its own: it must not meet another kind of session."""
    file = folder / "spark.json"
    environment = {**os.environ, "PYTHONWARNINGS": "default", "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, make.__file__, "--spark", str(file)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return dict(json.loads(file.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def spark_folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("spark")


@pytest.mark.needs("Spark")
@pytest.mark.skipif(bool(on_spark.missing()), reason=on_spark.missing() or "Spark is here")
@pytest.mark.parametrize("name", on_spark.situations())
def test_nothing_moved_on_spark(name: str, spark_folder: Any) -> None:
    check(name, _from_spark(spark_folder)[name])


def test_the_catalogue_is_what_was_frozen() -> None:
    assert set(STORED) == set(situations.catalogue())
    assert len(STORED) >= 220


def test_what_is_listed_as_changed_was_frozen() -> None:
    """A misspelt situation would hide nothing, but would look as if it did."""
    assert set(CHANGED) <= set(STORED)


def test_a_moved_number_and_a_lost_key_are_seen() -> None:
    old = {"auroc.value": 0.75, "auroc.method": "DeLong", "n": 10.0, "low": "nan"}
    new = {"auroc.value": 0.75 + 1e-8, "auroc.method": "delong", "low": "nan", "more": 1}
    assert set(make.differences(old, new)) == {"auroc.value", "auroc.method", "n"}
    assert not make.differences(old, {**old, "auroc.value": 0.75 + 1e-11})
    listed = make.expected({"a": old}, {"a": {"n": 11.0, "low": make.GONE}}, "a")
    assert listed == {"auroc.value": 0.75, "auroc.method": "DeLong", "n": 11.0}
