"""`unconfuse bayes` and `unconfuse small-sample`: what follows from a few known quantities, and from few cases."""

from typing import Any

import click

from unconfuse._errors import InsufficientError
from unconfuse._formatting import number_text, with_numbers
from unconfuse._parameters.uncertainty import CONFIDENCE_LEVEL
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, say
from unconfuse.cli._options import Words, option, together
from unconfuse.cli._output import emit, markdown_text, output_options

QUANTITIES = {
    "prevalence": "Share of positives in the population.",
    "negative_prevalence": "Share of negatives in the population.",
    "sensitivity": "Share of positives labelled positive (recall, TPR).",
    "specificity": "Share of negatives labelled negative (TNR).",
    "false_positive_rate": "Share of negatives labelled positive (FPR, type I error, alpha).",
    "false_negative_rate": "Share of positives labelled negative (FNR, type II error, beta).",
    "precision": "Share of those labelled positive that are positive (PPV).",
    "npv": "Share of those labelled negative that are negative.",
    "false_discovery_rate": "Share of those labelled positive that are negative (FDR).",
    "false_omission_rate": "Share of those labelled negative that are positive (FOR).",
    "queue_rate": "Share of all cases labelled positive.",
    "negative_queue_rate": "Share of all cases labelled negative.",
    "accuracy": "Share of all cases labelled correctly.",
    "youden_j": "Sensitivity + specificity - 1.",
}
_SHOWN_AS = {"queue_rate": "--predicted-positive-rate", "negative_queue_rate": "--predicted-negative-rate"}
RATIOS = {
    "lr_positive": "Factor by which a positive label multiplies the odds (LR+).",
    "lr_negative": "Factor by which a negative label multiplies the odds (LR-).",
    "diagnostic_odds_ratio": "LR+ / LR- (DOR).",
}
# Options that are not listed: the same quantities by the names that papers and other tools use.
OTHER_NAMES = (
    *("recall", "tpr", "tnr", "se", "sp", "fpr", "fnr", "alpha", "beta"),
    *("ppv", "fdr", "for", "j", "youden", "dor", "base_rate"),
)
person_options = together(
    option("--prior SHARE", "One person's probability before the result is known."),
    option(
        "--results SIGNS",
        "Results of that person's tests, one sign for each, such as ++-.",
        name="tests",
        former=("--tests",),
    ),
    click.argument("more_tests", nargs=-1, metavar=""),
)


def _spelling(name: str) -> str:
    return f"--{name.replace('_', '-')}"


@command()
@together(
    *(
        option(f"{_SHOWN_AS[name]} SHARE", words, former=(_spelling(name),), name=name)
        if name in _SHOWN_AS
        else option(f"{_spelling(name)} SHARE", words)
        for name, words in QUANTITIES.items()
    )
)
@together(*(option(f"{_spelling(name)} RATIO", words) for name, words in RATIOS.items()))
@together(*(option(f"{_spelling(name)} SHARE", None, hidden=True, name=name) for name in OTHER_NAMES))
@option(
    "--tolerance SHARE",
    "By how much values may be off because they are rounded, such as 0.005.",
    default=1e-9,
    group="Uncertainty",
)
@option("--ranges", "Show what is known if the values do not determine everything.")
@person_options
@option("--show-work", "Bayes' theorem with these numbers, a tree, and a thousand people.")
@output_options
def bayes(
    *, prior: float | None, tests: str | None, more_tests: tuple[str, ...], show_work: bool, output: Words, **given: Any
) -> None:
    """Compute all that follows from three independent quantities, such as prevalence and both rates.

    \b
    unconfuse bayes --prevalence 1% --sensitivity .9 --specificity .95 --show-work
    unconfuse bayes --lr-positive 9 --lr-negative .1 --prior 5% --results ++-
    unconfuse bayes --lr-positive 18 --prior 1% --results +
    """
    results = results_of(tests, more_tests)
    result = _solved({name: value for name, value in given.items() if value is not None}, prior)
    person = person_of(result, prior, results)
    work = _work(result, person) if show_work else []
    own = {} if person is None else {"prior": prior, **_one_person(person)}
    values = {**with_numbers(result), **own}
    payload: dict[str, Any] = {**values, "verdict": result.verdict, "undefined": dict(result.undefined)}
    payload |= {"ranges": dict(result.ranges)} if result.ranges else {}
    payload |= {} if person is None else {"person": person.as_dict()}
    payload |= {"work": work} if work else {}
    rows = [{"name": name, "value": value} for name, value in values.items()]
    said = [] if person is None else [person.sentence]
    markdown = markdown_text(["Quantity", "Value"], [[name, number_text(values[name])] for name in values], said)
    markdown += "".join(f"    {line}\n" for line in ["", *work]) if work else ""
    emit(output, payload, rows, markdown, lambda console: _draw(console, result, person, work))


def results_of(tests: str | None, more: tuple[str, ...]) -> str:
    """Join the signs that were given, in one word or in several: `--results ++-` or `--results + + -`."""
    strangers = [each for each in more if set(each) - set("+-")]
    if strangers or (more and tests is None):
        names = ("tp", "fp", "fn", "tn") if click.get_current_context().info_name == "counts" else ()
        given = " ".join(f"--{name} {each}" for name, each in _named(more, names))
        hint = f"name them, {given or '--prevalence 1% --sensitivity .9 --specificity .95'}"
        raise click.UsageError(f"got an unexpected argument {(strangers or more)[0][:60]!r}. Hint: {hint}.")
    return "".join([tests or "", *more])


def _named(given: tuple[str, ...], names: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return numbers with their names: those of `tp=90`, or else in the usual order.

    >>> _named(("fn=10", "tp=90"), ("tp", "fp", "fn", "tn")), _named(("90", "5"), ("tp", "fp", "fn", "tn"))
    ([('fn', '10'), ('tp', '90')], [('tp', '90'), ('fp', '5')])
    """
    named = [each.lower().partition("=") for each in given]
    if names and all(name in names and number for name, _, number in named):
        return [(name, number) for name, _, number in named]
    return list(zip(names, given, strict=False))


def person_of(source: Any, prior: float | None, results: str) -> Any:
    """Return what the results, or each possible one, mean for one person; None if no prior was given."""
    if prior is None:
        if results:
            raise click.UsageError("--results needs --prior: the person's probability before the first result.")
        return None
    from unconfuse.bayesian import posterior

    return posterior(source, prior=prior, results=results)


def _solved(given: dict[str, Any], prior: float | None) -> Any:
    """All quantities; if only the prevalence is missing, those among people like the one whose prior is given."""
    from unconfuse.bayesian import bayes as solve

    try:
        return solve(**given)
    except InsufficientError:
        if prior is None or {"prevalence", "negative_prevalence"} & set(given):
            raise
        binary_quantities = solve(**given, prevalence=prior)
        click.echo(f"Note: no prevalence given; using the prior, {prior:g}.", err=True)
        return binary_quantities


def _one_person(person: Any) -> dict[str, float]:
    after = {"after_positive": person.after_positive.value, "after_negative": person.after_negative.value}
    return after | ({f"after_{person.results}": person.after_results.value} if person.updates else {})


def _work(result: Any, person: Any) -> list[str]:
    from unconfuse.bayesian.derivation import odds

    chains = [] if person is None else [person.results] if person.results else ["+", "-"]
    return [
        *result.show_work().split("\n"),
        *["" for _ in chains[:1]],
        *(odds(result, person.prior, chain) for chain in chains),
    ]


def _draw(console: Console, result: Any, person: Any, work: list[str]) -> None:
    colour = {"good": "green", "bad": "red"}.get(result.verdict.tone, "yellow")
    say(console, _sentence(result), f"bold {colour}")
    if person is not None:
        say(console, person.sentence)
    if work:
        say(console, "\n" + "\n".join(work))
    say(console)
    words = QUANTITIES | RATIOS
    lines = [
        (name.replace("_", " "), number_text(value), result.undefined.get(name) or words.get(name, ""))
        for name, value in with_numbers(result).items()
    ]
    console.print(as_table(lines, [{"no_wrap": True}, {"justify": "right", "no_wrap": True}, {"style": "dim"}], gap=3))


def _sentence(result: Any) -> str:
    from unconfuse.bayesian._verdict_text import HEADS
    from unconfuse.bayesian.derivation import tree

    verdict = f"{HEADS.get(result.verdict, 'Not enough is known to say whether the test is better than guessing')}."
    if result.ranges:
        return f"{verdict} Not everything is determined; the table gives bounds for the rest."
    people, ill, found, missed, _, alarms, _, right = (each.strip("|-` ") for each in tree(result))
    return (
        f"{verdict} Of {people}, {ill}: {found.split()[0]} are found and {missed.split()[0]} missed. "
        f"{alarms.split()[0]} of the others are flagged: {right}."
    )


@command(name="small-sample")
@option("--successes N", "How many cases were labelled correctly.", former=("--right",), is_needed=True)
@option("--trials N", "Number of cases.", former=("--of",), is_needed=True)
@option("--rate SHARE", "The true rate that is assumed. [default: the one seen]")
@option(CONFIDENCE_LEVEL, "Confidence level of the rates that are possible.")
@output_options
def small_sample(*, successes: int, trials: int, rate: float | None, confidence_level: float, output: Words) -> None:
    """Show what chance does to few cases: how often a rate gives so many right, and which rates fit.

    \b
    unconfuse small-sample --successes 6 --trials 10 --rate .8
    """
    from unconfuse.bayesian import small_sample_statement

    found = small_sample_statement(successes, trials, rate, confidence_level=confidence_level)
    told = found.as_dict()
    numbers = {name: value for name, value in told.items() if name != "sentence"}
    text = markdown_text(
        ["Quantity", "Value"], [[name, number_text(value)] for name, value in numbers.items()], found.sentences
    )
    emit(output, told, [numbers], text, lambda console: _say_all(console, found.sentences))


def _say_all(console: Console, sentences: Any) -> None:
    for sentence in sentences:
        say(console, sentence)
