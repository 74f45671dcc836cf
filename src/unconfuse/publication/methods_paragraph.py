"""The methods paragraph of a paper: what was computed, how, and whom to cite for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import singledispatch
from typing import Any

from unconfuse._validate import check_list
from unconfuse.publication._shared_text import (
    cases_words,
    chosen,
    cut_words,
    design_words,
    is_resampled,
    level_text,
    listed,
    method_words,
    metric_words,
    resamples_words,
    skipped_words,
    software,
)
from unconfuse.publication.result_tables import compared_cases_words, comparison_words
from unconfuse.results.comparison import Comparison
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.multi_output import MultiOutputEvaluation
from unconfuse.results.subgroups import Subgroups

# Words within a method's name, and whom that is from: all that occur are cited.
_SOURCES = {
    "mid-p": "Lancaster HO. Significance tests in discrete distributions. J Am Stat Assoc 1961;56:223-234.",
    "posterior": "Hannig J. On generalized fiducial inference. Statistica Sinica 2009;19:491-544.",
    "Clopper-Pearson": "Clopper CJ, Pearson ES. The use of confidence or fiducial limits illustrated in the case of "
    "the binomial. Biometrika 1934;26:404-413.",
    "Wilson": "Wilson EB. Probable inference, the law of succession, and statistical inference. J Am Stat Assoc "
    "1927;22:209-212.",
    "Jeffreys": "Brown LD, Cai TT, DasGupta A. Interval estimation for a binomial proportion. Stat Sci "
    "2001;16:101-133.",
    "DeLong": "DeLong ER, DeLong DM, Clarke-Pearson DL. Comparing the areas under two or more correlated receiver "
    "operating characteristic curves: a nonparametric approach. Biometrics 1988;44:837-845.",
    "influence": "Hampel FR. The influence curve and its role in robust estimation. J Am Stat Assoc 1974;69:383-393.",
    "bootstrap": "Efron B, Tibshirani RJ. An Introduction to the Bootstrap. Chapman and Hall, 1993.",
    "jackknife": "Efron B, Tibshirani RJ. An Introduction to the Bootstrap. Chapman and Hall, 1993.",
    "sandwich": "Binder DA. On the variances of asymptotically normal estimators from complex surveys. Int Stat Rev "
    "1983;51:279-292.",
    "MOVER": "Zou GY, Donner A. Construction of confidence limits about effect measures: a general approach. Stat Med "
    "2008;27:1693-1702.",
    "Agresti-Caffo": "Agresti A, Caffo B. Simple and effective confidence intervals for proportions and differences of "
    "proportions. Am Stat 2000;54:280-288.",
    "McNemar": "Fagerland MW, Lydersen S, Laake P. The McNemar test for binary matched-pairs data: mid-p and "
    "asymptotic are better than exact conditional. BMC Med Res Methodol 2013;13:91.",
    "Bonett-Price": "Bonett DG, Price RM. Adjusted Wald confidence interval for a difference of binomial proportions "
    "based on paired data. J Educ Behav Stat 2012;37:479-488.",
    "weighted generalised score": "Kosinski AS. A weighted generalized score statistic for comparison of predictive "
    "values of diagnostic tests. Stat Med 2013;32:964-977.",
    "Youden": "Youden WJ. Index for rating diagnostic tests. Cancer 1950;3:32-35.",
    "max-t": "Westfall PH, Young SS. Resampling-Based Multiple Testing. Wiley, 1993.",
    "holm": "Holm S. A simple sequentially rejective multiple test procedure. Scand J Stat 1979;6:65-70.",
}


class _Cited:
    """References in the order in which they are first cited."""

    def __init__(self) -> None:
        self._sources = list[str]()

    def __call__(self, words: str) -> str:
        """Return the words with the numbers of what they name."""
        found = [source for name, source in _SOURCES.items() if name.lower() in words.lower()]
        self._sources += [each for each in dict.fromkeys(found) if each not in self._sources]
        numbers = sorted({self._sources.index(each) + 1 for each in found})
        return f"{words} [{', '.join(map(str, numbers))}]" if numbers else words

    def with_references(self, sentences: Iterable[str]) -> str:
        """Return the paragraph, and the references below it."""
        text = " ".join(sentence for sentence in sentences if sentence)
        sources = "\n".join(f"{place}. {source}" for place, source in enumerate(self._sources, start=1))
        return f"{text}\n\nReferences\n{sources}" if sources else text


@singledispatch
def methods_text(result: Any, metrics: Iterable[Any] | None = None) -> str:
    """Return the methods paragraph of a result, with the references that it cites."""
    raise TypeError(f"there is no methods paragraph of a {type(result).__name__}")


@methods_text.register(Evaluation)
@methods_text.register(MultiOutputEvaluation)
def _of_evaluation(result: Any, metrics: Iterable[Any] | None = None) -> str:
    cited = _Cited()
    return cited.with_references(_evaluated(result, metrics, cited))


def without_references(result: Evaluation) -> str:
    """Return the paragraph of an evaluation alone, for where references have their own place."""
    return " ".join(each for each in _evaluated(result, None, lambda words: words) if each)


def _evaluated(result: Any, metrics: Iterable[Any] | None, cited: Callable[[str], str]) -> list[str]:
    shown = chosen(result, metrics)
    ways: dict[str, list[str]] = {}
    for estimate in shown:
        if not estimate.undefined:
            ways.setdefault(method_words(estimate) or "no interval", []).append(metric_words(estimate.label))
    level = level_text(result.confidence_level)
    by_method = "; ".join(f"{cited(method)} for {listed(labels)}" for method, labels in ways.items())
    left_out = [f"{metric_words(each.label)} ({each.undefined})" for each in shown if each.undefined]
    cut = cut_words(result, shown)
    drawn = is_resampled(ways)
    return [
        f"The classifier was evaluated on {cases_words(result)}, with {design_words(result.sample)}.",
        skipped_words(result),
        cited(cut.removesuffix(".")) + "." if "Youden" in cut else cut,
        f"{level} intervals were computed by method: {by_method}." if by_method else "",
        f"Not estimable: {'; '.join(left_out)}." if left_out else "",
        resamples_words(result.settings) if drawn else "",
        f"Analyses were done with {software()}.",
    ]


@methods_text.register
def _of_subgroups(result: Subgroups, metrics: Iterable[Any] | None = None) -> str:
    cited = _Cited()
    said = _evaluated(result.overall, result.headlines() if metrics is None else metrics, cited)
    names = [each for each in result if each != result.reference]
    contrasts = [difference for name in result.headlines() for difference in result.differences(name)] if names else []
    methods = listed(
        [
            cited(each)
            for each in dict.fromkeys(contrast.difference.method.split(", adjusted")[0] for contrast in contrasts)
        ]
    )
    by = " and ".join(result.by)
    adjusted = f"adjusted for all of them in each metric ({cited('Holm')})"
    compared = f"Each was compared with {result.reference} ({methods}), {adjusted}."
    return cited.with_references(
        [*said[:-1], f"The same was done in {len(result)} subgroups by {by}.", compared if contrasts else "", said[-1]]
    )


@methods_text.register
def _of_comparison(result: Comparison, metrics: Iterable[Any] | None = None) -> str:
    cited = _Cited()
    wanted = None if metrics is None else [result._metric(each) for each in check_list(metrics, "metrics")]
    pairs = list(dict.fromkeys((first, second) for _, first, second in result))
    ways: dict[str, list[str]] = {}
    for contrast in result.values():
        if contrast.difference.undefined or not (wanted is None or contrast.metric in wanted):
            continue
        method = contrast.difference.method.split(", adjusted for")[0]
        test = f", test: {contrast.test}" if contrast.test and contrast.test not in method else ""
        ways.setdefault(f"{method}{test}", []).append(metric_words(contrast.label))
    by_method = "; ".join(f"{cited(way)} for {listed(list(dict.fromkeys(labels)))}" for way, labels in ways.items())
    level = level_text(result.design.confidence_level)
    several, names = len(pairs) > 1, ", ".join(result.models)
    return cited.with_references(
        [
            f"{len(result.models)} models ({names}) were compared on {compared_cases_words(result)}.",
            comparison_words(result, pairs).removesuffix(f" Computed with {software()}."),
            f"{level} intervals of differences were computed by method: {by_method}." if by_method else "",
            f"The adjustment is by {cited(result.adjust)}." if several else "",
            f"Analyses were done with {software()}.",
        ]
    )
