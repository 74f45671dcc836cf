"""A small version of tests/coverage/multiclass.py: intervals hold the truth about as often as they say."""

import importlib.util
from pathlib import Path

_spec = importlib.util.spec_from_file_location(
    "multiclass_coverage", Path(__file__).parents[1] / "coverage" / "multiclass.py"
)
study = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(study)


def test_coverage_is_near_its_level():
    """With 150 trials the standard error is 1.8%: three of them on each side."""
    names = ("accuracy", "f1_macro", "mcc", "log_loss", "auroc_hand_till", "balanced_accuracy")
    found = study.coverage(150, names=names, n_resamples=300)
    assert all(share >= 0.95 - 0.054 for share in found.values()), found
