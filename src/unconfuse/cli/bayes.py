"""`unconfuse bayes`: what follows from a few known quantities."""

from typing import Any

import click

from unconfuse.cli._layout import Console, as_table, number_text, say
from unconfuse.cli._options import Words, option, together
from unconfuse.cli._output import emit, markdown_text, output_options

QUANTITIES = {
    "prevalence": "Share of positives in the population.",
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
}


@click.command()
@together(*(option(f"--{name.replace('_', '-')} SHARE", words) for name, words in QUANTITIES.items()))
@option("--prior SHARE", "One person's probability before the result is known.")
@output_options
def bayes(*, prior: float | None, output: Words, **given: float | None) -> None:
    """Everything that follows from any three independent quantities, such as prevalence, sensitivity and specificity.

    \b
    unconfuse bayes --prevalence 1% --sensitivity .9 --specificity .95
    unconfuse bayes --precision .8 --sensitivity .6 --queue-rate 10% --prior 30%
    """
    from unconfuse.api import bayes as solve

    result = solve(**{name: value for name, value in given.items() if value is not None})
    person = {} if prior is None else _one_person(result, prior)
    values = {**result.as_dict(), **person}
    payload = {**result.as_dict(), "verdict": result.verdict, "undefined": dict(result.undefined), **person}
    rows = [{"name": name, "value": value} for name, value in values.items()]
    markdown = markdown_text(["Quantity", "Value"], [[name, number_text(values[name])] for name in values])
    emit(output, payload, rows, markdown, lambda console: _draw(console, result, person))


def _one_person(result: Any, prior: float) -> dict[str, float]:
    """The probability that one person is positive after each result, from that person's own prior."""
    from unconfuse.api import bayes as solve

    own = solve(prevalence=prior, sensitivity=result.sensitivity, specificity=result.specificity)
    return {"prior": prior, "after_positive": own.precision, "after_negative": own.false_omission_rate}


def _draw(console: Console, result: Any, person: dict[str, float]) -> None:
    colour = {"useful": "green", "misleading": "red", "useless": "red"}.get(result.verdict, "yellow")
    say(console, _sentence(result), f"bold {colour}")
    if person:
        prior, positive, negative = map(number_text, person.values())
        after = f"{positive} after a positive and {negative} after a negative result"
        say(console, f"A person whose probability was {prior} before the result has {after}.")
    say(console)
    lines = [
        (name.replace("_", " "), number_text(value), result.undefined.get(name) or QUANTITIES.get(name, ""))
        for name, value in result.as_dict().items()
    ]
    console.print(as_table(lines, [{"no_wrap": True}, {"justify": "right", "no_wrap": True}, {"style": "dim"}], gap=3))


def _sentence(result: Any) -> str:
    names = ("joint_true_positive", "joint_false_positive", "joint_false_negative")
    tp, fp, fn = (round(1000 * getattr(result, name)) for name in names)
    verdicts = {
        "useful": "A useful test",
        "useless": "A useless test: its result says nothing",
        "misleading": "A misleading test: it would be better with its labels swapped",
    }
    return (
        f"{verdicts.get(result.verdict, 'Not enough to say whether the test is useful')}. Of 1,000 people, "
        f"{tp + fn} have the condition; {tp + fp} are called positive, {fp} of them wrongly; "
        f"{fn} of the {1000 - tp - fp} called negative have it after all."
    )
