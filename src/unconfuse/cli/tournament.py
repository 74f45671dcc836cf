"""`unconfuse tournament`: let metrics compete as guides of a model search."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._parameters.cases import LABEL
from unconfuse._parameters.uncertainty import SEED
from unconfuse.cli import _options
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, collected, option
from unconfuse.cli._output import emit_result, markdown_text, output_options

if TYPE_CHECKING:
    from unconfuse.resolving.tournaments import TournamentResult

_ESTIMATOR = "sklearn.ensemble:HistGradientBoostingClassifier"
_SPACE = '{"learning_rate": {"low": 0.01, "high": 0.3}, "max_iter": {"low": 25, "high": 150}}'


@command()
@collected(
    "data",
    _options.file_argument,
    option(LABEL, "Column of true labels.", is_needed=True),
    _options.positive_option,
    _options.database_options,
)
@option("--estimator MODULE:CLASS", "Class with fit and predict_proba.", default=_ESTIMATOR)
@option("--space JSON", "For each parameter a list of choices, or low and high.", default=_SPACE)
@option("--baseline JSON", "Parameters of a first model, to measure resolving power on.")
@_options.metric_option("Metric that guides a search; at least two. [default: auroc, auprc_davis_goadrich]")
@option("--trials N", None, name="n_trials", default=20)
@option("--candidates N", "Models in each search.", name="n_candidates", default=6)
@option("--jobs N", "Processes.", name="n_jobs", default=1)
@_options.file_to_write("--checkpoint FILE", "Keep finished trials here, and go on from them.", was="--store")
@option(SEED, "Seed of the splits and of the search.")
@output_options
def tournament(*, data: Words, output: Words, estimator: str, space: str, baseline: str | None, **search: Any) -> None:
    """Let metrics compete as guides of a model search: random splits, each measured on a large test part.

    FILE is as in `evaluate`; every column but the label must be a number.

    \b
    unconfuse tournament features.csv --label outcome --positive yes
    """
    import numpy as np

    import unconfuse
    from unconfuse.ingest.read_columns import read_columns

    labels = {"positive": data.pop("positive"), "negative": _options.negative_of(data)}
    read = read_columns(_options.described(data), everything=True)
    X, y = np.column_stack(list(read.numbers.values())), read.label
    search["baseline"] = None if baseline is None else _json(baseline, "--baseline")
    search["metrics"] = search["metrics"] or ("auroc", "auprc_davis_goadrich")
    guides = _class(estimator), _space(space)
    result = _options.watched(unconfuse.tournament, *guides, X, y, **labels, **search)
    emit_result(output, result, _markdown, _draw)


def _class(name: str) -> Any:
    module, _, attribute = name.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError):
        hint = "Hint: write it like sklearn.linear_model:LogisticRegression, and install its package."
        raise ArgumentError(f"there is no estimator {name!r}. {hint}") from None


def _space(text: str) -> dict[str, Any]:
    return {
        name: (each["low"], each["high"]) if isinstance(each, dict) and set(each) == {"low", "high"} else each
        for name, each in _json(text, "--space").items()
    }


def _json(text: str, option: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ArgumentError(f"{option} must be a JSON object; got {text[:60]!r}.")
    return found


def _markdown(result: TournamentResult) -> str:
    rows = result.rows()
    return markdown_text(list(rows[0]), [list(map(str, row.values())) for row in rows])


def _draw(console: Console, result: TournamentResult) -> None:
    for sentence in map(str, result.duels):
        say(console, sentence, "bold")
    for name, kappa in result.mean_kappas().items():
        say(console, f"mean kappa of {name} on the baseline: {kappa:.4f}")
    say(console)
    rows = result.rows()
    lines = [[each if isinstance(each, str) else f"{each:.4f}" for each in row.values()] for row in rows]
    console.print(as_table(lines, [{"header": head} for head in rows[0]], gap=3))
