"""Every picture takes the results it is for, and says so of anything else."""

import numpy as np
import pytest

import unconfuse as uc
from unconfuse import plots

Y, S = np.arange(30) % 3 == 0, np.linspace(0.9, 0.1, 30)
GIVEN = {
    "nothing": lambda: None,
    "a number": lambda: 3,
    "an array": lambda: S,
    "counts": lambda: uc.evaluate_counts(tp=3, fp=4, fn=5, tn=6),
    "an estimate": lambda: uc.evaluate(Y, S)["auroc"],
    "labels": lambda: uc.evaluate(np.column_stack([Y, ~Y]), np.column_stack([S, S])),
}


@pytest.mark.filterwarnings("ignore::unconfuse.UnconfuseWarning")
@pytest.mark.parametrize("name", [each for each in dir(plots) if each.startswith("plot_")])
@pytest.mark.parametrize("given", GIVEN)
def test_a_picture_is_drawn_or_refused_in_words(name, given):
    try:
        getattr(plots, name)(GIVEN[given]())
    except uc.UnconfuseError as error:
        assert len(str(error)) > 20
