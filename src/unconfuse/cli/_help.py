"""Help with its options in groups: what to judge, where the data are, how sure, and where the answer goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

_DATA = (
    "label score scores predicted judge weight sampling_weight stratum fold group id positive negative rest_negative "
    "delimiter decimal table query on_bad_row spark matrix rows by reference counts against baseline_score"
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
