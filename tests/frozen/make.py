"""Freeze the results of all situations, or show what has moved since.

python tests/frozen/make.py                 writes results.json.gz, situations on Spark too where Spark can run
python tests/frozen/make.py --diff [TEXT]   prints every number that is not as stored, by metric and situation
python tests/frozen/make.py --list NAME --reason TEXT --evidence TEXT
                                            lists all that moved and is not listed yet in changes/NAME.json
python tests/frozen/make.py --spark FILE    writes what the situations on Spark give, for the test
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
STORED, CHANGES = HERE / "results.json.gz", HERE / "changes"
RELATIVE, ABSOLUTE = 1e-9, 1e-12
GONE = "(gone)"  # in place of a value: the key is no more
sys.path.insert(0, str(HERE))

Results = dict[str, dict[str, Any]]


def stored() -> Results:
    """What was frozen."""
    with gzip.open(STORED, "rt", encoding="utf-8") as file:
        return dict(json.load(file))


def changed_on_purpose() -> Results:
    """New values of what was changed on purpose: situation -> key -> value, or "(gone)".

    Each file of changes/ is {"reason": text, "evidence": text, "values": {situation: {key: new value}}}; where two
    list one value, the one whose name sorts last holds.
    """
    found: Results = {}
    for path in sorted(CHANGES.glob("*.json")):
        entry = json.loads(path.read_text(encoding="utf-8"))
        if not (entry["reason"] and entry["evidence"]):
            raise ValueError(f"a change needs a reason and evidence: {path.name}")
        for name, values in entry["values"].items():
            found.setdefault(name, {}).update(values)
    return found


def expected(frozen: Results, changed: Results, name: str) -> dict[str, Any]:
    """What a situation must give now."""
    values = frozen[name] | changed.get(name, {})
    return {key: value for key, value in values.items() if value != GONE}


def same(one: Any, other: Any) -> bool:
    """Equal, numbers up to rounding; texts, NaN and infinities exactly.

    >>> same(1.0, 1.0 + 1e-10), same(1.0, 1.0 + 1e-8), same("mid-p", "mid-P"), same(1, 1.0), same(None, 0)
    (True, False, False, True, False)
    """
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return bool(one == other)


def differences(wanted: dict[str, Any], found: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """What vanished or moved; what is new is no difference."""
    pairs = {key: (value, found.get(key, GONE)) for key, value in wanted.items()}
    return {key: pair for key, pair in pairs.items() if not same(*pair)}


def compute(names: Iterable[str], *, aloud: bool = True) -> Results:
    """Every situation's values; the slowest are named on standard error."""
    from situations import frozen

    results, seconds = {}, {}
    for name in names:
        start = time.process_time()
        results[name] = frozen(name)
        seconds[name] = time.process_time() - start
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:10]
    if aloud:
        print(f"{len(results)} situations, {sum(seconds.values()):.0f} s of CPU; slowest:", file=sys.stderr)
        print(*(f"  {seconds[name]:.2f} {name}" for name in slowest), sep="\n", file=sys.stderr)
    return results


def write(path: Path, results: Results) -> None:
    """The same results give the same bytes."""
    text = json.dumps(results, sort_keys=True, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0) if path.suffix == ".gz" else text.encode())


def everything(part: str = "") -> Results:
    """All situations with this text in their name; those on Spark as they were stored if Spark cannot run."""
    import on_spark
    from situations import nearby

    results = compute(name for name in nearby() if part in name)
    distant = [name for name in on_spark.situations() if part in name]
    why = on_spark.missing()
    if not why or not distant:
        return results | compute(distant)
    print(f"Spark: {why}; its stored results stay.", file=sys.stderr)
    old = stored() if STORED.exists() else {}
    return results | {name: old[name] for name in distant if name in old}


def show_differences(now: Results) -> None:
    """Grouped by what was measured, then by situation."""
    before, told = stored(), changed_on_purpose()
    moved: dict[str, list[str]] = defaultdict(list)
    for name in now:
        for key, (old, new) in differences(before.get(name, {}), now[name]).items():
            known = same(told.get(name, {}).get(key), new) if key in told.get(name, {}) else False
            moved[_metric(key)].append(f"  {name} | {key}: {old} -> {new}{'  (listed)' if known else ''}")
    for metric in sorted(moved):
        print(f"{metric} ({len(moved[metric])})", *moved[metric], sep="\n")
    new = {name: len(set(now[name]) - set(before.get(name, {}))) for name in now}
    of = sum(len(before.get(name, {})) for name in now)
    print(f"{sum(map(len, moved.values()))} values of {of} differ", end="; ")
    print(f"{sum(new.values())} keys are new, in {sum(map(bool, new.values()))} situations.")


def list_differences(now: Results, path: Path, reason: str, evidence: str) -> None:
    """Write what moved and is not listed yet into one file of changes/."""
    frozen, told = stored(), changed_on_purpose()
    moved = {name: differences(expected(frozen, told, name), now[name]) for name in now if name in frozen}
    values = {name: {key: new for key, (_, new) in pairs.items()} for name, pairs in moved.items() if pairs}
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))["values"]
        values = {name: old.get(name, {}) | values.get(name, {}) for name in sorted({*old, *values})}
    entry = {"reason": reason, "evidence": evidence, "values": values}
    path.write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {sum(map(len, values.values()))} values in {len(values)} situations")


def _metric(key: str) -> str:
    """What a key is about.

    >>> _metric("auroc.low"), _metric("class fox.f1.value"), _metric("auroc: a - b.p_value")
    ('auroc', 'f1', 'auroc')
    """
    if key.startswith(("finding[", "warning.")):
        return key.partition("[")[0].partition(".")[0]
    if ": " in key:
        return key.partition(": ")[0]
    parts = key.split(".")
    return parts[-2] if len(parts) > 1 else key


def main() -> None:
    """What the command line asks for."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--diff", nargs="?", const="", metavar="TEXT", help="only situations with this text in the name")
    asked.add_argument("--list", metavar="NAME", help="the file in changes/ that lists what moved")
    asked.add_argument("--reason", help="why the numbers of --list moved")
    asked.add_argument("--evidence", help="what shows that the new numbers of --list are right")
    asked.add_argument("--spark", type=Path, metavar="FILE")
    given = asked.parse_args()
    if given.spark:
        import on_spark

        write(given.spark, compute(on_spark.situations()))
    elif given.list:
        if not (given.reason and given.evidence):
            asked.error("--list needs --reason and --evidence")
        list_differences(everything(), CHANGES / f"{given.list}.json", given.reason, given.evidence)
    elif given.diff is not None:
        show_differences(everything(given.diff))
    else:
        write(STORED, everything())
        print(f"{STORED.name}: {STORED.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
