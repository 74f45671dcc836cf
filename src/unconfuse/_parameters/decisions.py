"""What is computed, where scores become decisions, and what decisions cost."""

from unconfuse._parameters import OptionSpec

METRICS = OptionSpec(
    "--metric NAME",
    "Only this metric; may be repeated. `unconfuse metrics` lists them.",
    name="metrics",
    kind="values",
    label="Metrics",
    help="Six usual ones otherwise.",
    aliases=("metric",),
)
METRIC = OptionSpec(
    "--metric NAME",
    "Metric that will be used.",
    default="auroc",
    label="Metric",
    help="Such as auroc, sensitivity or average_precision.",
)
PREVALENCE = OptionSpec(
    "--prevalence SHARE",
    "Show everything for a population with this share of positives.",
    label="Prevalence where it is used",
    help="Share of positives there, such as 2%.",
    aliases=("shift_prevalence",),
    guesses=("prev", "pretest", "prior"),
)
THRESHOLD = OptionSpec(
    "--threshold SCORE",
    "Label cases positive at or above this score: 0.1 or 10%.  [default: 0.5 of probabilities]",
    label="Threshold",
    help="Positive from this score on. Probabilities: 0.5 if left empty.",
    guesses=("cutoff", "cut", "cut_off", "thr", "t"),
)
THRESHOLD_OF_EACH = THRESHOLD.but(
    usage="--threshold [MODEL=]SCORE",
    meaning="Label cases positive at or above this score: 10%, or risk=10% for one model.  [default: 0.5]",
    kind="shares",
    label="Thresholds",
    help="Such as risk=0.1, rule=3, if scores are no probabilities.",
    former=("--thresholds",),
)
THRESHOLD_RULE = OptionSpec(
    "--threshold-rule RULE",
    "Choose the threshold by this rule, such as youden; metrics are corrected for the choice.",
    former=("--at",),
    label="Threshold by rule",
    help="Such as youden: each model is cut where the rule says.",
    guesses=("rule", "optimal", "best"),
)
BASELINES = OptionSpec(
    "--baseline majority|constant",
    "Add a model that always predicts the larger class, or always the prevalence.",
    name="baselines",
    kind="values",
    label="Baselines",
    help="majority or constant.",
)
COST_FP = OptionSpec("--cost-fp COST", "Cost of a false positive.")
COST_FN = OptionSpec("--cost-fn COST", "Cost of a false negative.")
COSTS = OptionSpec(
    "--costs NAME=FP:FN",
    "Costs of one stakeholder, such as clinic=1:10; may be repeated.",
    kind="costs",
    label="Costs",
    help="Of a false positive and of a false negative, for each payer.",
)
CAPACITY = OptionSpec(
    "--capacity N",
    "Number of cases that can be labelled.",
    kind="number",
    label="Capacity",
    help="How many of the cases can be followed up.",
)
PREDICTED_POSITIVE_RATE = OptionSpec(
    "--predicted-positive-rate SHARE",
    "Share of the cases that can be labelled.",
    default=0.1,
    former=("--queue-rate",),
    label="Share that can be followed up",
)
GUARANTEES = OptionSpec(
    "--guarantee TEXT",
    "What new cases should show, such as 'precision>=.9'; may be repeated.",
    name="guarantees",
    kind="values",
    former=("--promise", "--promises"),
    label="Promises",
    help="What new cases should show, such as precision>=.9",
)
MIN_PRECISION = OptionSpec(
    "--min-precision SHARE", "For the largest recall at this precision.", default=0.9, label="Least precision"
)
MIN_RECALL = OptionSpec(
    "--min-recall SHARE", "For the largest precision at this recall.", default=0.9, label="Least recall"
)
MIN_SPECIFICITY = OptionSpec(
    "--min-specificity SHARE",
    "For the largest sensitivity at this specificity.",
    default=0.9,
    label="Least specificity",
)
MAXIMISE = OptionSpec(
    "--maximise NAME",
    "Another metric to make as large as possible, such as jaccard or 'f_beta(2)'.",
    kind="values",
    former=("--maximize",),
)
RULES = OptionSpec(
    "--rule NAME",
    "Only this rule, such as youden or 'recall_at_precision(.8)'; may be repeated.",
    name="rules",
    kind="values",
    aliases=("rule",),
    guesses=("youden",),
)
VALIDATION = OptionSpec(
    "--validation bootstrap|crossfit|optimism|none",
    "How to correct for measuring on the cases that chose the threshold.",
    former=("--honest",),
    label="Measured",
)
