"""Columns of results that were computed elsewhere: on data sets, and on items."""

from unconfuse._parameters import OptionSpec

DATASET = OptionSpec(
    "--dataset COLUMN",
    "Column that names the data sets.",
    label="Data set",
    help="The column that names the data sets.",
    is_needed=True,
)
MODEL = OptionSpec(
    "--model COLUMN", "Column that names the models.", label="Model", help="The column that names the models."
)
VALUE = OptionSpec(
    "--value COLUMN",
    "Column of the results, such as an AUROC or a loss.",
    label="Result",
    help="Of each model on each data set, such as an AUROC.",
)
STANDARD_ERROR = OptionSpec(
    "--standard-error COLUMN",
    "Column of the standard error of each result.",
    label="Standard error",
    help="Of each result: tells noise from real differences.",
)
CORRELATION = OptionSpec(
    "--correlation SHARE",
    "Correlation of two models' errors on one data set. [default: 0]",
    label="Correlation of errors",
    help="Of two models on one data set, such as 0.5.",
)
BETTER = OptionSpec(
    "--better higher|lower", "Which values are better. [default: higher]", default=None, label="Better are"
)
ITEM = OptionSpec(
    "--item COLUMN",
    "Column of items, such as questions. [default: item, q, question, doc_id or id]",
    label="Item",
    help="The column that names the items, such as questions.",
)
MODEL_OF_ITEMS = MODEL.but(
    meaning="Column of models. [default: model or m; else there is one model]",
    help="The column that names the models; none if there is one model.",
)
CORRECT = OptionSpec(
    "--correct COLUMN",
    "Column of right or wrong, or of scores from 0 to 1; for logs, the metric or scorer.",
    label="Correct",
    help="Right or wrong, or a score from 0 to 1.",
)
RUN = OptionSpec(
    "--run COLUMN",
    "Column of runs, if items were answered several times.",
    label="Run",
    help="If items were answered several times.",
)
CLUSTER = OptionSpec(
    "--cluster COLUMN",
    "Column of clusters of items, such as passages.",
    label="Cluster",
    help="Of items that belong together, such as one passage's.",
)
