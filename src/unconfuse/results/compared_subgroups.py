"""Two models in every subgroup: where one is better, where worse, and whether the difference differs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError, UnknownNameError, did_you_mean, text_of
from unconfuse._formatting import TabularResult, number_text, p_text, short_label, short_repr, strict_json, with_numbers
from unconfuse._phrases import called, listed
from unconfuse.metrics import Metric
from unconfuse.policy import Verdict
from unconfuse.results.contrast import Contrast
from unconfuse.table import InMemorySample, Sample
from unconfuse.uncertainty.simultaneous import Pair
from unconfuse.uncertainty.subgroup_contrasts import DividedContrasts, divided, in_all_subgroups, welch

if TYPE_CHECKING:
    from unconfuse.results.comparison import Comparison

_SHOWN = 8  # subgroups that a sentence lists
_WELCH = "Welch's F"
_SPANNING = "clusters have cases in several subgroups, so their differences are not independent"


@dataclass(frozen=True, repr=False)
class SubgroupContrasts(TabularResult, Mapping[str, Contrast]):
    """Two models' difference in one metric, in each subgroup.

    Attributes
    ----------
    overall : Contrast
        Of all cases.
    contrasts : mapping of subgroup to Contrast
        Intervals are single-step: all subgroups (and pairs of models) of the metric hold at once.
    interaction_p : float
        Of equal differences in all subgroups (Welch's F); NaN where it cannot be tested.
    interaction_test : str
        The name of the test, or why there is none.
    """

    overall: Contrast
    contrasts: Mapping[str, Contrast]
    by: tuple[str, ...]
    interaction_p: float
    interaction_test: str

    def __getitem__(self, name: Any) -> Contrast:
        wanted = ", ".join(map(text_of, name)) if isinstance(name, tuple) else text_of(name)
        if wanted not in self.contrasts:
            raise UnknownNameError(
                f"no subgroup {short_repr(name)} in this result. {did_you_mean(wanted, self.contrasts)}"
            )
        return self.contrasts[wanted]

    def __iter__(self) -> Iterator[str]:
        return iter(self.contrasts)

    def __len__(self) -> int:
        return len(self.contrasts)

    def reversed(self) -> SubgroupContrasts:
        """Return the second model against the first."""
        turned = {name: contrast.reversed() for name, contrast in self.contrasts.items()}
        return replace(self, overall=self.overall.reversed(), contrasts=turned)

    @property
    def sentence(self) -> str:
        """Where the first model is better or worse than the second, as far as the simultaneous intervals show it."""
        whole = self.overall
        head = f"By {short_label(whole.label)}, {whole.first} is {_word(whole)} {whole.second} overall"
        words = [f"{head} ({_numbers(whole)})"]
        for verdict in (Verdict.BETTER, Verdict.WORSE, Verdict.DIFFERENT, Verdict.CANNOT_TELL):
            named = [
                f"{self._called(name)}{_brackets(contrast)}"
                for name, contrast in self.items()
                if _shown(contrast) == verdict
            ]
            more = [f"{len(named) - _SHOWN} more"] if len(named) > _SHOWN else []
            word = "inconclusive" if verdict is Verdict.CANNOT_TELL else verdict
            words += [f"{word} for {listed(named[:_SHOWN] + more)}"] if named else []
        return f"{'; '.join(words)}. {self._interaction()}"

    def _called(self, name: str) -> str:
        return called(name, " and ".join(self.by))

    def _interaction(self) -> str:
        if math.isnan(self.interaction_p):
            return f"Whether the difference varies between subgroups was not tested: {self.interaction_test}."
        evidence = f"({self.interaction_test}, {p_text(self.interaction_p)})"
        if self.interaction_p <= 1 - self.overall.confidence_level:
            return f"The difference varies between subgroups {evidence}."
        return f"Whether the difference varies between subgroups is inconclusive {evidence}."

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each subgroup."""
        return [with_numbers(contrast) for contrast in self.contrasts.values()]

    @strict_json
    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        tested = {"interaction_p": self.interaction_p, "interaction_test": self.interaction_test}
        names = {"metric": self.overall.metric, "first": self.overall.first, "second": self.overall.second}
        return {**names, "by": list(self.by), "subgroups": self.rows(), **tested, "sentence": self.sentence}

    def __repr__(self) -> str:
        return self.sentence


@dataclass(frozen=True, repr=False)
class ComparedSubgroups(TabularResult, Mapping[tuple[str, str, str], SubgroupContrasts]):
    """Differences in subgroups, by (metric, first model, second model) in either order."""

    found: Mapping[tuple[str, str, str], SubgroupContrasts]
    by: tuple[str, ...]

    def __getitem__(self, key: tuple[str, str, str]) -> SubgroupContrasts:
        if not isinstance(key, tuple) or len(key) != 3:
            raise ArgumentError(f"ask for (metric, first model, second model); got {short_repr(key)}.")
        metric, first, second = key
        if (metric, first, second) in self.found:
            return self.found[metric, first, second]
        if (metric, second, first) in self.found:
            return self.found[metric, second, first].reversed()
        known = [each[0] for each in self.found]
        raise UnknownNameError(
            f"no {short_repr(key)} in this comparison of subgroups. {did_you_mean(str(metric), known)}"
        )

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the subgroups."""
        return tuple(next(iter(self.found.values()), ()))

    def rows(self) -> list[dict[str, Any]]:
        """Return one row of plain values for each metric, pair of models and subgroup."""
        return [row for subgroup_contrasts in self.found.values() for row in subgroup_contrasts.rows()]

    def as_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "by": list(self.by),
            "contrasts": [subgroup_contrasts.as_dict() for subgroup_contrasts in self.found.values()],
        }

    def __repr__(self) -> str:
        return f"Comparison by {' and '.join(self.by)}: {len(self.names)} subgroups"


def compared_in_subgroups(whole: Comparison, metrics: Sequence[Metric], pairs: Sequence[Pair]) -> ComparedSubgroups:
    """Return every difference of a comparison in every subgroup of its sample."""
    sample, design = check_divided(whole.sample), whole.design
    parts = divided(metrics, sample, pairs, design.without_progress())
    found = {}
    for metric in metrics:
        for pair in pairs:
            held = contrasts_in(metric, pair, parts, design.confidence_level, among=len(pairs))
            test, p = _WELCH, welch(list(parts.found[metric.name, pair].values()))[2]
            if not parts.independent:
                test, p = _SPANNING, math.nan
            elif math.isnan(p):
                test = "fewer than two subgroups have an interval"
            found[metric.name, *pair] = SubgroupContrasts(whole[metric.name, *pair], held, sample.by, p, test)
    return ComparedSubgroups(found, sample.by)


def check_divided(sample: Sample | Any) -> InMemorySample:
    """Return the sample if its subgroups can be compared, or refuse it."""
    rows: InMemorySample | None = sample.in_memory
    if rows is None:
        raise ArgumentError(
            "models are compared in subgroups row by row, but only tables of the rows are here. Hint: give the rows."
        )
    if rows.has_folds:
        raise ArgumentError(
            "`by` cannot be combined with folds: the t-test of folds has no subgroups. Hint: leave out one of them."
        )
    return rows


def contrasts_in(
    metric: Metric, pair: Pair, parts: DividedContrasts, level: float, *, among: int = 1, alone: bool = False
) -> dict[str, Contrast]:
    """Return the contrasts of one pair in all subgroups, which hold at once; or each as if it were `alone`.

    `among` is how many pairs there are.
    """
    moments = parts.found[metric.name, pair]
    method = "t, paired" if parts.independent else "t, paired, Bonferroni"
    families = [{name: moment} for name, moment in moments.items()] if alone else [moments]
    found = {}
    for family in families:
        held = in_all_subgroups(family, 1 - level, method, among=among, independent=parts.independent)
        known = sum(subgroup_moments.known for subgroup_moments in family.values())
        words = f"{known} subgroups" + (f" and {among} pairs" if among > 1 else "")
        for name, simultaneous_result in held.items():
            values = parts.values[metric.name, name]
            both, said = (values[pair[0]], values[pair[1]]), words if known * among > 1 else ""
            found[name] = Contrast.held(metric, pair, both, simultaneous_result, level, among=said, subgroup=name)
    return found


def _shown(each: Contrast) -> Verdict:
    """Return what the simultaneous interval shows; the step-down test alone does not suffice here."""
    unknown = each.verdict is Verdict.UNDEFINED or each.step_down_only
    return Verdict.CANNOT_TELL if unknown else each.verdict


def _word(whole: Contrast) -> str:
    words = {Verdict.BETTER: "better than", Verdict.WORSE: "worse than", Verdict.DIFFERENT: "different from"}
    return words.get(whole.verdict, "not distinguished from")


def _numbers(each: Contrast) -> str:
    return f"difference {number_text(each.value)} {each.interval_text}".strip()


def _brackets(each: Contrast) -> str:
    if math.isnan(each.value):
        return f" ({each.undefined})"
    interval = each.interval_text or ", too few cases for an interval"
    return f" ({number_text(each.value)}{'' if interval.startswith(',') else ' '}{interval})"
