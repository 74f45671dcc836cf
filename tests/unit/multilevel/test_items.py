"""Models on the same items: values by hand, laws, refusals in words, judges and logs."""

import contextlib
import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import unconfuse as uc


def answers(n=60, models=("a", "b", "c"), runs=1, seed=0, **more):
    """Rows of a frame: items of different difficulty, models of different skill."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n)
    rows = [
        {"q": f"q{i}", "m": model, "run": r, "passage": i // 5, "ok": int(rng.random() < 1 / (1 + np.exp(-x)))}
        for i in range(n)
        for place, model in enumerate(models)
        for x in [1.5 - 0.8 * place + hard[i]]
        for r in range(runs)
    ]
    return pd.DataFrame(rows).assign(**more)


def test_one_run_of_right_or_wrong_is_any_share():
    frame = answers()
    it = uc.items(frame)
    right = int(frame.ok[frame.m == "a"].sum())
    same = uc.evaluate_counts(tp=right, fp=0, fn=60 - right, tn=0)["sensitivity"]
    assert (it["a"].value, it["a"].low, it["a"].high) == (same.value, same.low, same.high)
    assert it["a"].method == "mid-p"


def test_pairs_are_paired_and_hold_together():
    frame = answers(200)
    it = uc.items(frame)
    wide = frame.pivot_table(index="q", columns="m", values="ok")
    pair = it["a", "c"]
    d = wide["a"] - wide["c"]
    error = math.sqrt((((d - d.mean()) ** 2).sum() + 2) / (201 * 202))
    assert pair.difference.value == pytest.approx(d.mean())
    assert pair.difference.standard_error == pytest.approx(error)
    reach = (pair.difference.high - pair.difference.low) / 2 / error
    assert 2.3 < reach < 2.43  # between one pair's 1.97 and Bonferroni's 2.41
    assert pair.verdict == "better" and it["c", "a"].verdict == "worse"
    assert it["c", "a"].difference.low == -pair.difference.high
    assert pair.unadjusted_p_value < pair.p_value < 3 * pair.unadjusted_p_value + 1e-12
    assert uc.items(frame[frame.m != "b"])["a", "c"].difference.method == "paired t"


def test_tiers_and_ranks_follow_from_the_pairs():
    it = uc.items(answers(400, ("a", "b", "c", "d")))
    told = {frozenset((pair.first, pair.second)) for pair in it.pairs if pair.verdict != "cannot tell"}
    for tier in it.tiers:
        assert not any(frozenset((x, y)) in told for x in tier for y in tier if x != y)
    shared = {frozenset((x, y)) for tier in it.tiers for x in tier for y in tier if x != y}
    every = {frozenset((pair.first, pair.second)) for pair in it.pairs}
    assert shared == every - told
    assert all(low <= 1 + place <= high for place, (low, high) in enumerate(it.ranks.values()))


def test_alike_models_are_not_told_apart_and_have_a_width():
    frame = pd.concat([answers(30, ("a",)), answers(30, ("a",)).assign(m="b")])
    pair = uc.items(frame)["a", "b"]
    assert pair.difference.value == 0 and pair.difference.low < 0 < pair.difference.high
    assert pair.p_value == 1 and pair.verdict == "cannot tell"


def test_variance_splits_into_items_and_runs():
    rng = np.random.default_rng(1)
    p = rng.beta(2, 2, 4000)
    frame = pd.DataFrame({"q": np.repeat(np.arange(4000), 5), "run": np.tile(np.arange(5), 4000)})
    frame["ok"] = (rng.random(20000) < np.repeat(p, 5)).astype(int)
    it = uc.items(frame, run="run")
    assert it.variance.items == pytest.approx(p.var(), rel=0.1)
    assert it.variance.runs == pytest.approx((p * (1 - p)).mean(), rel=0.05)
    assert it.variance["the model"].items == it.variance.items
    new, same = it["the model"], it.same_items("the model")
    assert same.high - same.low < 0.8 * (new.high - new.low)
    assert abs(same.value - p.mean()) < same.high - same.low


def test_a_plan_gives_the_width_it_was_asked_for():
    it = uc.items(answers(500, ("a", "b"), runs=4), run="run")
    plan = it.plan(0.04, of=("a", "b"))
    split = plan.split
    assert 2 * 1.96 * math.sqrt(split.of_mean(plan.items_needed, 4)) == pytest.approx(0.04, rel=0.01)
    assert plan.best_runs == 1  # answers alone cost: new items are the better use of each
    dear = it.plan(0.04, of="a", item_cost=50)
    assert dear.best_runs == pytest.approx(math.sqrt(50 * dear.split.runs / dear.split.items), abs=1)
    assert "runs alone never get below" in it.plan(0.02, of="a").sentence and "cheapest" in plan.sentence
    assert "cannot be known from one run" in uc.items(answers()).plan(0.04).sentence


def test_pass_at_k_by_hand():
    frame = pd.DataFrame(
        {"q": np.repeat([1, 2, 3], 4), "run": [0, 1, 2, 3] * 3, "ok": [1, 0, 0, 0] + [1] * 4 + [0] * 4}
    )
    it = uc.items(frame, run="run")
    assert it.pass_at(2)["the model"].value == pytest.approx((0.5 + 1 + 0) / 3)
    assert it.pass_hat(2)["the model"].value == pytest.approx((0 + 1 + 0) / 3)
    assert it.pass_at(1)["the model"].value == pytest.approx(it["the model"].value)


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(3)
    passage = np.repeat(np.arange(30), 10)
    frame = pd.DataFrame({"q": np.arange(300), "passage": passage, "ok": (rng.random(30) < 0.6).astype(int)[passage]})
    alone, together = uc.items(frame)["the model"], uc.items(frame, cluster="passage")["the model"]
    assert together.high - together.low > 2.5 * (alone.high - alone.low)
    assert "30 clusters" in together.conditions


def test_row_order_does_not_matter():
    frame = answers(80, runs=3).assign(ok=lambda own: np.random.default_rng(9).random(len(own)))
    mixed = frame.sample(frac=1, random_state=4)
    for words in ({}, {"cluster": "passage"}):
        one, other = (uc.items(each, run="run", **words).as_dict() for each in (frame, mixed))
        assert one == other


@pytest.mark.parametrize(
    ("spoil", "words", "said"),
    [
        (lambda f: f.iloc[1:], {}, "did not answer all items: 'a' has no answer to 1 of 60, such as 'q0'"),
        (
            lambda f: pd.concat([f, f.iloc[:1]]),
            {},
            "model 'a' has 2 answers to item 'q0'. Hint: name the column of runs",
        ),
        (lambda f: pd.concat([f, f.iloc[:1]]), {"run": "run"}, "2 answers to item 'q0' in run '0'"),
        (lambda f: f.assign(ok=2), {}, "must be right or wrong (1 or 0), or scores from 0 to 1; got 2"),
        (lambda f: f.assign(ok="maybe"), {}, "got 'maybe'"),
        (lambda f: f.assign(ok=np.nan), {}, "has missing values"),
        (lambda f: f.assign(q=None), {}, "column `item` has missing values"),
        (lambda f: f[f.q == "q0"], {}, "one item only"),
        (lambda f: f.assign(passage=1), {"cluster": "passage"}, "one cluster only"),
        (lambda f: f.assign(passage=range(len(f))), {"cluster": "passage"}, "in more than one cluster"),
        (lambda f: f, {"item": "nope"}, "no column 'nope'"),
        (lambda f: f.assign(j=1), {"judge": "j", "cluster": "passage"}, "`judge` cannot be combined with `cluster`"),
        (lambda f: f.assign(j=1, ok=np.nan), {"judge": "j"}, "model 'a' has no checked items"),
        (lambda f: f, {"delimiter": ";"}, "`delimiter` is for files"),
        (lambda f: f, {"confidence_level": 1.5}, "confidence_level"),
        (lambda f: f.iloc[:0], {}, "no rows"),
    ],
)
def test_refusals_in_words(spoil, words, said):
    with pytest.raises(uc.UnconfuseError) as caught:
        uc.items(spoil(answers()), **words)
    assert said in str(caught.value)


def test_what_is_no_frame_is_refused():
    for source in ([1, 0, 1], None, 3.5):
        with pytest.raises(uc.UnconfuseError, match="requires a data frame, a mapping of columns, a file or logs"):
            uc.items(source)


def test_one_run_says_nothing_of_runs():
    it = uc.items(answers())
    for ask in (lambda: it.variance, lambda: it.same_items("a")):
        with pytest.raises(uc.UnconfuseError, match=r"every item has one run: .* cannot be known"):
            ask()
    with pytest.raises(uc.UnconfuseError, match="requires at least 3 runs of every item; some have 1"):
        it.pass_at(3)
    with pytest.raises(uc.UnconfuseError, match="right or wrong"):
        uc.items(answers().assign(ok=0.5)).pass_at(1)
    with pytest.raises(KeyError, match="no model 'z'"):
        it["z"]
    assert any("cannot be known" in each.sentence for each in it.findings)


def test_a_judge_is_corrected_for_each_model_and_each_pair():
    rng = np.random.default_rng(5)
    frame = answers(2000, ("a", "b"), seed=2)
    truth = frame.ok.to_numpy()
    frame["llm"] = np.where(rng.random(len(frame)) < 0.15, 1, truth)  # lenient
    frame["ok"] = np.where(rng.random(2000).repeat(2) < 0.15, truth, np.nan)
    it = uc.items(frame, judge="llm")
    for model in ("a", "b"):
        own, found = truth[frame.m == model].mean(), it[model]
        assert found.low < own < found.high < frame.llm[frame.m == model].mean()
    pair = it["a", "b"].difference
    assert pair.low < truth[frame.m == "a"].mean() - truth[frame.m == "b"].mean() < pair.high
    assert "narrower than from the" in " ".join(each.sentence for each in it.findings)
    assert it.as_dict()["judge"]["a"]["narrowing"] < 0.9
    with pytest.raises(uc.UnconfuseError, match="does not support a rater"):
        it.pass_at(1)
    useless = uc.items(frame.assign(llm=rng.integers(0, 2, len(frame))), judge="llm")
    assert "the rater adds nothing" in " ".join(each.sentence for each in useless.findings)


def test_results_can_be_shown_pickled_and_asked_again():
    it = uc.items(answers(runs=2), run="run")
    again = pickle.loads(pickle.dumps(it))
    assert again.as_dict() == it.as_dict()
    json.dumps(it.as_dict(), allow_nan=False)
    assert len(it.to_frame()) == 3 and "<table" in it._repr_html_()
    wider = it["a"].interval(confidence_level=0.99)
    assert wider.low < it["a"].low and wider.high > it["a"].high
    assert it.sentence in str(it) and it.sentence in repr(it)
    assert list(it) == list(it.models) and len(it) == 3
    assert it.plot().axes


def test_files_frames_and_mappings_agree(tmp_path):
    frame = answers(runs=2)
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    frame.to_json(tmp_path / "rows.jsonl", orient="records", lines=True)
    told = uc.items(frame, run="run").as_dict()
    for name in ("rows.csv", "rows.parquet", "rows.jsonl"):
        assert uc.items(tmp_path / name, run="run").as_dict() == told
    assert uc.items(frame.to_dict("list"), run="run").as_dict() == told
    words = frame.assign(ok=np.where(frame.ok, "True", "False"))
    words.to_csv(tmp_path / "words.csv", index=False)
    assert uc.items(tmp_path / "words.csv", run="run").as_dict() == told
    assert uc.items(frame.assign(ok=frame.ok.astype(bool)), run="run").as_dict() == told


def harness(folder, model, correct, date="2026-01-01T00-00-00.000000"):
    own = folder / model
    own.mkdir(parents=True, exist_ok=True)
    lines = []
    for doc, ok in enumerate(correct):
        for name in ("strict-match", "flexible-extract"):
            line = {"doc_id": doc, "doc": {"question": "?"}, "target": "4", "arguments": {}, "resps": [["4"]]}
            line |= {"filtered_resps": ["4"], "filter": name, "metrics": ["exact_match"], "doc_hash": "0"}
            lines.append(json.dumps(line | {"exact_match": float(ok if name == "strict-match" else 1)}))
    (own / f"samples_gsm8k_{date}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_samples_of_the_harness_are_read_as_they_are(tmp_path):
    harness(tmp_path, "org__one", [1, 1, 0, 1, 1])
    harness(tmp_path, "org__two", [1, 0, 0, 1, 0])
    for source in (tmp_path, str(tmp_path / "*" / "samples_*.jsonl"), sorted(tmp_path.rglob("*.jsonl"))):
        it = uc.items(source)
        assert it.models == ("org/one", "org/two")
        assert (it["org/one"].value, it["org/two"].value) == (0.8, 0.4)
    harness(tmp_path, "org__one", [1, 1, 0, 1, 0], date="2026-01-02T00-00-00.000000")
    harness(tmp_path, "org__two", [1, 0, 0, 1, 0], date="2026-01-02T00-00-00.000000")
    assert uc.items(tmp_path).scores.runs.tolist() == [[2, 2]] * 5
    with pytest.raises(uc.UnconfuseError, match="has no score by 'acc'"):
        uc.items(tmp_path, correct="acc")
    with pytest.raises(uc.UnconfuseError, match="logs do not support `run`"):
        uc.items(tmp_path, run="epoch")


def inspect(path, model, grades):
    samples = [
        {"id": i + 1, "epoch": e + 1, "input": "?", "target": "4", "scores": {"match": {"value": grade}}}
        for i, own in enumerate(grades)
        for e, grade in enumerate(own)
    ]
    log = {"version": 2, "status": "success", "eval": {"task": "sums", "model": model}, "samples": samples}
    path.write_text(json.dumps(log), encoding="utf-8")


def test_logs_of_inspect_are_read_as_they_are(tmp_path):
    inspect(tmp_path / "one.json", "org/one", ["CC", "CI", "II", "CC"])
    inspect(tmp_path / "two.json", "org/two", ["CI", "II", "II", "CC"])
    it = uc.items(str(tmp_path / "*.json"))
    assert (it["org/one"].value, it["org/two"].value) == (0.625, 0.375)
    assert it.pass_hat(2)["org/one"].value == 0.5 and it.pass_at(2)["org/one"].value == 0.75
    inspect(tmp_path / "two.json", "org/two", ["PI", "II", "II", "CC"])
    assert not uc.items(tmp_path).is_binary
    (tmp_path / "two.json").write_text((tmp_path / "two.json").read_text()[:-50])
    with pytest.raises(uc.UnconfuseError, match="not whole JSON"):
        uc.items(tmp_path)
    with pytest.raises(uc.UnconfuseError, match="inspect log convert"):
        uc.items("a.eval")


def test_a_million_items_take_seconds():
    import time

    n, rng = 1_000_000, np.random.default_rng(0)
    frame = pd.DataFrame({"q": np.tile(np.arange(n // 2), 2), "m": np.repeat(["a", "b"], n // 2)})
    frame["ok"] = rng.random(n) < 0.7
    start = time.process_time()
    str(uc.items(frame))
    assert time.process_time() - start < 3


def test_evaluate_points_here_for_answers_without_labels():
    for source in ([1, 0, 1, 1], {"ok": [1, 0, 1]}):
        with pytest.raises(uc.UnconfuseError, match="right or wrong, use `items`"):
            uc.evaluate(source)


def test_every_parameter_changes_the_result_or_is_refused():
    """A parameter that is added without an entry fails at once."""
    import inspect as signatures

    frame = answers(40, runs=2).assign(other=lambda own: 1 - own.ok, n=lambda own: own.m + own.q, x=0.5)
    given = {"item": "n", "model": "passage", "correct": "other", "run": None, "cluster": "passage", "judge": "x"}
    given |= {"confidence_level": 0.8, "table": "t", "delimiter": ";", "decimal": ","}
    assert set(signatures.signature(uc.items).parameters) - {"source"} == set(given)
    base = {"item": "q", "model": "m", "correct": "ok", "run": "run"}
    told = str(uc.items(frame, **base).as_dict())
    for name, value in given.items():
        with contextlib.suppress(uc.UnconfuseError):
            assert str(uc.items(frame, **(base | {name: value})).as_dict()) != told, name
