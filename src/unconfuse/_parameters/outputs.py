"""Where results go, and what pages call things."""

from functools import partial

from unconfuse._parameters import OptionSpec

_written = partial(OptionSpec, group="Output")

FORMAT = _written(
    "--format table|json|csv|markdown", "How to print the result.", name="form", guesses=("csv", "markdown", "md")
)
JSON = _written("--json", "The same as --format json.", name="as_json")
HTML = _written("--html FILE", "Write an interactive page that opens offline.", guesses=("report", "page"))
PAYLOAD = _written("--payload FILE", "Write what the page shows as JSON, for `unconfuse render`.")
PLOT = _written("--plot FILE", "Draw {} into a .png, .svg or .pdf file.")
TITLE = _written("--title TEXT", "Title of the page and of the picture. [default: the name of the model]")
POSITIVE_LABEL = _written(
    "--positive-label WORD",
    "What the page calls positives, such as ill. [default: the label, if it is a word]",
    label="Positives are called",
    help="In sentences: “of 100 ill people”. Such as ill or fraudulent.",
)
UNIT = _written(
    "--unit WORD",
    "What the page calls cases, in the plural, such as patients. [default: cases]",
    label="Cases are called",
    help="In the plural, such as patients or payments.",
)
EVERY = OptionSpec(
    "--all", "Print every finding and metric, without restatements.", name="every", guesses=("verbose", "full")
)
