"""All coverage simulations: how often the intervals hold the truth. `make coverage`; some ninety minutes."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
STUDIES = {
    "decisions.py": "coverage-decisions.md",
    "ranking.py": "coverage-ranking.md",
    "areas.py": "coverage-areas.md",
    "ends.py": "coverage-ends.md",
    "losses.py": "coverage-losses.md",
    "bands.py": "coverage-bands.md",
    "indistinguishability.py": "coverage-indistinguishability.md",
    "thresholds.py": "coverage-thresholds.md",
    "promises.py": "coverage-promises.md",
    "multiclass.py": "coverage-multiclass.md",
    "questions.py": "coverage-questions.md",
    "recommendation.py": "coverage-recommendation.md",
    "gate.py": "coverage-gate.md",
    "simultaneous.py": "coverage-simultaneous.md",
    "paired_tests.py": "coverage-tests.md",
    "constrained.py": "coverage-constrained.md",
    "groups.py": "coverage-groups.md",
    "levels.py": "coverage-levels.md",
    "recalibration.py": "coverage-recalibration.md",
    "items.py": "coverage-items.md",
    "more.py": "coverage-more.md",
    "over_time.py": "coverage-time.md",
}

if __name__ == "__main__":
    docs = HERE.parents[1] / "docs"
    failed = [
        study
        for study, page in STUDIES.items()
        if subprocess.run(
            [sys.executable, HERE / study, *sys.argv[1:], "--output", docs / page], check=False
        ).returncode
    ]
    sys.exit(f"requirement missed in {', '.join(failed)}" if failed else 0)
