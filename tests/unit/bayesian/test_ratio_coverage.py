"""How often predictive values hold the truth: exactly, over all tables of a case-control study."""

import numpy as np
import pytest
from scipy.stats import binom

import unconfuse as uc
from unconfuse.bayesian.ratios import probability_after
from unconfuse.uncertainty import limits


@pytest.mark.parametrize(("positives", "negatives"), [(100, 10), (10, 100), (20, 20)])
@pytest.mark.parametrize("name", ["lr_positive", "lr_negative"])
def test_predictive_values_hold_the_truth(positives, negatives, name):
    tp, fp = (each.ravel() for each in np.meshgrid(np.arange(positives + 1.0), np.arange(negatives + 1.0)))
    tables = uc.Counts.from_validated(tp=tp, fp=fp, fn=positives - tp, tn=negatives - fp)
    with np.errstate(all="ignore"):
        low, high = (probability_after(0.3, end) for end in limits(uc.METRICS[name], tables)[1])
    known = ~np.isnan(low)
    for se in (0.5, 0.8, 0.9, 0.99):
        for sp in (0.5, 0.8, 0.9, 0.99):
            chance = binom.pmf(tp, positives, se) * binom.pmf(fp, negatives, 1 - sp) * known
            truth = float(probability_after(0.3, se / (1 - sp) if name == "lr_positive" else (1 - se) / sp))
            missed = [float(chance[side].sum() / chance.sum()) for side in (high < truth, low > truth)]
            assert 1 - sum(missed) > 0.94, (se, sp)
            assert max(missed) < 0.04, (se, sp)
