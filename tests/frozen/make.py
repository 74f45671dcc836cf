"""Freeze the results of all situations, or show what has moved since.

Numbers and verdicts are in results.json.gz and move only with a reason; sentences, methods and other prose are in
prose.json.gz, and are edited freely: whoever edits one reads what changed and stores it.

python tests/frozen/make.py                 writes both, situations on Spark too where Spark can run
python tests/frozen/make.py --prose         prints the prose that changed, and stores it
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
STORED, PROSE, CHANGES = HERE / "results.json.gz", HERE / "prose.json.gz", HERE / "changes"
RELATIVE, ABSOLUTE = 1e-9, 1e-12
GONE = "(gone)"  # in place of a value: the key is no more
sys.path.insert(0, str(HERE))

Results = dict[str, dict[str, Any]]


def stored(path: Path = STORED) -> Results:
    """Return what was frozen: numbers, or prose."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return dict(json.load(file))


def is_prose(key: str, value: Any) -> bool:
    """Whether a value is worded rather than counted or decided.

    >>> is_prose("auroc.method", "Wilson"), is_prose("finding[0].sentence", "It is"), is_prose("auroc.low", "nan")
    (True, True, False)
    >>> is_prose("finding[0].verdict", "cannot tell"), is_prose("confusion", "1 2 3 4"), is_prose("undefined", "0/0")
    (False, False, True)
    """
    if not isinstance(value, str) or value == GONE:
        return False
    last = key.rpartition(".")[2]
    if last in ("method", "context", "test", "undefined"):
        return True
    return " " in value and last not in ("verdict", "design", "confusion", "reference", "class")


def numbers(values: dict[str, Any]) -> dict[str, Any]:
    """Return what must not move."""
    return {key: value for key, value in values.items() if not is_prose(key, value)}


def prose(values: dict[str, Any]) -> dict[str, Any]:
    """Return what may be worded anew."""
    return {key: value for key, value in values.items() if is_prose(key, value)}


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
    old = [stored(path) if path.exists() else {} for path in (STORED, PROSE)]
    return results | {name: old[0].get(name, {}) | old[1].get(name, {}) for name in distant if name in old[0]}


def show_differences(now: Results) -> None:
    """Grouped by what was measured, then by situation."""
    before, told = stored(), changed_on_purpose()
    moved: dict[str, list[str]] = defaultdict(list)
    for name in now:
        for key, (old, new) in differences(before.get(name, {}), numbers(now[name])).items():
            known = same(told.get(name, {}).get(key), new) if key in told.get(name, {}) else False
            moved[_metric(key)].append(f"  {name} | {key}: {old} -> {new}{'  (listed)' if known else ''}")
    for metric in sorted(moved):
        print(f"{metric} ({len(moved[metric])})", *moved[metric], sep="\n")
    new = {name: len(set(numbers(now[name])) - set(before.get(name, {}))) for name in now}
    of = sum(len(before.get(name, {})) for name in now)
    print(f"{sum(map(len, moved.values()))} values of {of} differ", end="; ")
    print(f"{sum(new.values())} keys are new, in {sum(map(bool, new.values()))} situations.")


def list_differences(now: Results, path: Path, reason: str, evidence: str) -> None:
    """Write what moved and is not listed yet into one file of changes/."""
    frozen, told = stored(), changed_on_purpose()
    moved = {name: differences(expected(frozen, told, name), numbers(now[name])) for name in now if name in frozen}
    values = {name: {key: new for key, (_, new) in pairs.items()} for name, pairs in moved.items() if pairs}
    if path.exists():
        old = json.loads(path.read_text(encoding="utf-8"))["values"]
        values = {name: old.get(name, {}) | values.get(name, {}) for name in sorted({*old, *values})}
    entry = {"reason": reason, "evidence": evidence, "values": values}
    path.write_text(json.dumps(entry, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {sum(map(len, values.values()))} values in {len(values)} situations")


def store_prose(now: Results) -> None:
    """Print each wording that changed once, and store all of them."""
    before, seen = stored(PROSE), set()
    for name, values in now.items():
        for key, new in prose(values).items():
            pair = before.get(name, {}).get(key), new
            if pair[0] != new and pair not in seen:
                seen.add(pair)
                print(f"{name} | {key}\n  - {pair[0]}\n  + {new}")
    write(PROSE, {name: prose(values) for name, values in now.items()})
    print(f"{len(seen)} wordings differ; {PROSE.name} is written.")


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
    asked.add_argument("--prose", action="store_true", help="print the prose that changed, and store it")
    asked.add_argument("--list", metavar="NAME", help="the file in changes/ that lists what moved")
    asked.add_argument("--reason", help="why the numbers of --list moved")
    asked.add_argument("--evidence", help="what shows that the new numbers of --list are right")
    asked.add_argument("--spark", type=Path, metavar="FILE")
    given = asked.parse_args()
    if given.spark:
        import on_spark

        write(given.spark, compute(on_spark.situations()))
    elif given.prose:
        store_prose(everything())
    elif given.list:
        if not (given.reason and given.evidence):
            asked.error("--list needs --reason and --evidence")
        list_differences(everything(), CHANGES / f"{given.list}.json", given.reason, given.evidence)
    elif given.diff is not None:
        show_differences(everything(given.diff))
    else:
        now = everything()
        for path, part in ((STORED, numbers), (PROSE, prose)):
            write(path, {name: part(values) for name, values in now.items()})
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
