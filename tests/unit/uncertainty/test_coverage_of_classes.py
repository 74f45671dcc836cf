"""A small version of tests/coverage/multiclass.py: intervals hold the truth about as often as they say."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "multiclass_coverage", Path(__file__).parents[2] / "coverage" / "multiclass.py"
)
study = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(study)


def test_coverage_is_near_its_level():
    """With 400 trials the standard error is 1.1%: three of them on each side, so that 98.3% is too much."""
    names = ("accuracy", "f1_macro", "mcc", "log_loss", "auroc_hand_till", "balanced_accuracy")
    found = study.coverage(400, names=names, n_resamples=300)
    assert all(abs(share - 0.95) <= 0.033 for share in found.values()), found
