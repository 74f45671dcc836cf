"""Tournaments of unusual models and data, and what a killed one leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.resolving.tournaments import TournamentResult
from unconfuse.resolving.trials import described, digest_of

sklearn = pytest.importorskip("sklearn")
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 3))
Y = (X[:, 0] + RANDOM.normal(size=400) > 0.5).astype(int)


def run(estimator, space, rows=X, **how):
    return uc.tournament(estimator, space, rows, Y, **{"n_trials": 2, "n_candidates": 2} | how)


def trial(first, second):
    """Two candidates; the first guide takes candidate 0, log loss candidate 1."""
    measured = [{"test": {"auroc": a, "log_loss": b}} for a, b in (first, second)]
    return {"candidates": measured, "choice": {"auroc": 0, "log_loss": 1}}


def test_duels_know_where_less_is_better():
    trials = trial((0.8, 0.5), (0.7, 0.4)), trial((0.8, 0.5), (0.7, 0.4)), trial((0.8, 0.3), (0.7, 0.4))
    result = TournamentResult(("auroc", "log_loss"), trials, (0.15, 0.05, 0.8), 0, frozenset({"log_loss"}))
    duel = result.duel("log_loss", "auroc")
    assert duel.wins == {"auroc": 0, "log_loss": 2} and duel.gain["log_loss"] == pytest.approx(0.1 / 3)


def test_sparse_rows_and_models_without_probabilities():
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    assert run(LogisticRegression, {"C": [0.1, 1.0]}, csr_matrix(X)).n_trials == 2
    assert run(LinearSVC, {"C": [0.1, 1.0]}).n_trials == 2
    with pytest.raises(uc.UnconfuseError, match="neither `predict_proba` nor"):
        from sklearn.linear_model import Lasso

        run(Lasso, {"alpha": [0.1, 1.0]})


def test_a_baseline_may_be_constant_or_perfect():
    from sklearn.dummy import DummyClassifier
    from sklearn.tree import DecisionTreeClassifier

    constant = run(DummyClassifier, {"strategy": ["prior"]}, baseline={"strategy": "prior"})
    assert all(np.isnan(each) for each in constant.mean_kappas().values()) and constant.as_dict()
    rows = np.column_stack([X, Y])
    perfect = run(DecisionTreeClassifier, {"max_depth": [1, 2]}, rows, baseline={"max_depth": 1})
    assert all(np.isnan(each) for each in perfect.mean_kappas().values())


def test_metrics_without_a_better_end_cannot_guide():
    from sklearn.linear_model import LogisticRegression

    with pytest.raises(uc.UnconfuseError, match="no better end"):
        run(LogisticRegression, {"C": [0.1, 1.0]}, metrics=["auroc", "calibration_slope"])


def test_a_store_belongs_to_its_data_and_its_estimator(tmp_path):
    from sklearn.linear_model import LogisticRegression

    store = str(tmp_path / "trials")
    run(LogisticRegression(max_iter=50), {"C": [0.1, 1.0]}, checkpoint=store)
    run(LogisticRegression(max_iter=50), {"C": [0.1, 1.0]}, checkpoint=store)
    with pytest.raises(uc.UnconfuseError, match="another tournament"):
        run(LogisticRegression(max_iter=60), {"C": [0.1, 1.0]}, checkpoint=store)
    with pytest.raises(uc.UnconfuseError, match="another tournament"):
        run(LogisticRegression(max_iter=50), {"C": [0.1, 1.0]}, X + 1e-9, checkpoint=store)


def test_digests_and_descriptions_change_with_what_they_are_of():
    import pandas as pd
    from scipy.sparse import csr_matrix

    flags, frame = Y == 1, pd.DataFrame({"a": X[:, 0], "b": list("xy") * 200})
    digests = [digest_of(each, flags) for each in (X, X[::-1], csr_matrix(X), frame, frame.rename(columns={"a": "c"}))]
    assert len(set(digests)) == 5 and digest_of(X, ~flags) != digests[0] and digest_of(X.copy(), flags) == digests[0]
    assert described(lambda random: {"C": 1}) != described(lambda random: {"C": 2})


SCRIPT = """
import time, numpy as np, unconfuse as uc
class Slow:
    def fit(self, X, y): time.sleep(60); return self
    def predict_proba(self, X): return np.full((len(X), 2), .5)
if __name__ == "__main__":
    uc.tournament(Slow, {}, np.zeros((400, 1)), np.arange(400) % 2, n_trials=4, n_jobs=2)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_workers_die_with_the_process_that_started_them(tmp_path):
    script = tmp_path / "slow.py"
    script.write_text(SCRIPT)
    parent = subprocess.Popen([sys.executable, str(script)])
    children = _wait_for(lambda: [each for each in _children(parent.pid) if _is_worker(each)], 2, 60)
    os.kill(parent.pid, signal.SIGKILL)
    parent.wait()
    _wait_for(lambda: [each for each in children if not Path(f"/proc/{each}").exists()], 2, 20)


def _children(pid):
    found = []
    for entry in (each for each in Path("/proc").iterdir() if each.name.isdigit()):
        try:
            if int((entry / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return found


def _is_worker(pid):
    """Spawned by multiprocessing, and far enough to watch its parent in a thread of its own."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text()
        return "spawn_main" in command and len(list(Path(f"/proc/{pid}/task").iterdir())) > 1
    except OSError:
        return False


def _wait_for(what, count, seconds):
    end = time.monotonic() + seconds
    while len(found := what()) < count:
        assert time.monotonic() < end, f"only {found} after {seconds} s"
        time.sleep(0.2)
    return found
