"""kill -9 in the middle of saves, again and again: the history is whole each time, and holds all that was saved.

python benchmarks/serve_kill.py [TIMES]
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from unconfuse.serve.store import HistoryStore

WRITER = """
import sys
from pathlib import Path
from unconfuse.serve.store import Saved, Store
store = HistoryStore(Path(sys.argv[1]))
for number in range(10**6):
    print(store.save(SavedEvaluation(str(number), "counts", {}, {}, payload={"text": str(number) * 50_000})), number,
    flush=True)
"""


def main() -> None:
    times, chance, known = int([*sys.argv, 100][1]), random.Random(1), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.sqlite"
        for _ in range(times):
            writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
            assert writer.stdout is not None
            lines = [writer.stdout.readline()]
            time.sleep(chance.uniform(0, 0.05))
            os.kill(writer.pid, signal.SIGKILL)
            lines += writer.stdout.read().splitlines()
            writer.wait()
            new = dict(line.split() for line in lines if len(line.split()) == 2)
            store = HistoryStore(path)
            assert store.reading("PRAGMA integrity_check")[0][0] == "ok"
            for identity, number in new.items():
                kept = store.get(identity)
                assert kept is not None and kept["payload"] == {"text": number * 50_000}
            known |= new
            assert {row["id"] for row in store.reading("SELECT id FROM evaluations")} >= set(known)
            store.close()
    print(f"killed {times} times; {len(known):,} evaluations were reported as saved, and all are there")


if __name__ == "__main__":
    main()
