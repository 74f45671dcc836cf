"""How cases were drawn, how sure an interval is, and what counts as a difference."""

from functools import partial

from unconfuse._parameters import OptionSpec

_sure = partial(OptionSpec, group="Uncertainty")

DESIGN = _sure(
    "--design cohort|case-control",
    "Study design: was prevalence observed (cohort) or set by the study (case-control)?",
    label="Design",
    help="Case-control: the study chose the share of positives.",
)
CONFIDENCE_LEVEL = _sure(
    "--confidence-level SHARE",
    "Confidence level of the intervals.",
    default=0.95,
    former=("--level",),
    label="Confidence level",
    aliases=("level",),
    guesses=("ci", "confidence", "confidence_level", "confidence_interval"),
)
RESAMPLES = _sure(
    "--resamples N",
    "Size of the bootstrap.",
    name="n_resamples",
    default=2000,
    label="Resamples",
    help="Size of the bootstrap, where one is needed.",
    aliases=("resamples",),
    guesses=("bootstrap", "n_resamples", "n_bootstrap", "n_boot", "boot"),
)
SEED = _sure(
    "--seed N",
    "Seed of the bootstrap.",
    name="rng",
    default=0,
    label="Seed",
    aliases=("seed",),
    guesses=("rng", "random_state"),
)
LOOKS = _sure(
    "--looks TEXT",
    "Repeated looks at growing data: any (number of looks), exact (proportions) or a planned number, 10.",
)
MARGIN = _sure(
    "--margin SHARE",
    "The largest difference that does not matter.",
    label="Difference that does not matter",
    help="Allows the verdict “equivalent”.",
)
ADJUST = _sure("--adjust max-t|holm", "How p-values are adjusted for several pairs of models.", label="Several pairs")
NULLS = _sure(
    "--null METRIC[=VALUE]",
    "Test whether a metric differs from this value, such as auroc=.8, or from chance; may be repeated.",
    name="nulls",
    kind="values",
)
