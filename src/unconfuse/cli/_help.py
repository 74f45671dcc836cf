"""Help with its options in groups, and refusals that speak of options, whatever Python calls them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import click

from unconfuse import _parameters
from unconfuse._errors import Mention, in_option, respelt

_GROUPS = ("Data", "Uncertainty", "Output")
_FEW = 12  # options that need no groups


class Former(click.Command):
    """A command that says which of its options were given in a spelling that will go."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the options; of a former spelling that will go the new one is named."""
        warn_former(self.get_params(ctx), args)
        if not ctx.resilient_parsing:
            _reject_repeated(ctx, self.make_parser(ctx).parse_args(list(args))[2])
        return super().parse_args(ctx, args)


class FormerGroup(Former, click.Group):
    """A group of commands that does so."""


class GroupedCommand(Former):
    """A command whose help lists its own options first, then those that it shares with others."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; the file that may follow `--for GUIDELINE` belongs to it.

        For an unknown option the one is offered that means the same, or is spelt nearly so.
        """
        has_checklist = any("--for" in parameter.opts for parameter in self.params)
        try:
            ctx.allow_extra_args, asked = True, ctx.allow_extra_args
            left = super().parse_args(ctx, _with_file(args) if has_checklist else args)
            if left and not asked and not ctx.resilient_parsing:
                raise click.UsageError(f"got an unexpected argument {left[0][:60]!r}. {self._say_extra(left)}", ctx)
            return left
        except click.MissingParameter as error:
            if not isinstance(error.param, click.Argument):
                raise
            choices = getattr(error.param.type, "choices", ())
            if choices:
                raise click.UsageError(f"which one? Hint: unconfuse {ctx.info_name} {choices[0]}.", ctx) from None
            raise click.UsageError(f"which file? Hint: unconfuse {ctx.info_name} FILE.", ctx) from None
        except click.NoSuchOption as error:
            shown = [parameter for parameter in self.get_params(ctx) if not getattr(parameter, "hidden", False)]
            if error.option_name in _OF_FILES and any(isinstance(parameter, click.Argument) for parameter in shown):
                hint = f"Hint: files need no option, unconfuse {ctx.info_name} FILE."
                raise click.UsageError(f"No such option {error.option_name!r}. {hint}", ctx) from None
            meant = _meant(error.option_name, shown)
            hint = f" Did you mean {meant[0]}?" if meant else ""
            raise click.NoSuchOption(
                error.option_name, f"No such option {error.option_name!r}.{hint}", ctx=ctx
            ) from None

    def _say_extra(self, extra: list[str]) -> str:
        """Say what to do with arguments that have no name: columns, counts and second files have an option each."""
        names = {parameter.name for parameter in self.params}
        given = [each for each in extra if not each.startswith("-")]
        if any("." in each for each in given):
            return "Hint: one file at a time; models are columns of it, each named with --score."
        if "score" in names and (len(given) == 2 or (self.name == "compare" and len(given) > 2)):
            label = [] if self.name == "compare" and len(given) == 2 else [f"--label {given[0]}"]
            named = " ".join(label + [f"--score {column}" for column in given[len(label) :]])
            return f"Hint: columns are named with options, {named}."
        return f"Hint: unconfuse {self.name} --help lists its options."

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the groups that are not empty; few options are one list."""
        shown = (parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option))
        options: list[click.Parameter] = [each for each in shown if each.get_help_record(ctx) is not None]
        if len(options) <= _FEW:
            super().format_options(ctx, formatter)
            return
        for title, chosen in _grouped(options).items():
            records = [parameter.get_help_record(ctx) for parameter in chosen]
            if records:
                with formatter.section(title):
                    formatter.write_dl([record for record in records if record is not None])


def _with_file(args: list[str]) -> list[str]:
    """Return the arguments with `--for stard out.md` as `--for stard=out.md`.

    >>> _with_file(["a.csv", "--for", "stard", "out.md", "--json"])
    ['a.csv', '--for', 'stard=out.md', '--json']
    """
    from unconfuse.cli._options import is_document

    found = list(args)
    for place, each in enumerate(args):
        last = place if each.startswith("--for=") else place + 1 if each == "--for" else len(args)
        if last + 1 < len(found) and is_document(found[last + 1]) and "=" not in found[last].removeprefix("--for="):
            found[last : last + 2] = [f"{found[last]}={found[last + 1]}"]
    return found


_OF_FILES = ("--file", "--input", "--path", "--filename", "--in")
_RULES = {
    "sensitivity": "--rule 'precision_at_recall(0.95)'",
    "specificity": "--rule 'sensitivity_at_specificity(0.95)'",
    "precision": "--rule 'recall_at_precision(0.95)'",
}


def _meant(given: str, known: list[click.Parameter]) -> list[str]:
    """Return the options that an unknown one may stand for: `--ppv` is `--precision`, never `--npv`."""
    from difflib import get_close_matches

    from unconfuse.metrics import METRICS

    word = given.lstrip("-").replace("-", "_").lower()
    options = [name for parameter in known for name in parameter.opts]
    if f"--{word.replace('_', '-')}" in options:
        return [f"--{word.replace('_', '-')}"]
    metric = METRICS.get(word)
    ours = f"--{metric.name.replace('_', '-')}" if metric else ""
    if ours in options:
        return [ours]
    guessed = [parameter.opts[0] for parameter in known if word in getattr(parameter, "guesses", ())]
    if guessed:
        return guessed
    if metric is not None and "--rule" in options and metric.name in _RULES:
        return [_RULES[metric.name]]
    if metric is not None and "--metric" in options:
        return [f"--metric {metric.name}"]
    return get_close_matches(given, options, n=1, cutoff=0.7 if len(word) > 4 else 0.75)


def _grouped(options: list[click.Parameter]) -> dict[str, list[click.Parameter]]:
    titles = {"": "Options"} | {each: each for each in _GROUPS}
    return {
        title: [option for option in options if getattr(option, "group", "") == key] for key, title in titles.items()
    }


def warn_former(options: list[click.Parameter], args: list[str]) -> None:
    """Say on standard error which options were given in a spelling that will go."""
    given = {each.partition("=")[0] for each in args[: args.index("--") if "--" in args else None]}
    for option in options:
        was = getattr(option, "was", "")
        if was and was in given:
            from unconfuse._deprecated import UNTIL

            click.echo(f"Note: {was} was renamed {option.opts[0]}; the old name works until {UNTIL}.", err=True)


def _reject_repeated(ctx: click.Context, given: list[click.Parameter]) -> None:
    """Refuse an option that takes one value and was given two, of which the first would be ignored."""
    for parameter, times in Counter(given).items():
        if (
            times > 1
            and isinstance(parameter, click.Option)
            and not (parameter.multiple or parameter.is_flag or parameter.count)
        ):
            name = parameter.opts[0]
            several = ctx.info_name == "evaluate" and name == "--score"
            hint = "unconfuse compare takes several models" if several else "give it once"
            raise click.UsageError(f"{name} was given {times} times, and takes one value. Hint: {hint}.", ctx)


def command(name: str | None = None) -> Callable[[Callable[..., Any]], GroupedCommand]:
    """Make a command of this kind, named after its function unless it has another name."""
    return click.command(name, cls=GroupedCommand)


# What functions are called here.
_COMMANDS = {"evaluate_counts": "counts", "evaluate_confusion": "counts", "threshold_card": "thresholds"}
_COMMANDS |= {"score_table": "table", "resolving_power": "resolve", "indistinguishability": "indistinguish"}
_COMMANDS |= {
    name: name for name in ("evaluate", "compare", "bayes", "guarantee", "plan", "tournament", "gate", "reconstruct")
}


def in_options(message: str, options: list[click.Parameter]) -> str:
    """Put a message of a Python function into the words of a command that has these options.

    >>> import click
    >>> in_options("`n_pairs` is 0. Hint: `replace=True`.", [click.Option(["--pairs", "n_pairs"])])
    '--pairs is 0. Hint: replace=True.'
    >>> in_options("n_pairs=3.csv lacks 'n_pairs=4'", [click.Option(["--pairs", "n_pairs"])])
    "n_pairs=3.csv lacks 'n_pairs=4'"
    """
    known = {str(option.name): option.opts[0] for option in options if isinstance(option, click.Option)}
    same = [pair for alias, name in _parameters.names_by_alias().items() for pair in ((alias, name), (name, alias))]
    named = {word: known[other] for word, other in same if other in known} | known

    def spelt(mention: Mention) -> str:
        if mention.name in named:
            return in_option(named[mention.name], [] if mention.given == "True" else mention.values)
        if mention.given is None:
            return f"`unconfuse {_COMMANDS[mention.name]}`" if mention.name in _COMMANDS else mention.name
        return f"{mention.name}={mention.given}"

    return respelt(message, spelt)
