"""Choose among the candidates of a search: the simplest of those that the folds cannot tell from the best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import stdtrit

from unconfuse._errors import ArgumentError, InputError, did_you_mean
from unconfuse._formatting import short_repr
from unconfuse._validate import as_floats, check_list, check_probability, check_text, check_whole

Numbers = npt.NDArray[np.float64]


class SelectByResolution:
    """For `refit=` of a search: among candidates that are not worse than the best beyond noise, the simplest.

    The candidate with the highest mean score is often complex by luck. The one-standard-error rule takes a simpler one
    if it is within a standard error of the best, but counts the same test cases twice over: both candidates were judged
    on the same folds, and training sets overlap. This asks instead what the folds can tell: the difference of two
    candidates fold by fold, with the variance of the corrected resampled t-test (Nadeau and Bengio 2003). A candidate
    counts as worse where the difference is beyond that resolution.

    Parameters
    ----------
    complexity : str or callable
        The parameter of which smaller is simpler, with a minus sign where larger is simpler ("-alpha"); or a function
        of a candidate's parameters that returns a number, or a tuple of numbers compared from the left.
    metric : str, optional
        Which of the search's metrics, where it has several (the name in its `scoring`).
    folds : int, optional
        How many folds one repeat has, where cross-validation is repeated; all splits are folds of one by default.
    confidence_level : float
        Of each comparison with the best.

    Attributes
    ----------
    candidates_ : list of dict
        Of the last choice, in the order of the search: params, score, behind (by how much less than the best),
        resolution (the smallest difference that these folds can tell), told_apart, chosen.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from unconfuse.sklearn import SelectByResolution, scorer
    >>> X, y = make_classification(300, n_informative=2, n_redundant=0, random_state=1)
    >>> tree, depths = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, 5, 8]}
    >>> search = GridSearchCV(tree, depths, scoring=scorer("auroc"), cv=5, refit=SelectByResolution("max_depth"))
    >>> search.fit(X, y).best_params_["max_depth"] <= 3
    True
    """

    def __init__(
        self,
        complexity: str | Callable[[Mapping[str, Any]], Any],
        *,
        metric: str | None = None,
        folds: int | None = None,
        confidence_level: float = 0.95,
    ) -> None:
        self.complexity = complexity if callable(complexity) else check_text(complexity, "complexity")
        self.metric = None if metric is None else check_text(metric, "metric")
        self.folds = None if folds is None else check_whole(folds, "folds", at_least=2)
        self.confidence_level = check_probability(confidence_level, "confidence_level", open_interval=True)
        self.candidates_: list[dict[str, Any]] = []

    def __call__(self, cv_results: Mapping[str, Any]) -> int:
        """Return the index of the chosen candidate: what a search asks of its `refit`."""
        scores, candidates = _fold_scores(cv_results, self.metric), _candidates(cv_results)
        if len(scores) != len(candidates):
            raise InputError(f"the search has {len(candidates)} candidates, and scores of {len(scores)}.")
        simple = _ranks([self._simplicity(params) for params in candidates])
        means = scores.mean(axis=1)
        best = min(np.flatnonzero(means == np.nanmax(means)), key=lambda place: simple[place])

        behind, resolution = _behind(scores, int(best), self.folds, self.confidence_level)
        equal = ~(behind > resolution) & np.isfinite(means)
        chosen = min(np.flatnonzero(equal), key=lambda place: (simple[place], -means[place]))

        rows = zip(candidates, means, behind, resolution, equal, strict=True)
        self.candidates_ = [
            {"params": dict(params), "score": float(mean), "behind": float(gap), "resolution": float(reach)}
            | {"told_apart": not same, "chosen": place == chosen}
            for place, (params, mean, gap, reach, same) in enumerate(rows)
        ]
        return int(chosen)

    def _simplicity(self, params: Mapping[str, Any]) -> Any:
        """Smaller is simpler."""
        if callable(self.complexity):
            try:
                return self.complexity(params)
            except Exception as error:  # a class, a method of something else, a parameter that a candidate lacks
                raise ArgumentError(
                    f"`complexity` fails for the candidate {short_repr(dict(params))}: {error}"
                ) from error
        name, sign = self.complexity.removeprefix("-"), -1.0 if self.complexity.startswith("-") else 1.0
        if name not in params:
            raise ArgumentError(f"the search has no parameter {short_repr(name)}. {did_you_mean(name, list(params))}")
        try:
            return sign * (np.inf if params[name] is None else float(params[name]))
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{name}={params[name]!r} is not a number. Hint: pass `complexity` as a function of the parameters."
            ) from None

    def __repr__(self) -> str:
        return f"SelectByResolution({self.complexity!r})"


def _candidates(cv_results: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parameters of each candidate."""
    found = check_list(cv_results.get("params"), "params")
    if not all(isinstance(each, Mapping) for each in found):
        raise ArgumentError(f"`params` of a search must hold a dict for each candidate; got {short_repr(found)}.")
    return found


def _ranks(simple: list[Any]) -> list[int]:
    """Rank the candidates by simplicity, ties sharing a place: a function may give anything that can be compared."""
    ranks = [0] * len(simple)
    try:
        order = sorted(range(len(simple)), key=simple.__getitem__)
        for before, place in pairwise(order):
            ranks[place] = ranks[before] + bool(simple[before] < simple[place])
        return ranks
    except (TypeError, ValueError):
        raise ArgumentError(
            f"`complexity` must give a number for each candidate, or a tuple of numbers; got {short_repr(simple)}."
        ) from None


def _fold_scores(cv_results: Mapping[str, Any], metric: str | None) -> Numbers:
    """Return the test scores, candidates by folds."""
    if not isinstance(cv_results, Mapping):
        raise ArgumentError(f"a search's `cv_results_` is a dict; got {short_repr(cv_results)}.")
    ending = f"_test_{metric or 'score'}"
    tests = [name for name in map(str, cv_results) if name.startswith("split") and "_test_" in name]
    folds = [name for name in tests if name.endswith(ending)]
    if not folds:
        known = sorted({name.split("_test_", 1)[1] for name in tests})
        raise ArgumentError(f"the search has no scores {short_repr(metric)}; it has {known}. Hint: pass `metric=`.")
    if len(folds) < 2:
        raise InputError("one fold cannot show its own noise. Hint: search with two folds or more.")
    each = [as_floats(cv_results[name], name) for name in folds]
    if each[0].ndim != 1 or any(one.shape != each[0].shape for one in each):
        raise InputError("the folds of a search must each hold one score for each candidate.")
    found = np.stack(each, axis=1)
    if not np.isfinite(found).all(axis=1).any():
        raise InputError("no candidate has a score in every fold.")
    return found


def _behind(scores: Numbers, best: int, folds: int | None, level: float) -> tuple[Numbers, Numbers]:
    """By how much each candidate is behind the best, and what these folds can tell: both as means over folds."""
    gaps, splits = scores[best] - scores, scores.shape[1]
    if folds is not None and splits % folds:
        raise ArgumentError(f"{splits} splits are no whole number of repeats of {folds} folds.")
    variance = (1 / splits + 1 / ((folds or splits) - 1)) * gaps.var(axis=1, ddof=1)
    return gaps.mean(axis=1), float(stdtrit(splits - 1, (1 + level) / 2)) * np.sqrt(variance)
