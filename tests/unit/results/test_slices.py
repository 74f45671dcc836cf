"""Slices found by search are judged by cases that had no part in it."""

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc

N = 3000


def rows(seed: int, *, bad: float = 1.5) -> pd.DataFrame:
    """Scores that are worse for women of site B, if `bad` is below 1.5."""
    rng = np.random.default_rng(seed)
    site, sex, age = rng.choice(list("ABC"), N), rng.choice(list("FM"), N), rng.choice(["<40", "40-60", ">60"], N)
    y = rng.random(N) < 0.35
    shift = np.where((site == "B") & (sex == "F"), bad, 1.5)
    return pd.DataFrame({"y": y, "s": rng.normal(size=N) + shift * y, "site": site, "sex": sex, "age": age})


def search(frame: pd.DataFrame, **how):
    return uc.find_slices(frame, label="y", score="s", by=["site", "sex", "age"], **how)


def test_a_bad_slice_is_found_and_confirmed():
    found = search(rows(1, bad=0.2))
    assert found[0].name == "site B, sex F" and found[0].is_confirmed
    assert "site B, sex F" in found.sentence and found.looked_at > 20
    assert found[0].confirmed.p_value >= found[0].confirmed.unadjusted_p_value


def test_the_cases_held_out_are_judged_as_subgroups_are():
    frame = rows(2, bad=0.2)
    found = search(frame, max_slices=1)
    kept = frame.assign(slice=np.where((frame.site == "B") & (frame.sex == "F"), "in", "out"))
    whole = uc.evaluate(kept, label="y", score="s", by="slice", metrics=["auroc"]).subgroups
    told = whole.difference("auroc", "in", "out").difference
    both = [found[0].searched.difference.value, found[0].confirmed.difference.value]
    assert min(both) < told.value < max(both)  # the whole lies between its halves
    assert found.n_searched + found.n_held_out == N


def test_searching_alike_cases_confirms_as_rarely_as_it_says():
    """Of 60 sets without any bad slice about 5% may confirm one; the search itself always finds 'worse' ones."""
    confirmed = sum(bool(search(rows(seed), metric="accuracy", threshold=0.7).confirmed) for seed in range(60))
    assert confirmed <= 9  # a chance of 0.2% if 5% is true


def test_the_order_of_rows_does_not_matter():
    frame = rows(3, bad=0.5)
    shuffled = frame.sample(frac=1, random_state=0)
    assert search(frame).as_dict() == search(shuffled).as_dict()


@pytest.mark.parametrize("ties", [1, 0])
def test_groups_stay_whole_and_ties_are_no_trouble(ties):
    frame = rows(4, bad=0.0)
    frame["s"] = frame["s"].round(ties)
    found = uc.find_slices(frame, label="y", score="s", by=["site", "sex"], groups=np.arange(N) // 5, n_resamples=200)
    assert found[0].name == "site B, sex F" and found[0].is_confirmed
    assert "groups" in found[0].confirmed.difference.method or found[0].confirmed.difference.low < 0


def test_several_classes():
    rng = np.random.default_rng(5)
    site, k = rng.choice(list("AB"), N), rng.integers(0, 3, N)
    right = rng.random(N) < np.where(site == "B", 0.5, 0.8)
    matrix = np.full((N, 3), 0.2) + 0.4 * np.eye(3)[np.where(right, k, (k + 1) % 3)]
    found = uc.find_slices(k, matrix, by={"site": site}, metric="accuracy")
    assert [each.name for each in found.confirmed] == ["site B"]


def test_nothing_worse_is_said_in_words():
    y, s, by = np.arange(400) % 2, np.arange(400) % 2 * 0.5 + 0.2, np.arange(400) // 200
    found = uc.find_slices(y, s, by=by)
    assert len(found) == 0 and "none looks worse" in found.sentence and found.rows() == []
    assert "nan" not in str(found) + found._repr_html_()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"by": None}, "nothing to search"),
        ({"depth": 4}, "depth"),
        ({"max_slices": 0}, "max_slices"),
        ({"holdout_fraction": 1}, "holdout_fraction"),
        ({"metric": "nonsense"}, "nonsense"),
        ({"fold": "site"}, "folds"),
        ({"metric": "sensitivity"}, "threshold"),
    ],
)
def test_refusals(words, told):
    with pytest.raises(uc.UnconfuseError, match=told):
        uc.find_slices(rows(1), **{"label": "y", "score": "s", "by": "site"} | words)


def test_a_file_is_read_once_however_many_columns(tmp_path, monkeypatch):
    from unconfuse.ingest.sources import files

    frame, read = rows(5, bad=0.3), []
    frame = pd.concat([frame] * 4)  # too many rows to be read without the engine
    frame.to_csv(path := tmp_path / "rows.csv", index=False)
    kept = files.sample_of
    monkeypatch.setattr(files, "sample_of", lambda *each: read.append(each) or kept(*each))
    found = uc.find_slices(path, label="y", score="s", by=["site", "sex", "age"])
    assert len(read) == 1 and found.as_dict() == search(frame).as_dict()


def test_columns_are_not_crossed_before_the_search():
    """Six columns of five values make 15,625 crossings, of which a search by two looks at few."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.4
    by = {f"c{k}": rng.integers(0, 5, N) for k in range(6)}
    assert uc.find_slices(y, rng.normal(size=N) + y, by=by, max_slices=1).looked_at > 100
