"""`unconfuse bayes` and `unconfuse small-sample`: what follows from a few known quantities, and from few cases."""

from typing import Any

import click

from unconfuse._errors import InsufficientError
from unconfuse._plain import with_numbers
from unconfuse.cli._help import command
from unconfuse.cli._layout import Console, as_table, number_text, say
from unconfuse.cli._options import Words, option, together
from unconfuse.cli._output import emit, markdown_text, output_options

QUANTITIES = {
    "prevalence": "Share of positives in the population.",
    "negative_prevalence": "Share of negatives in the population.",
    "sensitivity": "Share of the positives that is found (recall).",
    "specificity": "Share of the negatives that is left alone.",
    "false_positive_rate": "Share of the negatives that is called positive (type I error, alpha).",
    "false_negative_rate": "Share of the positives that is missed (type II error, beta).",
    "precision": "Share of the positive labels that is right (PPV).",
    "npv": "Share of the negative labels that is right.",
    "false_discovery_rate": "Share of the positive labels that is wrong.",
    "false_omission_rate": "Share of the negative labels that is wrong.",
    "queue_rate": "Share of all cases that is called positive.",
    "negative_queue_rate": "Share of all cases that is called negative.",
    "accuracy": "Share of all cases that is labelled rightly.",
    "youden_j": "Sensitivity + specificity - 1.",
}
RATIOS = {
    "lr_positive": "What a positive label multiplies the odds by.",
    "lr_negative": "What a negative label multiplies the odds by.",
    "diagnostic_odds_ratio": "The first of these ratios over the second.",
}
person_options = together(
    option("--prior SHARE", "One person's probability before the result is known."),
    option("--tests SIGNS", "What the test said of that person, one sign for each time, such as ++-."),
    click.argument("more_tests", nargs=-1, metavar=""),
)


@command()
@together(*(option(f"--{name.replace('_', '-')} SHARE", words) for name, words in QUANTITIES.items()))
@together(*(option(f"--{name.replace('_', '-')} RATIO", words) for name, words in RATIOS.items()))
@option("--tolerance SHARE", "By how much values may be off because they are rounded, such as 0.005.", default=1e-9)
@click.option("--ranges", is_flag=True, help="Show what is known if the values do not determine everything.")
@person_options
@click.option("--show-work", is_flag=True, help="Bayes' theorem with these numbers, a tree, and a thousand people.")
@output_options
def bayes(
    *, prior: float | None, tests: str | None, more_tests: tuple[str, ...], show_work: bool, output: Words, **given: Any
) -> None:
    """Everything that follows from any three independent quantities, such as prevalence, sensitivity and specificity.

    \b
    unconfuse bayes --prevalence 1% --sensitivity .9 --specificity .95 --show-work
    unconfuse bayes --lr-positive 9 --lr-negative .1 --prior 5% --tests ++-
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
    """The signs that were given, in one word or in several: `--tests ++-` or `--tests + + -`."""
    strangers = [each for each in more if set(each) - set("+-")]
    if strangers or (more and tests is None):
        raise click.UsageError(f"got an unexpected argument {(strangers or more)[0][:60]!r}.")
    return "".join([tests or "", *more])


def person_of(source: Any, prior: float | None, results: str) -> Any:
    """What the results, or each possible one, mean for one person; None if no prior was given."""
    if prior is None:
        if results:
            raise click.UsageError("--tests needs --prior: the person's probability before the first result.")
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
        found = solve(**given, prevalence=prior)
        click.echo(f"Note: no prevalence was given, so that everything is shown for the prior, {prior:g}.", err=True)
        return found


def _one_person(person: Any) -> dict[str, float]:
    after = {"after_positive": person.after_positive.value, "after_negative": person.after_negative.value}
    return after | ({f"after_{person.results}": person.after.value} if person.steps else {})


def _work(result: Any, person: Any) -> list[str]:
    from unconfuse.bayesian.work import odds

    chains = [] if person is None else [person.results] if person.results else ["+", "-"]
    return [
        *result.show_work().split("\n"),
        *["" for _ in chains[:1]],
        *(odds(result, person.prior, each) for each in chains),
    ]


def _draw(console: Console, result: Any, person: Any, work: list[str]) -> None:
    colour = {"better than guessing": "green", "misleading": "red", "no better than guessing": "red"}.get(
        result.verdict, "yellow"
    )
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
    verdicts = {
        "better than guessing": "Better than guessing",
        "no better than guessing": "No better than guessing: the result says nothing",
        "misleading": "Misleading: the test would be better with its labels swapped",
    }
    verdict = f"{verdicts.get(result.verdict, 'Not enough to say whether the test is better than guessing')}."
    if result.ranges:
        return f"{verdict} Not everything is determined; the table says between which bounds the rest lies."
    from unconfuse.bayesian.work import tree

    people, ill, found, missed, _, alarms, _, right = (each.strip("|-` ") for each in tree(result))
    return (
        f"{verdict} Of {people}, {ill}: {found.split()[0]} are found and {missed.split()[0]} missed. "
        f"{alarms.split()[0]} of the others are called positive: {right}."
    )


@command(name="small-sample")
@option("--right N", "How many cases were labelled rightly.", required=True)
@option("--of N", "Of how many cases.", required=True, to="cases")
@option("--rate SHARE", "The true rate that is assumed. [default: the one seen]")
@option("--level SHARE", "Confidence level of the rates that are possible.", default=0.95)
@output_options
def small_sample(*, right: int, cases: int, rate: float | None, level: float, output: Words) -> None:
    """What chance does to few cases, exactly: how often a true rate gives so many right, and which rates are possible.

    \b
    unconfuse small-sample --right 6 --of 10 --rate .8
    """
    from unconfuse.bayesian import small_sample_statement

    found = small_sample_statement(right, cases, rate, confidence_level=level)
    told = found.as_dict()
    numbers = {name: value for name, value in told.items() if name != "sentence"}
    text = markdown_text(
        ["Quantity", "Value"], [[name, number_text(value)] for name, value in numbers.items()], found.sentences
    )
    emit(output, told, [numbers], text, lambda console: _say_all(console, found.sentences))


def _say_all(console: Console, sentences: Any) -> None:
    for each in sentences:
        say(console, each)
