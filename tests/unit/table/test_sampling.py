"""How cases were drawn: each kind's covariance against plain loops, its multipliers, its words and its refusals."""

import pickle

import numpy as np
import pytest

import unconfuse as uc
from unconfuse._errors import ArgumentError
from unconfuse.table import INTERVAL, Feature, InMemorySample, Question, SamplingKind
from unconfuse.table.sampling import CaseControl, Clustered, DoublySampled, Independent, Pooled, Survey, Weighted

N = 60
RNG = np.random.default_rng(4)
TRUTH = RNG.random(N) < 0.4
INFLUENCE = RNG.normal(size=(N, 3))
WEIGHT = RNG.random(N) + 0.5
GROUPS = RNG.permutation(np.arange(N) // 4)
STRATA = GROUPS % 3


def centred(rows, factor):
    """Sums of products of rows about their mean, by plain loops."""
    mean, found = rows.mean(axis=0), np.zeros((rows.shape[1], rows.shape[1]))
    for row in rows:
        found += np.outer(row - mean, row - mean)
    return found * factor


def sums(of, moves):
    return np.array([moves[of == each].sum(axis=0) for each in np.unique(of)])


def test_covariance_of_independent_cases():
    ones = np.ones(N)
    assert np.allclose(Independent().covariance(INFLUENCE, ones, TRUTH), centred(INFLUENCE, N / (N - 1)))
    by_class = sum(centred(INFLUENCE[own], own.sum() / (own.sum() - 1)) for own in (TRUTH, ~TRUTH))
    assert np.allclose(CaseControl().covariance(INFLUENCE, ones, TRUTH), by_class)


def test_whole_weights_count_cases():
    times = RNG.integers(1, 4, N)
    again = np.repeat(np.arange(N), times)
    for kind in (Independent(), CaseControl()):
        one = kind.covariance(INFLUENCE, times.astype(float), TRUTH)
        assert np.allclose(one, kind.covariance(INFLUENCE[again], np.ones(len(again)), TRUTH[again]))


def test_covariance_of_whole_groups():
    found = Clustered(groups=GROUPS).covariance(INFLUENCE, WEIGHT, TRUTH)
    assert np.allclose(found, centred(sums(GROUPS, WEIGHT[:, None] * INFLUENCE), 15 / 14))


def test_weighted_is_no_survey_without_strata():
    """Rows with sampling weights are not taken about a mean; units of a stratum are."""
    moves = WEIGHT[:, None] * INFLUENCE
    weighted = Weighted(squares=WEIGHT**2).covariance(INFLUENCE, WEIGHT, TRUTH)
    assert np.allclose(weighted, moves.T @ moves)
    survey = Survey(squares=WEIGHT**2, within=STRATA).covariance(INFLUENCE, WEIGHT, TRUTH)
    expected = sum(centred(moves[own], own.sum() / (own.sum() - 1)) for own in (k == STRATA for k in range(3)))
    assert np.allclose(survey, expected)
    grouped = Survey(squares=WEIGHT**2, within=STRATA, groups=GROUPS).covariance(INFLUENCE, WEIGHT, TRUTH)
    parts = (sums(GROUPS[own], moves[own]) for own in (k == STRATA for k in range(3)))
    assert np.allclose(grouped, sum(centred(part, len(part) / (len(part) - 1)) for part in parts))


@pytest.mark.parametrize("kind", [Independent(), CaseControl(), Weighted(squares=WEIGHT**2), Clustered(groups=GROUPS)])
def test_row_order_does_not_matter(kind):
    order = RNG.permutation(N)
    moved = kind
    if isinstance(kind, Weighted):
        moved = Weighted(squares=kind.squares[order])
    if isinstance(kind, Clustered):
        moved = Clustered(groups=GROUPS[order])
    one = kind.covariance(INFLUENCE, WEIGHT, TRUTH)
    other = moved.covariance(INFLUENCE[order], WEIGHT[order], TRUTH[order])
    assert np.allclose(one, other, rtol=1e-13, atol=0)


def test_multipliers_have_the_mean_one():
    stratum = np.repeat([0, 1], [4, 26])
    for kind in (Independent(), Weighted(), Survey(within=stratum)):
        drawn = kind.multipliers(stratum, 4000, np.random.default_rng(0))
        assert drawn.shape == (4000, 30) and drawn.mean() == pytest.approx(1, abs=0.02)
    assert np.allclose(drawn[:, :4].sum(axis=1), 4)  # within strata they add up to n


KINDS = {
    "cohort": ({}, SamplingKind.INDEPENDENT),
    "case-control": ({"design": "case-control"}, SamplingKind.CASE_CONTROL),
    "clustered": ({"groups": GROUPS}, SamplingKind.CLUSTERED),
    "sampled": ({"sampling_weights": WEIGHT}, SamplingKind.WEIGHTED),
    "strata": ({"sampling_weights": WEIGHT, "strata": STRATA}, SamplingKind.SURVEY),
    "cross-validated": ({"folds": np.arange(N) % 3}, SamplingKind.POOLED),
    "folds of groups": ({"folds": np.arange(N) % 3, "groups": GROUPS}, SamplingKind.POOLED),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_was_read_says_how_it_was_drawn(name):
    words, kind = KINDS[name]
    score = RNG.random(N) + TRUTH
    found = uc.evaluate(TRUTH, score, metrics=["auroc"], **words)
    drawn = found.sample.sampling
    assert drawn.kind is kind and found.design == kind.label
    assert drawn.fixed_classes == (name == "case-control")
    assert drawn.independent == (name in ("cohort", "case-control"))
    assert drawn.n_groups == (15 if "groups" in words else 0)
    assert pickle.loads(pickle.dumps(found)).sample.sampling.kind is kind


def test_parts_are_drawn_as_the_whole():
    cases = InMemorySample(truth=TRUTH, scores={"s": WEIGHT}, groups=GROUPS, squares=WEIGHT**2, fixed_classes=True)
    part = cases.taken(np.arange(20))
    assert part.sampling.kind is SamplingKind.SURVEY and part.fixed_classes
    assert part.sampling.n_groups == len(np.unique(GROUPS[:20]))
    assert cases.ungrouped().sampling.kind is SamplingKind.WEIGHTED


def test_refusals_are_made_once():
    question = Question.of("`verb`", Feature.CLUSTERS)
    assert Clustered(groups=GROUPS).supports(question) is None
    with pytest.raises(ArgumentError, match="`verb` does not support sampling weights"):
        Weighted().require(question)
    with pytest.raises(ArgumentError, match="`verb` does not support double sampling"):
        DoublySampled().require(question)
    with pytest.raises(ArgumentError, match="`verb` does not support folds"):
        Pooled(inner=Clustered(groups=GROUPS)).require(question)


@pytest.mark.parametrize("kind", [Clustered(True, GROUPS), Survey(True, groups=GROUPS), DoublySampled(True)])
def test_class_totals_that_cannot_have_been_chosen(kind):
    for each in (kind, Pooled(inner=kind)):
        with pytest.raises(ArgumentError, match="`design='case-control'` does not support"):
            each.require(INTERVAL)


def test_a_threshold_card_of_groups_has_no_fixed_classes():
    with pytest.raises(ArgumentError, match="does not support groups: they are resampled whole"):
        uc.threshold_card(TRUTH, WEIGHT, groups=GROUPS, design="case-control")


def test_a_band_takes_a_known_design():
    table = uc.score_table(TRUTH, WEIGHT)
    with pytest.raises(ArgumentError, match="`design` must be one of 'cohort', 'case-control'"):
        uc.band(table, "reliability", design="survey")
