"""The words that describe data: where rows come from, and what their columns mean."""

from functools import partial

from unconfuse._parameters import OptionSpec

_data = partial(OptionSpec, group="Data")

LABEL = _data(
    "--label COLUMN",
    "Column of true labels. [default: label, y, target or truth]",
    label="True answer",
    help="The column that says what is really the case.",
    guesses=("y", "l", "true", "y_true", "truth", "target", "labels", "outcome", "response", "actual"),
)
LABELS = _data(
    "--labels PATTERN", "Many labels per case: columns of 0, 1 or nothing, as 'finding_*' or as names with commas."
)
SCORE = _data(
    "--score COLUMN",
    "Column of scores. [default: score, p, probability, prob or prediction]",
    label="Score",
    help="Higher means: more likely positive.",
    aliases=("s",),
    guesses=(
        "s",
        "p",
        "y_score",
        "prob",
        "probability",
        "proba",
        "risk",
        "predictor",
        "new",
        "challenger",
        "model",
        "models",
        "column",
        "columns",
    ),
)
SCORE_OF_EACH = SCORE.but(
    meaning="Column of a model's scores; give one for each model.",
    kind="columns",
    label="Scores of the models",
    help="One column for each model.",
)
SCORES = _data(
    "--scores PATTERN",
    "Several classes: score columns, as 'p_*' (the star is the class) or as names with commas.",
    label="Scores of several classes",
    help="Columns such as p_*: the star stands for the class.",
)
SCORES_OF_EACH = SCORES.but(
    meaning="Several classes: a model's columns of scores, such as 'a_*'; give one for each model.", kind="values"
)
PREDICTED = _data(
    "--predicted COLUMN",
    "Column of predicted labels, of two classes or of several.",
    label="Predicted answer",
    help="Instead of a score.",
    guesses=("y_pred", "prediction", "pred"),
)
JUDGE = _data(
    "--judge COLUMN",
    "Column of the rater's labels.",
    label="Score of a rater",
    help="Correct then holds checks of some answers.",
)
WEIGHT = _data(
    "--weight COLUMN",
    "Column that says how many cases each row stands for.",
    label="Weight",
    help="How many cases each row stands for.",
    aliases=("weights",),
)
SAMPLING_WEIGHT = _data(
    "--sampling-weight COLUMN",
    "Column of sampling weights (inverse sampling probabilities).",
    aliases=("sampling_weights",),
)
STRATUM = _data(
    "--stratum COLUMN", "Column of the part of the population within which each row was sampled.", aliases=("strata",)
)
FOLD = _data(
    "--fold COLUMN",
    "Column of the fold of a cross-validation in which each row was tested.",
    label="Fold",
    help="In which fold of a cross-validation each row was tested.",
    aliases=("folds",),
)
GROUP = _data(
    "--group COLUMN",
    "Column of clusters, such as patients or clinics.",
    label="Groups",
    help="Cases that belong together, such as visits of one patient.",
    aliases=("groups",),
    guesses=("cluster", "patient"),
)
ID = _data(
    "--id COLUMN",
    "Column of unique identifiers of the rows.",
    label="Case number",
    help="Must not hold any value twice.",
)
POSITIVE = _data(
    "--positive LABEL",
    "The positive label, unless labels are 0/1, -1/1 or true/false.",
    label="Positive value",
    help="The answer that the score is about, such as yes or ill.",
    guesses=("pos_label", "positive_label", "pos"),
)
NEGATIVE = _data(
    "--negative LABEL",
    "A negative label, where there are several; may be repeated.",
    kind="values",
    label="Negative values",
    help="Where the true answer has more than two values.",
)
REST_NEGATIVE = _data(
    "--rest-negative",
    "Every label that is not positive is negative.",
    default=None,
    label="Whatever is not positive is negative",
)
ORDERED = _data("--ordered NAMES", "Ordered classes, lowest first: mild,moderate,severe. Adds weighted kappas.")
BY = _data(
    "--by COLUMN",
    "Evaluate each subgroup of this column, and compare them; several columns are crossed.",
    kind="columns",
    label="Subgroups",
    help="Evaluate each subgroup separately as well.",
    guesses=("subgroup", "groupby", "group_by"),
)
SITE = _data(
    "--site COLUMN",
    "Column of sites, such as hospitals; shows what to expect of a new one. Score tables: any name.",
    label="Places",
    help="Column of hospitals, sites or centres: says what to expect of a new one.",
)
REFERENCE = _data(
    "--reference SUBGROUP",
    "The subgroup that others are compared with, or rest for everyone else. [default: the largest]",
    label="Reference subgroup",
    help="That others are compared with; the largest otherwise.",
)
REFERENCE_MODEL = REFERENCE.but(
    usage="--reference COLUMN",
    meaning="Compare every model with this one only.",
    label="Reference model",
    help="Compare every model with this one only.",
)
MATRIX = _data(
    "--matrix FILE",
    "CSV file with a K x K confusion matrix; rows are the truth.",
    kind="matrix",
    label="Confusion matrix",
    help="Paste from a spreadsheet: a line for each true class, with or without names.",
    is_needed=True,
)
ROWS = _data("--rows truth|labels", "With --matrix: what its rows are.", label="Rows are")
TABLE = _data(
    "--table NAME",
    "Table of a database, when FILE is its address; or the sheet of a spreadsheet.",
    label="Sheet",
    help="Of a spreadsheet with several sheets.",
    guesses=("sheet",),
)
QUERY = _data("--query SQL", "SELECT statement for a database; for rankings, the column of queries.")
DELIMITER = _data(
    "--delimiter CHARACTER",
    "CSV separator; 'tab' for a tab. [default: detected]",
    label="Separator",
    help="Of a CSV file; found by itself otherwise.",
    guesses=("sep", "separator"),
)
DECIMAL = _data(
    "--decimal CHARACTER",
    "What stands before the decimals in a CSV file, . or a comma. [default: .]",
    choices=(".", ","),
    label="Decimals",
)
ON_BAD_ROW = _data(
    "--on-bad-row error|skip",
    "Stop at a row that cannot be used, or leave such rows out and count them.",
    label="Rows that cannot be used",
)
SPARK = _data(
    "--spark MASTER", "Let Spark read FILE: local[*], spark://host:port, or sc://host:port for Spark Connect."
)
COUNTS = {
    name: OptionSpec(f"--{name} N", f"{title}: {meaning}", kind="number", label=title, help=help, is_needed=True)
    for name, title, meaning, help in (
        ("tp", "True positives", "positives labelled positive.", "Ill and found."),
        ("fp", "False positives", "negatives labelled positive.", "Well, but flagged."),
        ("fn", "False negatives", "positives labelled negative.", "Ill, but missed."),
        ("tn", "True negatives", "negatives labelled negative.", "Well and not flagged."),
    )
}
