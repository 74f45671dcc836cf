"""What a sample must be for a verb to judge it, and what makes no sense for it."""

from __future__ import annotations

import warnings

from unconfuse._errors import ArgumentError, InputError, UnconfuseWarning
from unconfuse._validate import brief, check_both_classes, check_not_empty, mention_fractions
from unconfuse.table import Sample


def check_judgeable(sample: Sample) -> None:
    """Cases of at least two classes; weights that count no cases, and constant scores, are worth a word."""
    check_not_empty(int(sample.n > 0))
    mention_fractions(sample.has_fractions, stacklevel=4)
    if sample.several:
        if (sample.sizes > 0).sum() < 2:
            held = [name for name, size in zip(sample.classes, sample.sizes, strict=True) if size > 0]
            raise InputError(
                f"the labels hold one class only: only {brief(held[0])} among {sample.n:g} rows. Hint: classes are "
                "told apart on cases of at least two of them."
            )
        mention_missing(sample)
        return
    check_both_classes(sample.positives, sample.negatives, sample.positive_label)
    for model in sample.models if sample.has_scores else ():
        table = sample.table(model)
        if len(table) == 1 and table.is_exact:
            words = f"all scores are {table.score[0]:g}: nothing is ranked above anything."
            warnings.warn(words, UnconfuseWarning, stacklevel=4)


def mention_missing(sample: Sample) -> None:
    """Classes without a case are worth a word."""
    missing = [name for name, size in zip(sample.classes, sample.sizes, strict=True) if size == 0]
    if missing:
        shown = ", ".join(map(brief, missing[:5])) + (", ..." if len(missing) > 5 else "")
        warnings.warn(
            f"no case belongs to {shown}: metrics of these classes are undefined, and averages leave them out.",
            UnconfuseWarning,
            stacklevel=5,
        )


def refuse(sample: Sample, **words: object) -> None:
    """What makes no sense for these data is refused, not passed over."""
    for name, value in words.items():
        if value is not None:
            what = f"{sample.n_classes} classes" if sample.several else "a yes-or-no question"
            raise ArgumentError(f"`{name}` makes no sense for {what}; got {brief(value)}. Hint: leave it out.")
