"""Fifty users of the web app on this machine: they open saved pages and the history, save and change, and none fails.

python benchmarks/serve_load.py [SECONDS] [USERS]; an error, or a saved page slower than 200 ms at the 95th percentile,
ends with exit code 1.
"""

import asyncio
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx

SLOWEST = 0.2  # seconds, of saved pages, at the 95th percentile
COUNTS = {"tp": 90, "fp": 10, "fn": 20, "tn": 180}


def started(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server, and the link to it."""
    log = folder / "log"
    command = [
        sys.executable,
        "-m",
        "unconfuse",
        "serve",
        "--no-browser",
        "--port",
        "0",
        "--history",
        folder / "h.sqlite",
    ]
    with log.open("wb") as file:
        process = subprocess.Popen([str(each) for each in command], stderr=file)
    while not (found := re.search(rb"once, is in (.+?) for 15", log.read_bytes())):
        assert process.poll() is None, log.read_text()
        time.sleep(0.02)
    return process, Path(found[1].decode()).read_text().strip()


async def saved(client: httpx.AsyncClient, name: str) -> str:
    """One more evaluation, when it is done."""
    job = (await client.post("/api/evaluations", json={"question": "counts", "answers": COUNTS, "name": name})).json()
    while job["state"] not in ("done", "failed"):
        await asyncio.sleep(0.2)
        job = (await client.get(f"/api/jobs/{job['id']}")).json()
    assert job["state"] == "done", job
    return str(job["evaluation"])


async def user(
    client: httpx.AsyncClient, number: int, pages: list[str], end: float, times: dict[str, list[float]]
) -> int:
    """One user until the end; how many answers were errors."""
    chance, errors = random.Random(number), 0
    while time.monotonic() < end:
        page = chance.choice(pages)
        kind = chance.choices(["page", "history", "change", "trend"], [6, 2, 1, 1])[0]
        start = time.perf_counter()
        if kind == "change":
            answer = await client.patch(f"/api/evaluations/{page}", json={"tags": [f"user {number}"]})
        else:
            address = {"page": f"/evaluations/{page}/page", "history": "/history", "trend": "/trend?metric=sensitivity"}
            answer = await client.get(address[kind])
        times.setdefault(kind, []).append(time.perf_counter() - start)
        errors += answer.status_code >= 400
        await asyncio.sleep(chance.uniform(0.5, 2.5))  # people read
    return errors


async def load(link: str, seconds: float, users: int) -> bool:
    """Whether all went well."""
    origin = link.partition("/open")[0]
    limits = httpx.Limits(max_connections=users)
    async with httpx.AsyncClient(base_url=origin, headers={"origin": origin}, limits=limits, timeout=30) as client:
        await client.get(link)
        pages = [await saved(client, f"test {number}") for number in range(5)]
        times: dict[str, list[float]] = {}
        end = time.monotonic() + seconds
        errors = sum(await asyncio.gather(*(user(client, number, pages, end, times) for number in range(users))))
    slowest = 0.0
    for kind, each in sorted(times.items()):
        each.sort()
        middle, most = each[len(each) // 2], each[int(0.95 * len(each))]
        slowest = most if kind == "page" else slowest
        print(f"{kind:8} {len(each):6,} requests, median {1000 * middle:6.1f} ms, 95% within {1000 * most:6.1f} ms")
    print(f"{users} users, {seconds:g} s, {errors} errors")
    return errors == 0 and slowest < SLOWEST


def main() -> None:
    seconds, users = float([*sys.argv, 120][1]), int([*sys.argv, "", 50][2] or 50)
    with tempfile.TemporaryDirectory() as folder:
        process, link = started(Path(folder))
        try:
            good = asyncio.run(load(link, seconds, users))
            peak = re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
            print(f"the server used {int(peak[1]) >> 10 if peak else 0} MB at most")
        finally:
            process.terminate()
            process.wait(20)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
