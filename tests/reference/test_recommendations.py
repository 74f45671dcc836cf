"""How much better average precision is than the AUROC, beside values of other simulations; and what samples say."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

import unconfuse as uc

CASES = json.loads((Path(__file__).parent / "recommendations.json").read_text())["cases"]
FAMILIES = {
    "gumbel_l": stats.gumbel_l(),
    "laplace": stats.laplace(),
    "skewnorm-5": stats.skewnorm(-5),
    "binormal": stats.norm(),
    "uniform": stats.uniform(),
    "t3": stats.t(3),
}
SAMPLES = 4


def shift_for(family, auroc):
    """How far positives are above negatives."""
    negative = family.ppf(np.linspace(5e-5, 1 - 5e-5, 10_000))
    return brentq(lambda shift: family.sf(negative - shift).mean() - auroc, 0, 20)


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_efficiency_of_known_distributions(case):
    data, family = case["data"], FAMILIES[case["data"]["family"]]
    n = data["positives"] + data["negatives"]
    rp = uc.resolving_power(
        uc.Distributions(family, family),
        ["auroc", "average_precision"],
        n=n,
        prevalence=data["positives"] / n,
        at=data["auroc"],
        method="asymptotic",
    )
    gain = rp.verdicts(data["auroc"]).gains["average_precision"]
    assert gain.log_efficiency == pytest.approx(
        case["expect"]["log_efficiency"], abs=case["tolerance"]["log_efficiency"]
    )


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_samples_do_not_say_the_opposite(case):
    """`make coverage` takes more of them."""
    data, truth, family = case["data"], case["expect"]["log_efficiency"], FAMILIES[case["data"]["family"]]
    labels, shift = (
        np.arange(data["positives"] + data["negatives"]) < data["positives"],
        shift_for(family, data["auroc"]),
    )
    said = []
    for seed in range(SAMPLES):
        score = family.ppf(np.random.default_rng([11, seed]).random(len(labels))) + shift * labels
        model = uc.Empirical(labels, score, scale="raw")
        rp = uc.resolving_power(model, ["auroc", "average_precision"], at=data["auroc"], method="asymptotic")
        said.append(rp.verdicts(data["auroc"]).outcome)
    assert ("better" if truth < 0 else "none is known to be better" if truth > math.log(1.05) else "") not in said
