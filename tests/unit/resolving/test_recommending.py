"""What is recommended on finite data: the order of a path, three outcomes, conditions, and like compared with like."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import unconfuse as uc
from unconfuse import Binormal, Empirical, Path

RANDOM = np.random.default_rng(1)
LABELS = np.arange(1000) % 10 == 0
NOISE, OTHER = RANDOM.normal(size=1000), RANDOM.normal(size=1000)
BOTH = ("auroc", "average_precision")


def power(model, metrics=BOTH, **how):
    return uc.resolving_power(model, metrics, **{"n_samples": 200} | how)


def cleaner_top(share):
    """Negatives among the best scores sink."""
    score = NOISE + 1.5 * LABELS + 0.3 * OTHER
    return np.where(~LABELS & (score > 1.2), score - 0.9 * share * (score - 1.2), score)


def cleaner_top_worse_bottom(share):
    score = cleaner_top(share)
    raised = ~LABELS & (score < 0.2) & (np.arange(1000) % 2 == 0)
    return np.where(raised, score + 0.8 * share, score)


def test_a_path_keeps_its_order_where_the_auroc_falls():
    path = Path(LABELS, {f"{share}": cleaner_top_worse_bottom(share) for share in (0.0, 0.5, 1.0)})
    areas = [each.auroc for each in path.populations]
    assert areas[-1] < areas[0]
    rp = power(path)
    found = rp.verdicts(rp.at[0])
    assert found.pair.places == (0.0, 2.0) and found.pair.better is path.populations[-1]
    assert found.chances["average_precision"].wins > 0.97 and found.chances["auroc"].wins < 0.5
    advice = rp.recommendation
    assert advice.metric == "average_precision" and advice.outcome == "better"
    assert "the AUROC falls from" in str(advice) and "the order given is kept" in str(advice)
    with pytest.raises(uc.UnconfuseError, match="falls along this path"):
        rp.wins("auroc", better=areas[0], worse=areas[-1])


def test_a_path_on_which_the_top_improves_is_told_by_average_precision():
    path = Path(LABELS, [cleaner_top(share) for share in (0.0, 0.33, 0.66, 1.0)])
    rp = power(path)
    ranked = {each.metric: each for each in rp.recommendation.ranking[rp.at[0]]}
    assert ranked["average_precision"].wins > 0.97 and ranked["auroc"].wins < 0.85
    assert rp.recommendation.metric == "average_precision"
    assert 1 < ranked["average_precision"].efficiency_low < ranked["average_precision"].efficiency
    assert str(rp.recommendation).startswith("If later models of this path are better")


def test_a_path_of_equal_models_recommends_nothing():
    advice = power(Path(LABELS, [NOISE + LABELS, NOISE + LABELS])).recommendation
    assert "no metric can be recommended" in str(advice) and advice.outcome == "cannot tell"


def test_an_auroc_that_goes_up_and_down_is_no_scale():
    steps = (0.0, 1.0, 0.5, 1.5)
    path = Path(LABELS, [NOISE + 1.5 * LABELS + each * LABELS for each in steps])
    rp = power(path, reference="auroc")
    assert rp["average_precision"].undefined and np.isnan(rp["average_precision"].kappa)


def test_an_unbiased_metric_is_not_called_biased():
    """The mean of smoothed probabilities is not that of the probabilities, but that of their own samples."""

    def mean_difference(table):
        return float(
            table.score @ table.positives / table.n_positives - table.score @ table.negatives / table.n_negatives
        )

    labels = np.arange(300) % 3 == 0
    for seed in range(3):
        random = np.random.default_rng(seed)
        probabilities = expit(4 * random.normal(size=300) + 3 * labels)
        rp = power(Empirical(labels, probabilities), ["auroc", mean_difference])
        assert rp.caution("mean_difference") == ""


def test_redraws_stay_probabilities():
    model = Empirical(LABELS, expit(3 * NOISE + 2 * LABELS))
    table = model.redrawn(np.random.default_rng(0)).table
    assert table.score.min() > 0 and table.score.max() < 1
    assert (table.n_positives, table.n_negatives) == pytest.approx((100, 900))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        (
            {},
            "a better model moves all positives up alike, and each of two models near AUROC 0.750 is evaluated on 300",
        ),
        ({"improvement": "top"}, "a better model makes the highest tenth of the negatives rarer"),
        ({"paired": 0.5}, "two models near AUROC 0.750 are evaluated on the same 300 cases (90 positive, scores corre"),
    ],
)
def test_the_first_sentence_states_its_condition(how, words):
    advice = power(Binormal(), n=300, prevalence=0.3, at=0.75, **how).recommendation
    assert words in str(advice).partition(";")[0] and words in str(advice.finding)
    assert "smallest difference" not in str(advice) and "(kappa)" in str(advice)


def test_what_is_left_open_has_an_interval_and_a_name():
    labels = np.arange(60) % 3 == 0
    advice = power(Empirical(labels, np.random.default_rng(1).normal(size=60) + labels)).recommendation
    assert advice.outcome == "cannot tell" and advice.metric == "auroc"
    assert "these data cannot tell whether another metric is better than the AUROC" in str(advice)
    own = next(each for each in next(iter(advice.ranking.values())) if each.metric == "average_precision")
    assert own.efficiency_low < 1.05 < own.efficiency_high and "95% interval" in str(advice)
    assert advice.as_dict()["outcome"] == "cannot tell"
