"""Test sets to come: the models that are expected, and what is to be shown of them."""

from unconfuse._parameters import OptionSpec

N = OptionSpec(
    "--n N",
    "Size of a sample. [default: that of the data]",
    kind="number",
    label="Cases of a test set",
    help="As many as here, if left empty.",
)
SHARE_OF_POSITIVES = OptionSpec(
    "--prevalence SHARE", "Share of positives. [default: 0.5, or that of the data]", label="Share of positives"
)
QUALITY = OptionSpec(
    "--quality AUROC",
    "Quality of the models. [default: 0.75, or that of the data]",
    kind="share",
    former=("--at",),
    label="Quality of the models (AUROC)",
    guesses=("auroc", "auc"),
)
QUALITIES = QUALITY.but(
    meaning="Quality of interest. [default: that of the data]",
    kind="shares",
    label="Quality (AUROC)",
    help="That of the data, if left empty.",
)
METHOD = OptionSpec(
    "--method full|linear|asymptotic",
    "Simulate, simulate less (the paper's appendix A), or take the formula at once.",
    label="Method",
    help="Simulate, or take the formula at once.",
)
IMPROVEMENT = OptionSpec(
    "--improvement shift|scale|top|tilt",
    "How models get better: positives move up, or spread; fewer top negatives; more high scores. [default: all]",
    default=None,
    label="Models improve by",
    help="All four kinds, if left empty.",
)
SCORE_CORRELATION = OptionSpec(
    "--score-correlation CORRELATION",
    "Correlation of the models' scores, if both are evaluated on the same cases.",
    was="--paired",
    group="Uncertainty",
    label="Correlation of scores",
    help="If both models are evaluated on the same cases.",
)
SEED_OF_SIMULATION = OptionSpec("--seed N", "Seed of the simulation.", name="rng", default=0, group="Uncertainty")
N_SAMPLES = OptionSpec("--n-samples N", "Simulated samples.", was="--samples", default=10_000)
DIFFERENCE = OptionSpec(
    "--difference D",
    "Difference between two models, in AUROC; of decisions on the metric's scale.",
    label="Difference to be seen",
    help="Between two models, in AUROC.",
)
WIDTH = OptionSpec(
    "--width SHARE", "How wide the interval may be.", label="Width of the interval", help="Instead of a difference."
)
POWER = OptionSpec(
    "--power SHARE",
    "Probability that a test shows the difference, or what --null or --margin say.",
    group="Uncertainty",
    label="Power",
    help="Probability that a test shows the difference.",
)
WORSE_BY = OptionSpec(
    "--margin D",
    "Show that a model is worse by less than this (non-inferiority), with --power.",
    group="Uncertainty",
    label="Margin",
    help="Show that a model is worse by less than this, with a power.",
)
NULL = OptionSpec(
    "--null VALUE",
    "Value of the metric that a test should reject, with --power.",
    label="Null value",
    help="Show that the metric is not this, with a power.",
)
SENSITIVITY, SPECIFICITY = (
    OptionSpec(
        f"--{name} SHARE",
        "Of the decisions, for metrics of decisions.",
        label=name.capitalize(),
        help="For metrics of decisions.",
    )
    for name in ("sensitivity", "specificity")
)
SD_RATIO = OptionSpec(
    "--sd-ratio RATIO",
    "Standard deviation of positives' scores over that of negatives' (normal scores).  [default: 1.0]",
    label="Ratio of standard deviations",
    help="Of the positives' scores to the negatives'.",
)
