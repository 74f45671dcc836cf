"""The tournament: any estimator, any space; killed and resumed; in several processes."""

from __future__ import annotations

import json

import numpy as np
import pytest

import unconfuse as uc

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(400, 3))
Y = (X[:, 0] + RANDOM.normal(size=400) > 1).astype(int)


class Blend:
    """Fits nothing: scores are a blend of two columns."""

    def __init__(self, share: float = 0.5) -> None:
        self.share = share

    def fit(self, X, y):
        return self

    def predict_proba(self, X):
        score = 1 / (1 + np.exp(-(1 - self.share) * X[:, 0] - self.share * X[:, 1]))
        return np.column_stack([1 - score, score])


def play(**options):
    return uc.tournament(Blend, {"share": (0.0, 1.0)}, X, Y, **{"n_trials": 6, "n_candidates": 4, "rng": 3, **options})


def test_metrics_choose_and_are_measured():
    result = play(baseline={"share": 0.5})
    duel = result.duel("auroc", "auprc_davis_goadrich")
    assert 0 <= duel.disagreements <= 6 and str(duel.trials) in str(duel)
    assert set(result.mean_kappas()) == {"auroc", "auprc_davis_goadrich"}
    best = [max(each["candidates"], key=lambda one: one["validation"]["auroc"]) for each in result.trials]
    chosen = [each["candidates"][each["choice"]["auroc"]] for each in result.trials]
    assert best == chosen
    assert result.as_dict()["n_trials"] == 6 and len(result.to_frame()) == 2


def test_agreement_is_shown_beside_that_of_chance():
    duel = play().duel("auroc", "auprc_davis_goadrich")
    assert duel.chance_agreements == pytest.approx(6 / 4)
    agreed = duel.trials - duel.disagreements
    assert f"chose the same model in {agreed} of 6 trials (expected by chance: 1.5)" in str(duel)
    same = play(metrics=["auroc", "gini"]).duel("auroc", "gini")
    assert same.disagreements == 0 and str(same).endswith("in 6 of 6 trials (expected by chance: 1.5).")


def test_a_killed_tournament_goes_on(tmp_path):
    whole, file = play(), tmp_path / "trials.jsonl"
    play(n_trials=3, checkpoint=file)
    with file.open("ab") as broken:
        broken.write(b'{"trial": 3, "cand')  # killed while writing
    seen = []
    result = play(checkpoint=file, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(4, 6), (5, 6), (6, 6)]
    assert result.trials == whole.trials == tuple(json.loads(line) for line in file.read_text().splitlines()[1:])


def test_stores_of_other_tournaments_are_refused(tmp_path):
    play(checkpoint=tmp_path / "a", n_trials=1)
    with pytest.raises(uc.UnconfuseError, match="another tournament"):
        play(checkpoint=tmp_path / "a", rng=4)
    (tmp_path / "b").write_text("no trials\n")
    with pytest.raises(uc.UnconfuseError, match="not a file of trials"):
        play(checkpoint=tmp_path / "b")


def test_processes_do_not_change_the_result():
    from sklearn.linear_model import LogisticRegression

    options = {"n_trials": 3, "n_candidates": 2, "rng": 1}
    space = {"C": [0.001, 0.1, 10.0]}
    alone = uc.tournament(LogisticRegression(), space, X, Y, **options)
    assert uc.tournament(LogisticRegression(), space, X, Y, n_jobs=2, **options).trials == alone.trials


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split_fractions": (0.5, 0.6, 0.2)}, "split_fractions"),
        ({"n_trials": 0}, "n_trials"),
        ({"metrics": ["accuracy"]}, "threshold-free"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(uc.UnconfuseError, match=words):
        play(**options)


def test_bad_spaces_are_refused():
    with pytest.raises(uc.UnconfuseError, match="share"):
        uc.tournament(Blend, {"share": "wide"}, X, Y, n_trials=1)
