"""Samples: near and distant ones answer alike, and both as plain loops over the rows do."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from pathlib import Path
from string import ascii_letters

import numpy as np
import pytest

import unconfuse
import unconfuse as uc
from unconfuse._errors import ArgumentError, InputError
from unconfuse.table import AggregatedSample, DoubleSample, Grouping, InMemorySample, Sample
from unconfuse.table.in_memory import decide, why_rows_are_no_probabilities


def two(n=60, *, weights=False, groups=False, seed=0, models="ab"):
    """A yes-or-no question with tied scores."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    return InMemorySample(
        truth=truth,
        scores={name: np.round(rng.random(n) + 0.3 * truth, 1) for name in models},
        weights=rng.integers(0, 4, n).astype(float) if weights else None,
        groups=rng.integers(0, 12, n) if groups else None,
        division=Grouping(("sex",), ("F", "M"), rng.integers(0, 2, n)),
        folds=Grouping(("fold",), ("1", "2", "3"), rng.integers(0, 3, n)),
    ).with_thresholds({name: 0.5 + 0.1 * place for place, name in enumerate(models)})


def several(n=80, *, weights=False, seed=1):
    """Three classes, probabilities with ties, one model."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    raised = np.round(np.exp(rng.normal(size=(n, 3)) + np.eye(3)[truth]), 1) + 0.1
    scores = raised / raised.sum(axis=1, keepdims=True)
    return InMemorySample(
        truth=truth,
        scores={"score": scores},
        decided={"score": decide(scores)},
        classes=("ant", "bee", "cat"),
        is_multiclass=True,
        weights=rng.integers(0, 4, n).astype(float) if weights else None,
    )


def distant(near: InMemorySample) -> AggregatedSample:
    """The same cases, known by tables and sums alone."""
    classes = range(near.n_classes) if near.is_multiclass else (1,)
    return AggregatedSample(
        classes=near.classes,
        is_multiclass=near.is_multiclass,
        thresholds=near.thresholds,
        tables={name: tuple(near.table(name, k) for k in classes) for name in near.scores},
        matrices={name: near.cells(name).matrix() for name in near.decided},
        divided={name: distant(part) for name, part in near.by_subgroup().items()},
        by=near.by,
        folded={name: distant(part) for name, part in near.by_fold().items()},
        reason=near.probability_problem(near.models[0]) if near.is_multiclass else "",
        is_weighted=near.is_weighted,
        has_fractions=near.has_fractions,
    )


def same_table(one: uc.ScoreTable, other: uc.ScoreTable) -> None:
    for name in ("score", "positives", "negatives"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def counted(near: InMemorySample, members, labelled) -> uc.Counts:
    """Four counts, row by row."""
    cells = Counter()
    for own, called, weight in zip(members, labelled, near.weight, strict=True):
        cells[bool(own), bool(called)] += float(weight)
    return uc.Counts(tp=cells[True, True], fp=cells[False, True], fn=cells[True, False], tn=cells[False, False])


@pytest.mark.parametrize("weights", [False, True])
def test_tables_cells_and_counts_of_two_classes(weights):
    near = two(weights=weights)
    far = distant(near)
    for model in near.models:
        same_table(near.table(model), far.table(model))
        expected = counted(near, near.truth, near.scores[model] >= near.thresholds[model])
        for sample in (near, far):
            assert sample.counts(model).as_dict() == expected.as_dict()
            np.testing.assert_array_equal(
                sample.cells(model).matrix(), [[expected.tn, expected.fp], [expected.fn, expected.tp]]
            )
    assert (near.n, near.positives, near.negatives) == (far.n, far.positives, far.negatives)
    assert (near.is_weighted, near.has_fractions, near.has_scores) == (far.is_weighted, far.has_fractions, True)
    table, scores = near.table("a"), near.scores["a"]
    for score, positives, negatives in zip(table.score, table.positives, table.negatives, strict=True):
        here = near.weight * (scores == score)
        assert (positives, negatives) == (here[near.truth].sum(), here[~near.truth].sum())


@pytest.mark.parametrize("weights", [False, True])
def test_tables_cells_and_counts_of_several_classes(weights):
    near = several(weights=weights)
    far = distant(near)
    called = near.matrix.argmax(axis=1)
    for k in range(3):
        same_table(near.table(k=k), far.table(k=k))
        same_table(near.table(k=k), uc.ScoreTable.from_rows(near.truth == k, near.matrix[:, k], near.weights))
        expected = counted(near, near.truth == k, called == k)
        assert near.counts(k=k).as_dict() == far.counts(k=k).as_dict() == expected.as_dict()
    matrix = np.zeros((3, 3))
    for true, named, weight in zip(near.truth, called, near.weight, strict=True):
        matrix[true, named] += weight
    for sample in (near, far):
        np.testing.assert_array_equal(sample.cells().matrix(), matrix)
        np.testing.assert_array_equal(sample.sizes, matrix.sum(axis=1))
        assert (sample.class_index("bee"), sample.class_index(2), sample.n_classes) == (1, 2, 3)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_one_class_against_the_rest(weights, k):
    near = several(weights=weights)
    one, other = near.one_vs_rest(k), distant(near).one_vs_rest(k)
    assert one.classes == other.classes == (f"not {near.classes[k]}", near.classes[k])
    assert not one.is_multiclass and not other.is_multiclass
    same_table(one.table(), other.table())
    assert one.counts().as_dict() == other.counts().as_dict() == near.counts(k=k).as_dict()
    assert (one.n, one.positives) == (other.n, other.positives)


@pytest.mark.parametrize("models", ["abc", ascii_letters], ids=["three", "more than patterns could be counted"])
@pytest.mark.parametrize("weights", [False, True])
def test_patterns_are_the_rows_by_truth_and_decisions(weights, models):
    near = two(weights=weights, models=models)
    near = near.with_thresholds(dict.fromkeys(models, 0.7))
    found, expected = near.joint_counts(), Counter()
    for row in range(len(near)):
        decisions = tuple(bool(near.scores[name][row] >= near.thresholds[name]) for name in models)
        expected[bool(near.truth[row]), decisions] += float(near.weight[row])
    seen = {
        (bool(truth), tuple(bool(found.labelled[name][place]) for name in models)): weight
        for place, (truth, weight) in enumerate(zip(found.is_positive, found.weight, strict=True))
    }
    assert seen == {key: weight for key, weight in expected.items() if weight}


def test_patterns_of_one_model_alone_need_no_rows():
    near = two(models="a")
    one, other = near.joint_counts(), distant(near).joint_counts()

    def cells(found):
        return {
            (bool(truth), bool(called)): weight
            for truth, called, weight in zip(found.is_positive, found.labelled["a"], found.weight, strict=True)
            if weight
        }

    assert cells(one) == cells(other)
    with pytest.raises(ArgumentError, match="one model is evaluated here"):
        distant(two()).joint_counts()


@pytest.mark.parametrize("weights", [False, True])
def test_products_are_sums_over_rows(weights):
    near = two(weights=weights)
    rng = np.random.default_rng(3)
    worth = {
        model: {
            name: (rng.normal(size=len(near.table(model))), rng.normal(size=len(near.table(model)))) for name in "xy"
        }
        for model in near.models
    }
    found = near.cross_products(worth)
    for name in "xy":
        for side, members in enumerate((near.truth, ~near.truth)):
            expected = np.zeros((2, 2))
            for row in np.flatnonzero(members & (near.weight > 0)):
                own = [
                    worth[model][name][side][near.table(model).score.tolist().index(near.scores[model][row])]
                    for model in near.models
                ]
                expected += near.weight[row] * np.outer(own, own)
            np.testing.assert_allclose(found[name][side], expected, rtol=1e-12)
    with pytest.raises(InputError, match="comparing models needs the rows"):
        distant(near).cross_products(worth)


@pytest.mark.parametrize("slices", ["by_subgroup", "by_fold"])
def test_slices_are_the_rows_that_they_name(slices):
    near = two(weights=True, groups=True)
    division = near.division if slices == "by_subgroup" else near.folds
    found, far = getattr(near, slices)(), getattr(distant(near), slices)()
    assert list(found) == list(far) == list(division.names)
    for place, (name, part) in enumerate(found.items()):
        rows = division.code == place
        np.testing.assert_array_equal(part.truth, near.truth[rows])
        np.testing.assert_array_equal(part.groups, np.unique(near.groups[rows], return_inverse=True)[1])
        np.testing.assert_array_equal(near.restricted(np.flatnonzero(rows)).groups, near.groups[rows])
        for model in near.models:
            np.testing.assert_array_equal(part.scores[model], near.scores[model][rows])
            same_table(part.table(model), far[name].table(model))
            assert part.counts(model).as_dict() == far[name].counts(model).as_dict()
        assert part.n_groups == len(set(near.groups[rows].tolist())) == part.groups.max() + 1
    assert near.by == distant(near).by == ("sex",)
    for sample in (near, distant(near)):
        assert (
            sample.without_subgroups().by == ()
            and not sample.without_subgroups().by_subgroup()
            and not sample.without_subgroups().by_fold()
        )
        assert sample.without_subgroups().n == sample.n


def test_a_cut_reaches_every_slice():
    near = two()
    for sample in (near.with_thresholds(0.8), distant(near).with_thresholds(0.8)):
        assert dict(sample.thresholds) == {"a": 0.8, "b": 0.8}
        whole = sample.counts("a").as_dict()
        parts = [part.counts("a").as_dict() for part in sample.by_subgroup().values()]
        assert {key: sum(part[key] for part in parts) for key in whole} == whole


def test_what_a_result_keeps_answers_alike():
    plain = InMemorySample(truth=two().truth, scores=dict(two().scores)).with_thresholds(0.6)
    kept = plain.compact()
    assert isinstance(kept, AggregatedSample) and kept.models == plain.models
    for model in plain.models:
        same_table(kept.table(model), plain.table(model))
        assert kept.counts(model).as_dict() == plain.counts(model).as_dict()
        assert kept.probability_problem(model) == plain.probability_problem(model)
    assert kept.compact() is kept
    grouped = two(groups=True)
    assert grouped.compact() is grouped  # whole groups may have to be resampled later
    assert several().compact().matrix is not None


@pytest.mark.parametrize("make", [lambda: two(weights=True, groups=True), lambda: several(weights=True)])
def test_the_order_of_rows_is_forgotten(make):
    near = make()
    turned = near.taken(np.random.default_rng(4).permutation(len(near)))
    one, other = near.ordered, turned.ordered
    np.testing.assert_array_equal(one.truth, other.truth)
    np.testing.assert_array_equal(one.weight, other.weight)
    for model in near.models:
        np.testing.assert_array_equal(one.scores[model], other.scores[model])
    if near.groups is not None:
        np.testing.assert_array_equal(one.groups, other.groups)
    assert sorted(zip(one.truth, one.weight, strict=True)) == sorted(zip(near.truth, near.weight, strict=True))


def test_models_that_look_at_nothing():
    near = two()
    for sample in (near, distant(near)):
        more = sample.with_constants({"constant": 0.3}).with_thresholds(0.5)
        assert more.models == ("a", "b", "constant")
        assert more.counts("constant").as_dict() == {"tp": 0, "fp": 0, "fn": near.positives, "tn": near.negatives}
        assert more.select_model("constant").only_model == "constant"
    with pytest.raises(ArgumentError, match="one model is evaluated here; got a, b"):
        near.only_model  # noqa: B018


def test_probabilities_are_told_from_scores():
    near = several()
    assert near.probability_problem() == distant(near).probability_problem() == ""
    assert "outside [0, 1]" in why_rows_are_no_probabilities(np.array([[0.5, 0.5], [1.5, -0.5]]))
    assert two().probability_problem("a") == distant(two()).probability_problem("a") != ""


def test_decisions_of_two_columns_are_those_of_one():
    scores = np.array([[0.5, 0.5], [0.6, 0.4], [0.4, 0.6]])
    np.testing.assert_array_equal(decide(scores), [1, 0, 1])
    np.testing.assert_array_equal(decide(10 * scores), [0, 0, 1])  # no probabilities: ties go to the first


def test_four_counts_are_a_sample():
    counts = uc.Counts(tp=30, fp=20, fn=10, tn=140)
    sample = AggregatedSample.of_counts(counts)
    assert sample.counts().as_dict() == counts.as_dict()
    assert (sample.n, sample.positives, sample.has_scores) == (200, 40, False)
    with pytest.raises(ArgumentError, match="not only decisions"):
        sample.table()


# One sample from another ----------------------------------------------------------------------------------------------


def test_what_was_computed_is_kept_only_where_all_it_rests_on_is_unchanged():
    near = two(weights=True)
    for model in near.models:
        near.table(model), near.blocks(model), near.probability_problem(model)
    for same in (
        near.with_thresholds(0.5),
        near.select_model("a"),
        near.pooled(),
        near.without_subgroups(),
        near.with_constants({"c": 0.5}),
    ):
        assert same.table("a") is near.table("a") and same.blocks("a") is near.blocks("a")
    other = near.derive(scores={**near.scores, "a": near.scores["b"]})
    assert other.table("a") == near.table("b") and other.table("b") is near.table("b")
    for changed in (near.reweighted(2, 3), near.taken(np.arange(30)), near.derive(truth=~near.truth)):
        fresh = InMemorySample(truth=changed.truth, scores=changed.scores, weights=changed.weights)
        assert changed.table("a") == fresh.table("a") != near.table("a")


def test_a_model_that_takes_the_name_of_another_has_its_own_table():
    near = two()
    near.table("a")
    assert len(near.with_constants({"a": 0.5}).table("a")) == 1
    assert near.with_constants({"a": 0.5}).with_thresholds(0.5).counts("a").labelled_positive == near.n


def test_decisions_of_judged_cases_are_not_kept_for_others():
    rng = np.random.default_rng(0)
    truth, judge, checked = rng.random(80) < 0.5, rng.random(80) < 0.5, rng.random(80) < 0.5
    rows = DoubleSample(truth=truth, scores={"a": rng.random(80)}, checked=checked, judge=judge).with_thresholds(0.5)
    before = rows.counts().as_dict(), rows.table()
    other = np.roll(judge, 7)
    turned = rows.derive(judge=other)
    fresh = DoubleSample(truth=truth, scores=rows.scores, checked=checked, judge=other).with_thresholds(0.5)
    assert turned.counts().as_dict() == fresh.counts().as_dict() != before[0]
    assert turned.table() == fresh.table() != before[1]
    assert (
        rows.with_thresholds(0.7).counts().as_dict()
        == fresh.derive(judge=judge).with_thresholds(0.7).counts().as_dict()
        != before[0]
    )


def test_no_field_of_a_sample_is_a_cache():
    """`dataclasses.replace` copies every field, so that a cache among them is handed on to other rows."""

    def kinds(of: type) -> list[type]:
        return [of, *(each for below in of.__subclasses__() for each in kinds(below))]

    for kind in kinds(Sample):
        assert not [each.name for each in fields(kind) if each.name.startswith("_")], kind


def test_samples_are_derived_in_one_way():
    """`replace` on a sample is left to `Sample.derive`."""
    rooms = Path(unconfuse.__file__).parent
    found = [
        path.name
        for path in (rooms / "table").glob("*.py")
        if "replace(self, **{**others, **changes})" in path.read_text()
    ]
    assert found == ["sample.py"]
    others = {*(rooms / "table").glob("[!s]*.py")} - {rooms / "table" / "multi_output.py"}  # whose samples keep nothing
    for path in others:
        assert "import dataclass, field, replace" not in path.read_text(), path


@pytest.mark.parametrize("grouped", [False, True])
def test_different_cases_are_counted_by_loops(grouped):
    near = two(weights=True, groups=grouped).with_thresholds(0.5)

    def ranks(scores):
        return [sum(near.weight[scores > own]) + sum(near.weight[scores == own]) / 2 for own in scores]

    outputs = {
        "labels": [near.scores[model] >= 0.5 for model in "ab"],
        "scores": [near.scores[model] for model in "ab"],
        "ranks": [ranks(near.scores[model]) for model in "ab"],
    }
    for what, (one, other) in outputs.items():
        rows = [k for k in range(len(near)) if one[k] != other[k] and near.weight[k] > 0]
        wanted = len({near.groups[k] for k in rows}) if grouped else sum(near.weight[k] for k in rows)
        assert near.n_different("a", "b", what) == wanted
    with pytest.raises(InputError, match="needs the rows"):
        distant(near).n_different("a", "b", "ranks")
