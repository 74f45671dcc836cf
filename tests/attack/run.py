"""`make attack`: every kind of hostile input for a stated time, counted, and the table of docs/trust.md.

    python tests/attack/run.py --minutes 60 --seed 1 --write
    python tests/attack/run.py --kind files --minutes 2 --seed 7
    python tests/attack/run.py --kind files --seed 7 --input 1234      # one input again, with its traceback

Each kind runs in a process of its own, which says before each input which one it tries: if the process dies, that input
is a crash, and the kind goes on with the next.
"""

from __future__ import annotations

import argparse
import datetime
import os
import queue
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from hostile import BAD, HERE, modules, verdict_of

TRUST = HERE.parents[1] / "docs" / "trust.md"
BEGIN, END = "<!-- attack: written by tests/attack/run.py -->", "<!-- attack: end -->"
HEADS = (
    "kind",
    "what is tried",
    "inputs",
    "refused",
    "values compared",
    "crashes",
    "foreign exceptions",
    "wrong",
    "slow",
)
SHOWN = 12  # failures of each kind that are printed
SLICE = 5.0  # seconds after which a worker says how far it is


@dataclass
class Tally:
    """What one kind came to."""

    inputs: int = 0
    compared: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    missing: str = ""

    def add(self, number: int, outcome: Any) -> None:
        """Count one outcome."""
        self.inputs += outcome.inputs
        self.compared += outcome.compared
        self.verdicts[outcome.verdict] += outcome.inputs if outcome.verdict not in BAD else 1
        if outcome.verdict in BAD:
            self.failures.append((number, outcome.verdict, outcome.told))
            print(f"input {number}: {outcome.verdict}\n{outcome.told}", file=sys.stderr, flush=True)


def work(kind: str, seed: int, first: int, until: float, current: Any, results: Any) -> None:
    """Try inputs one after another until the time is over; in a process of its own."""
    module, number = modules()[kind], first
    try:
        while time.time() < until:
            current.value = number
            results.put((number, verdict_of(module, seed, number)))
            number += 1
    finally:
        getattr(module, "close", lambda: None)()
    current.value = -1


def run_kind(kind: str, seed: int, seconds: float, tally: Tally) -> None:
    """One kind for its share of the time, in as many processes as its crashes make needed."""
    from hostile import Outcome

    context, until, first = get_context("spawn"), time.time() + seconds, 0
    while time.time() < until:
        current, results = context.Value("q", first), context.Queue()
        worker = context.Process(target=work, args=(kind, seed, first, until, current, results))
        worker.start()
        _gather(worker, results, tally)
        if worker.exitcode == 0 and current.value == -1:
            return
        tally.add(current.value, Outcome("crash", f"the process ended with {worker.exitcode}"))
        first = current.value + 1


def _gather(worker: Any, results: Any, tally: Tally) -> None:
    """Outcomes as they come, until the process has ended and nothing is left."""
    while True:
        try:
            tally.add(*results.get(timeout=0.2))
        except queue.Empty:
            if not worker.is_alive():
                worker.join()
                return


def table_of(tallies: dict[str, Tally], seed: int, minutes: float) -> str:
    """What docs/trust.md says."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    known, rows = modules(), []
    for kind, tally in tallies.items():
        seen = tally.verdicts
        numbers = (
            tally.inputs,
            seen["refused"],
            tally.compared,
            *(seen[each] for each in ("crash", "foreign", "wrong", "slow")),
        )
        words = f"not run: {tally.missing}" if tally.missing else known[kind].WORDS
        rows.append([kind, words, *(f"{number:,}" for number in numbers)])
    total = sum(tally.inputs for tally in tallies.values())
    lines = [list(HEADS), ["---"] * 2 + ["---:"] * (len(HEADS) - 2), *rows]
    when, which = datetime.date.today().isoformat(), commit.stdout.strip() or "unknown"
    head = f"{when}, commit {which}, seed {seed}, {minutes:g} minutes: {total:,} inputs."
    return f"{head}\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_trust(text: str) -> None:
    """Put the table in its place in docs/trust.md."""
    page = TRUST.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    TRUST.write_text(f"{before}{BEGIN}\n{text}{END}{rest.split(END)[1]}", encoding="utf-8")


def main() -> int:
    """Run what was asked for; 1 if anything broke."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--minutes", type=float, default=60.0, help="time for all kinds together")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--kind", action="append", choices=sorted(modules()), help="only this one; may be repeated")
    asked.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="kinds at a time")
    asked.add_argument("--input", type=int, help="try only this one again")
    asked.add_argument("--write", action="store_true", help="write the table into docs/trust.md")
    given = asked.parse_args()
    kinds = given.kind or list(modules())
    if given.input is not None:
        return again(kinds, given.seed, given.input)
    tallies = run(kinds, given.seed, 60 * given.minutes, given.jobs)
    text = table_of(tallies, given.seed, given.minutes)
    print(text)
    for kind, tally in tallies.items():
        for number, verdict, told in tally.failures[:SHOWN]:
            print(f"{kind} --seed {given.seed} --input {number}: {verdict}\n{told}")
    if given.write:
        write_trust(text)
    return int(any(tally.failures for tally in tallies.values()))


def again(kinds: list[str], seed: int, number: int) -> int:
    """One input of each kind, in this process."""
    outcomes = [verdict_of(modules()[kind], seed, number) for kind in kinds]
    for kind, outcome in zip(kinds, outcomes, strict=True):
        print(f"{kind} {number}: {outcome.verdict}\n{outcome.told}")
    return int(any(outcome.verdict in BAD for outcome in outcomes))


def run(kinds: list[str], seed: int, seconds: float, jobs: int) -> dict[str, Tally]:
    """All kinds, a few at a time, each with the same share of the time."""
    from concurrent.futures import ThreadPoolExecutor

    tallies, share = {kind: Tally() for kind in kinds}, seconds * jobs / len(kinds)

    def one(kind: str) -> None:
        tallies[kind].missing = getattr(modules()[kind], "missing", lambda: "")()
        if not tallies[kind].missing:
            run_kind(kind, seed, share, tallies[kind])

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, kinds))
    return tallies


if __name__ == "__main__":
    sys.exit(main())
