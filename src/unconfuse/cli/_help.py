"""Help with its options in groups, and refusals that speak of options, whatever Python calls them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

import click

_DATA = (
    "label score scores predicted judge weight sampling_weight stratum fold group id positive negative rest_negative "
    "ordered delimiter decimal table query on_bad_row spark matrix rows by reference counts against baseline_score"
)
_SURE = "design level confidence_level n_resamples resamples rng seed margin adjust nulls tolerance paired power"
_WRITTEN = "form as_json path output html payload title plot export junit unit positive_label"
_GROUPS = {"Data": set(_DATA.split()), "How sure": set(_SURE.split()), "Output": set(_WRITTEN.split())}
_FEW = 12  # options that need no groups


class GroupedCommand(click.Command):
    """A command whose help lists its own options first, then those that it shares with others."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups that are not empty; few options are one list."""
        shown = (each for each in self.get_params(ctx) if isinstance(each, click.Option))
        options: list[click.Parameter] = [each for each in shown if each.get_help_record(ctx) is not None]
        if len(options) <= _FEW:
            super().format_options(ctx, formatter)
            return
        for title, chosen in _grouped(options).items():
            records = [each.get_help_record(ctx) for each in chosen]
            if records:
                with formatter.section(title):
                    formatter.write_dl([each for each in records if each is not None])


def _grouped(options: list[click.Parameter]) -> dict[str, list[click.Parameter]]:
    shared = set().union(*_GROUPS.values())
    own = {"Options": [each for each in options if each.name not in shared]}
    return own | {title: [each for each in options if each.name in names] for title, names in _GROUPS.items()}


def command(name: str | None = None) -> Callable[[Callable[..., Any]], GroupedCommand]:
    """A command of this kind, called after its function unless it has another name."""
    return click.command(name, cls=GroupedCommand)


# What functions are called here, and words that stand for another option.
_COMMANDS = {"evaluate_counts": "counts", "evaluate_confusion": "counts", "threshold_card": "thresholds"}
_COMMANDS |= {"score_table": "table", "resolving_power": "resolve", "indistinguishability": "indistinguish"}
_COMMANDS |= {
    name: name for name in ("evaluate", "compare", "bayes", "guarantee", "plan", "tournament", "gate", "reconstruct")
}
_ALSO = {"weights": "weight", "sampling_weights": "sampling_weight", "groups": "group", "folds": "fold"}
_ALSO |= {"strata": "stratum", "metric": "metrics", "rules": "rule", "shift_prevalence": "prevalence"}
_QUOTED = r"`(?!unconfuse )([^`=]+)(?:=([^`]*))?`"
_TEXT = r"(?<!\w)(?:'[^']*'|\"[^\"]*\")(?!\w)"  # a name or a label as it is
_GIVEN = r"(?<![-\w.(])([a-z]\w*)=(\[[^\]]*\]|'[^']*'|\"[^\"]*\"|\.\.\.|[\w.]*\w)?"


def in_options(message: str, options: list[click.Parameter], names: Collection[str] = ()) -> str:
    """A message of a Python function in the words of a command that has these options.

    Texts in quotes and names that come from the data stay as they are.

    >>> import click
    >>> in_options("`n_pairs` is 0. Hint: replace=True.", [click.Option(["--pairs", "n_pairs"])])
    '--pairs is 0. Hint: replace=True.'
    >>> in_options("n_pairs=3.csv lacks 'n_pairs=4'", [click.Option(["--pairs", "n_pairs"])], ["n_pairs=3.csv"])
    "n_pairs=3.csv lacks 'n_pairs=4'"
    """
    marks = {f"\ue000{place}\ue001": name for place, name in enumerate(sorted(names, key=len, reverse=True))}
    for mark, name in marks.items():
        message = message.replace(name, mark)
    known = {str(each.name): each.opts[0] for each in options if isinstance(each, click.Option)}
    named = {word: known[other] for word, other in _ALSO.items() if other in known} | known

    def quoted(found: re.Match[str]) -> str:
        word, value = found.groups()
        if word not in named:
            return f"`unconfuse {_COMMANDS[word]}`" if word in _COMMANDS and value is None else word
        return f"{named[word]} {_bare(value)}".rstrip()

    def given(found: re.Match[str]) -> str:
        word, value = found.groups()
        return f"{named[word]} {_bare(value)}".rstrip() if word in named else found[0]

    message = re.sub(f"{_TEXT}|{_GIVEN}", given, re.sub(_QUOTED, quoted, message))
    for mark, name in marks.items():
        message = message.replace(mark, name)
    return message


def _bare(value: str | None) -> str:
    """A value without the quotes and brackets of Python."""
    return re.sub(r"[\[\]'\"]", "", value or "").replace("True", "")
