"""Timing on a noisy machine: ours and theirs take turns, and each one's best run counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Call = Callable[[], object]


@dataclass(frozen=True)
class Task:
    """One job, done by us and by others; `scale` says by how much a peer's shortened run is to be multiplied."""

    name: str
    ours: Call
    peers: Mapping[str, Call]
    scale: float = 1.0
    repeats: int = 3
    target: str = ""


def seconds(call: Call) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def best_of(call: Call, repeats: int = 3) -> float:
    return min(seconds(call) for _ in range(repeats))


def measured(task: Task) -> list[tuple[str, str, float, float, str]]:
    """Rows of (task, who, seconds, times ours, target)."""
    best = dict.fromkeys(["unconfuse", *task.peers], float("inf"))
    task.ours()  # first calls pay for imports and page faults
    for _ in range(task.repeats):
        best["unconfuse"] = min(best["unconfuse"], seconds(task.ours))
        for peer, call in task.peers.items():
            best[peer] = min(best[peer], seconds(call) * task.scale)
    best["unconfuse"] = min(best["unconfuse"], seconds(task.ours))
    return [(task.name, who, took, took / best["unconfuse"], task.target) for who, took in best.items()]


def print_table(rows: list[tuple[str, str, float, float, str]]) -> None:
    print(f"\n{'task':44} {'who':26} {'seconds':>10} {'x ours':>8}  target")
    for name, who, took, ratio, target in rows:
        print(f"{name:44} {who:26} {took:10.5f} {ratio:8.1f}  {target if who == 'unconfuse' else ''}")
