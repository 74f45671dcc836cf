"""Which of several models is better, in words: on what, on what not, and on what the data are inconclusive."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from unconfuse._formatting import number_text, short_label
from unconfuse._phrases import times, told_apart
from unconfuse.policy import BY_COSTS, IMBALANCED, Verdict, in_order, leading, overall

if TYPE_CHECKING:
    from unconfuse.results.contrast import Contrast

_CONCLUSIVE = (Verdict.BETTER, Verdict.WORSE, Verdict.MIXED, Verdict.DIFFERENT)
_BY_CONSTRUCTION = ("sensitivity", "specificity")  # of which one is 1 for a model that always predicts a class
_MOST = 4  # names in one sentence
_SHOWN = 2  # metrics of one side that are given with their numbers


def best_first(pairs: Sequence[Contrast], models: Sequence[str]) -> tuple[str, ...]:
    """Return the models by their value in one metric, best first; as given where neither direction is better."""
    sign = {"higher": -1.0, "lower": 1.0}.get(pairs[0].difference.better, 0.0) if pairs else 0.0
    values = {name: math.inf if math.isnan(value) else sign * value for name, value in _values(pairs).items()}
    return tuple(sorted(models, key=lambda name: values.get(name, math.inf))) if sign else tuple(models)


def pair_sentence(pair: Contrast) -> str:
    """Return the verdict on one pair in one metric in words."""
    label, names = short_label(pair.label), f"{pair.first} and {pair.second}"
    if pair.verdict == Verdict.UNDEFINED:
        return f"{names} cannot be compared on {label}: {pair.difference.undefined}."
    if pair.difference.low == 0 == pair.difference.high:
        return f"On {label}, {names} have the same value on these cases, {number_text(pair.first_value)}."
    numbers = _numbers(pair)
    if pair.verdict == Verdict.CANNOT_TELL:
        return f"On {label}, the difference between {names} is inconclusive: {numbers}{_cases(pair)}."
    if pair.verdict == Verdict.EQUIVALENT:
        return f"On {label}, {names} are equivalent within the margin: {numbers}."
    words = f"{pair.first} is {pair.verdict} than {pair.second} on {label}"
    if pair.verdict == Verdict.DIFFERENT:
        words = f"{names} differ in {label}"
    return f"{words}: {numbers}" + (", though by less than the margin." if pair.within_margin else ".")


def _numbers(pair: Contrast) -> str:
    one, other = told_apart(pair.first_value, pair.second_value)
    if max(abs(pair.first_value), abs(pair.second_value)) >= 10 or not _is_fixed(pair):
        one, other = number_text(pair.first_value), number_text(pair.second_value)
    evidence = f" {pair.difference.interval_text}, {pair.p_value_text}"
    if math.isnan(pair.difference.low):  # a p-value alone would claim more than the data show
        evidence = ", no interval"
    return f"{one} vs {other}, difference {pair.difference.value_text}{evidence}"


def _is_fixed(pair: Contrast) -> bool:
    """Whether both values are shown with fixed digits: neither very small nor undefined."""
    return all(value == 0 or abs(value) >= 0.005 for value in (pair.first_value, pair.second_value))


def _cases(pair: Contrast) -> str:
    if math.isnan(pair.cases_needed):
        return ""
    return f"; about {times(pair.cases_needed)} cases would settle a difference of this size"


@dataclass(frozen=True)
class Contest:
    """Two models over all metrics that decide between them.

    Attributes
    ----------
    pairs : tuple of Contrast
        One for each deciding metric, in the order of `policy.HEADLINES`.
    baseline : str
        What the second model always predicts, if it is such a baseline.
    accuracy : Contrast or None
        Accuracy, where it was asked for and one class is so large that it says little.
    largest_share : float
        Accuracy of always predicting the larger class.
    """

    pairs: tuple[Contrast, ...]
    baseline: str = ""
    accuracy: Contrast | None = None
    largest_share: float = math.nan

    @property
    def models(self) -> tuple[str, str]:
        """Return the names of both."""
        return self.pairs[0].first, self.pairs[0].second

    @cached_property
    def verdict(self) -> Verdict:
        """Return better only if better on something and worse on nothing, beyond what so many metrics show by luck."""
        verdict = overall(pair.verdict for pair in self.pairs)
        return verdict if verdict not in _CONCLUSIVE or self.holds else Verdict.CANNOT_TELL

    @property
    def holds(self) -> bool:
        """Return whether the clearest difference is beyond chance among all metrics that decide (Holm's first step)."""
        contrasts = [pair for pair in self.pairs if pair.verdict in _CONCLUSIVE]
        return any(
            not contrast.p_value * len(self.pairs) > 1 - contrast.difference.confidence_level for contrast in contrasts
        )

    def renamed(self, name: Callable[[str], str]) -> Contest:
        """Return the same with other names of both models."""
        pairs = (replace(pair, first=name(pair.first), second=name(pair.second)) for pair in self.pairs)
        contrast = self.accuracy and replace(
            self.accuracy, first=name(self.accuracy.first), second=name(self.accuracy.second)
        )
        return replace(self, pairs=tuple(pairs), accuracy=contrast)

    def on(self, verdict: Verdict) -> list[Contrast]:
        """Return the metrics with this verdict."""
        return [pair for pair in self.pairs if pair.verdict == verdict]

    @property
    def sentence(self) -> str:
        """Return the verdict in words: on what the first is better, on what worse, on what it is inconclusive."""
        return f"{self._verdict_sentence()}{self._about_accuracy()}"

    def _about_accuracy(self) -> str:
        """Say what accuracy says otherwise under imbalance, and that always predicting one class reaches it."""
        contrast = self.accuracy
        if contrast is None or contrast.verdict is not self.verdict.opposite or self.verdict is self.verdict.opposite:
            if self.pairs[0].metric != "accuracy" or len(self.pairs) > 1 or self.largest_share < IMBALANCED:
                return ""
            return f" Always predicting the larger class has an accuracy of {number_text(self.largest_share)}."
        which = "lower" if contrast.verdict is Verdict.WORSE else "higher"
        one, other = told_apart(contrast.first_value, contrast.second_value)
        always = f", but always predicting the larger class reaches {number_text(self.largest_share)}"
        return f" The accuracy of {contrast.first} is {which} ({one} vs {other}){'' if self.baseline else always}."

    def _verdict_sentence(self) -> str:
        if len(self.pairs) == 1 and not self.baseline:
            return pair_sentence(self.pairs[0])
        first, second = self.pairs[0].first, self.pairs[0].second
        better, worse = self.on(Verdict.BETTER), self.on(Verdict.WORSE)
        versus = f"always predicting {self.baseline}" if self.baseline else second
        beats = "beats" if self.baseline else "is better than"
        loses = "does worse than" if self.baseline else "is worse than"
        if self.verdict is Verdict.MIXED:
            depends = "Which is preferable depends on what the two errors cost"
            return (
                f"{first} and {versus} are better on different metrics: {first} on {_listed_pairs(better)}; "
                f"{versus} on {_listed_pairs(worse)}{self._rest()}. {depends}."
            )
        if self.verdict is Verdict.BETTER:
            return f"{first} {beats} {versus} on {_listed_pairs(better)}{self._rest()}."
        if self.verdict is Verdict.WORSE:
            return f"{first} {loses} {versus} on {_listed_pairs(worse)}{self._rest()}."
        return self._open(f"{first} and {versus}")

    def _open(self, names: str) -> str:
        differ = [pair for pair in self.pairs if pair.verdict in _CONCLUSIVE]
        if differ and not self.holds:
            alone = "alone does" if len(differ) == 1 else "alone do"
            return (
                f"Inconclusive whether {names} differ: of {len(self.pairs)} metrics, {_listed_pairs(differ)} {alone}, "
                "which so many comparisons can give by chance."
            )
        if differ:
            return f"{names} differ in {_listed_pairs(differ)}{self._rest()}."
        same = self.same_values
        if len(same) == len(self.pairs):
            return f"{names} have the same values on these cases, on {_labels(same)}."
        if self.on(Verdict.EQUIVALENT) and not self.on(Verdict.CANNOT_TELL):
            return f"{names} are equivalent within the margin on {_listed_pairs(self.on(Verdict.EQUIVALENT))}."
        inconclusive = [contrast for contrast in self.on(Verdict.CANNOT_TELL) if contrast not in same]
        if not inconclusive:
            return f"{names} cannot be compared: {self.pairs[0].difference.undefined}."
        lead = min(inconclusive, key=lambda each: (math.isnan(each.p_value), each.p_value))
        shown = f"{short_label(lead.label)} {_numbers(lead)}"
        more = "" if len(inconclusive) == 1 else f"; the smallest p is for {shown}"
        only = f": {shown}" if len(inconclusive) == 1 else ""
        return f"Inconclusive whether {names} differ on {_labels(inconclusive)}{only}{more}{_cases(lead)}."

    def _rest(self) -> str:
        """Describe what else was compared: the same, inconclusive, equivalent."""
        same = self.same_values
        said = []
        for words, contrasts in (
            ("different in", self.on(Verdict.DIFFERENT)),
            ("equivalent within the margin on", self.on(Verdict.EQUIVALENT)),
            ("the same on", same),
            ("inconclusive on", [contrast for contrast in self.on(Verdict.CANNOT_TELL) if contrast not in same]),
        ):
            if contrasts and contrasts[0].verdict is not self.verdict:
                said.append(f"; {words} {_labels(contrasts)}")
        return "".join(said)

    @property
    def same_values(self) -> list[Contrast]:
        """Return the metrics on which nothing differs, in the data or in any resample."""
        return [
            contrast
            for contrast in self.on(Verdict.CANNOT_TELL)
            if contrast.difference.low == 0 == contrast.difference.high
        ]


def contests(
    differences: Iterable[Contrast], largest_share: float, baselines: Mapping[str, str]
) -> tuple[Contest, ...]:
    """Return every pair of models over the metrics that decide; a baseline is always the second.

    `largest_share` is that of the larger class: under imbalance accuracy does not decide. `baselines` says what models
    that look at nothing always predict.
    """
    by_pair: dict[tuple[str, str], dict[str, Contrast]] = {}
    for difference in differences:
        by_pair.setdefault((difference.first, difference.second), {})[difference.metric] = difference
    return tuple(_contest(found, largest_share, baselines) for found in by_pair.values())


def _contest(found: Mapping[str, Contrast], largest_share: float, baselines: Mapping[str, str]) -> Contest:
    known = [name for name in in_order(found) if found[name].verdict != Verdict.UNDEFINED] or in_order(found)
    pair = next(iter(found.values()))
    if {pair.first, pair.second} & set(baselines):
        known = [name for name in known if name not in _BY_CONSTRUCTION] or known
    deciding = tuple(found[name] for name in leading(known, largest_share))
    if deciding[0].first in baselines and deciding[0].second not in baselines:
        deciding = tuple(contrast.reversed() for contrast in deciding)
    own = deciding[0].first not in baselines
    aside = None if any(contrast.metric == "accuracy" for contrast in deciding) else found.get("accuracy")
    if aside is not None and aside.first != deciding[0].first:
        aside = aside.reversed()
    by_costs = deciding[0].metric.split("(")[0] in BY_COSTS
    baseline = baselines.get(deciding[0].second, "") if own else ""
    return Contest(deciding, baseline, None if by_costs else aside, largest_share)


def winner(found: Sequence[Contest], models: Sequence[str]) -> str:
    """Return which model is better than every other; else those that none beats."""
    if len(found) < 2:
        return found[0].sentence if found else ""
    beaten = {contest.pairs[0].second for contest in found if contest.verdict is Verdict.BETTER}
    beaten |= {contest.pairs[0].first for contest in found if contest.verdict is Verdict.WORSE}
    labels = _labels(found[0].pairs)
    for name in models:
        own = [contest for contest in found if name in (contest.pairs[0].first, contest.pairs[0].second)]
        if len(own) == len(models) - 1 and all(_ahead(contest, name) for contest in own):
            on = f"on at least one of {labels}, and worse on none" if len(found[0].pairs) > 1 else f"on {labels}"
            return f"{name} is better than every other model {on}{_best(found, name)}."
    left = [name for name in models if name not in beaten]
    behind = [name for name in models if name in beaten]
    head = f"No model is better than every other on {labels}{_undecided(found, left)}"
    if len(left) == 1:
        head = f"{left[0]} is not worse than any other model, but not better than every one of them on {labels}"
    each_of = "is" if len(behind) == 1 else "are each"
    return f"{head}{f'; {_listed(behind)} {each_of} worse than at least one other model' if behind else ''}."


def _undecided(found: Sequence[Contest], left: Sequence[str]) -> str:
    """Say why none of the models that no other beats is the best."""
    among = [contest for contest in found if set(contest.models) <= set(left)]
    if not among:
        return ""
    plural = len(left) > 2
    open_words = (
        f"the difference{'s' if plural else ''} between {_listed(left)} {'are' if plural else 'is'} inconclusive"
    )
    if all(len(contest.same_values) == len(contest.pairs) for contest in among):
        return f": {_listed(left)} have the same values on these cases"
    if all(contest.verdict is Verdict.MIXED for contest in among):
        return f": {_listed(left)} are better on different metrics"
    if any(contest.verdict is Verdict.MIXED for contest in among):
        return f": {_listed(left)} are better on different metrics, or their differences are inconclusive"
    return f": {open_words}"


def _ahead(contest: Contest, name: str) -> bool:
    verdict = Verdict.BETTER if contest.pairs[0].first == name else Verdict.WORSE
    return contest.verdict is verdict


def _best(found: Sequence[Contest], name: str) -> str:
    """Write the values of all models in the first metric."""
    pairs = [contest.pairs[0] for contest in found]
    values = _values(pairs)
    others = [f"{other} {number_text(value)}" for other, value in values.items() if other != name]
    return f" ({short_label(pairs[0].label)}: {name} {number_text(values[name])} vs {_listed(others)})"


def _values(pairs: Sequence[Contrast]) -> dict[str, float]:
    return {name: value for pair in pairs for name, value in _both(pair)}


def _both(pair: Contrast) -> list[tuple[str, float]]:
    return [(pair.first, pair.first_value), (pair.second, pair.second_value)]


def _listed(names: Sequence[str]) -> str:
    if not names:
        return ""
    shown = list(names[:_MOST]) + ([f"{len(names) - _MOST} more"] if len(names) > _MOST else [])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _labels(pairs: Sequence[Contrast]) -> str:
    return _listed([short_label(pair.label) for pair in pairs])


def _listed_pairs(pairs: Sequence[Contrast]) -> str:
    """Metrics with their numbers, the first few."""
    shown = [f"{short_label(pair.label)} ({_numbers(pair)})" for pair in pairs[:_SHOWN]]
    others = [short_label(pair.label) for pair in pairs[_SHOWN:]]
    return _listed([*shown, *others]) if not others else f"{', '.join(shown)}, and {_listed(others)}"
