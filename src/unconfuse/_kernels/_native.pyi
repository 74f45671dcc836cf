"""Types of the compiled kernels. `out` arrays are written by the kernel; `_kernels/__init__.py` allocates them."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

def count_true(flags: Flags) -> int: ...
def split_by_class(score: Floats, is_positive: Flags, positives: Floats, negatives: Floats) -> None: ...
def merge_classes(
    positives: Floats, negatives: Floats, out_score: Floats, out_positives: Floats, out_negatives: Floats
) -> int: ...
def collapse_weighted(
    score: Floats, is_positive: Flags, weights: Floats, out_score: Floats, out_positives: Floats, out_negatives: Floats
) -> int: ...
def merge_tables(
    score_a: Floats,
    positives_a: Floats,
    negatives_a: Floats,
    score_b: Floats,
    positives_b: Floats,
    negatives_b: Floats,
    out_score: Floats,
    out_positives: Floats,
    out_negatives: Floats,
) -> int: ...
