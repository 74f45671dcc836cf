"""Reader studies against R's iMRMC and MRMCaov; Van Dyke's data are those of MRMCaov."""

import json
from pathlib import Path

import numpy as np
import pytest

import unconfuse as uc
from unconfuse.multilevel.readers import gallas, moments

FOLDER = Path(__file__).parent
CASES = json.loads((FOLDER / "readers.json").read_text())["cases"]
COLUMNS = {"reader": "reader", "case": "case", "truth": "truth", "score": "rating"}


def study(case):
    if "file" in case["data"]:
        return uc.readers(FOLDER / "vandyke.csv", **COLUMNS, modality="treatment"), ("1", "2")
    pos, neg = (np.array(case["data"][name]) for name in ("pos", "neg"))
    scores = np.concatenate([pos, neg], axis=2)
    modality, reader, number = np.indices(scores.shape)
    rows = {"m": modality.ravel(), "reader": reader.ravel(), "case": number.ravel(), "rating": scores.ravel()}
    rows["truth"] = (rows["case"] < pos.shape[2]).astype(int)
    return uc.readers(rows, **COLUMNS, modality="m"), ("0", "1")


@pytest.mark.parametrize("case", CASES, ids=lambda each: each["id"])
def test_differences_of_modalities(case):
    rd, names = study(case)
    pair, one, two = rd[names], *(rd.readings[name] for name in names)
    variance, freedom, _ = gallas(one, two)
    biased = moments(one, one).biased + moments(two, two).biased - 2 * moments(one, two).biased
    found = {
        "diff": pair.difference.value,
        "gallas_var": variance,
        "gallas_var_biased": biased,
        "gallas_df": freedom,
        "or_se": pair.difference.standard_error,
        "or_p": pair.p_value,
        "or_lo": pair.difference.low,
        "or_hi": pair.difference.high,
    }
    for name, value in found.items():
        assert value == pytest.approx(case["expect"][name], abs=case["tolerance"][name], rel=0), name


def test_single_treatments_of_van_dyke():
    """MRMCaov's reader averages of treatments 1 and 2."""
    rd = uc.readers(FOLDER / "vandyke.csv", **COLUMNS, modality="treatment")
    assert rd["1"].value == pytest.approx(0.8970370, abs=1e-7)
    assert rd["2"].value == pytest.approx(0.9408374, abs=1e-7)
