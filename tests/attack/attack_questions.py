"""Every question besides plain evaluation, of small sets of awkward shapes: answers are sound, add up and can be shown.

Sound is an estimate that lies in its range and in its interval, or says why it has none.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from attack_results import labels_and_scores
from hostile import FINE, Outcome, WrongError

import unconfuse as uc
from unconfuse.uncertainty import METHODS

KIND = "questions"
WORDS = "weights, judges, folds, guarantees, mended probabilities, gaps, slices, unpaired models, posteriors, "
WORDS += "other intervals, own metrics, items, studies, data sets, printed rates"
PATIENCE = 120
CLOSE = {"rel_tol": 1e-9, "abs_tol": 1e-12}
NO_INTERVAL = ("no interval", "given", "fixed", "rates taken as known")
AS_PUBLISHED = ("percentile", "basic", "bca")  # bootstraps that were asked for by name may lie beside their value
FREE = (-math.inf, math.inf)


def attack(rng: np.random.Generator) -> Outcome:
    """One question of one small set."""
    ask: Callable[[np.random.Generator], Any] = ASKED[rng.integers(len(ASKED))]
    show(ask(rng))
    return FINE


def rows(rng: np.random.Generator, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """A few cases, mostly of both classes."""
    y, s = labels_and_scores(rng, int(rng.choice([2, 3, 4, 5, 8, 10, 20, 40])) * least // 2)
    if rng.random() < 0.9 and len(y) > 1:
        y[rng.permutation(len(y))[:2]] = 0, 1
    return y, s


def weights(rng: np.random.Generator, n: int) -> np.ndarray:
    """Whole, fractional, of very different sizes, tiny or large."""
    kinds = (rng.integers(0, 4, n), rng.random(n), 10.0 ** rng.integers(-6, 6, n), np.full(n, 1e-9), np.full(n, 1e6))
    return np.asarray(kinds[rng.integers(len(kinds))], dtype=np.float64)


def some(rng: np.random.Generator, words: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """Some of the words that may be said besides."""
    return {name: make() for name, make in words.items() if rng.random() < 0.25}


def units(rng: np.random.Generator, n: int) -> np.ndarray:
    """From one unit for all rows to about one for each."""
    return rng.integers(0, rng.integers(1, max(2, n)), n)


def sound(what: str, each: Any, limits: tuple[float, float] = FREE, *, holds: bool = True) -> None:
    """In its range and, unless a method is known not to hold it, in its interval; or with a reason."""
    if math.isnan(each.value):
        _check(bool(each.undefined), f"{what} is NaN, and no reason is given")
        return
    _check(limits[0] <= each.value <= limits[1], f"{what} is {each.value!r}, outside {limits}")
    if math.isnan(each.low) or math.isnan(each.high):
        told = math.isnan(each.low) and math.isnan(each.high) and each.method.startswith(NO_INTERVAL)
        _check(told, f"{what} has no interval, and no reason is given: {each!r}")
        return
    inside = not holds or each.low <= each.value <= each.high
    _check(inside, f"{what} {each.value!r} is not in [{each.low!r}, {each.high!r}]")
    _check(limits[0] <= each.low and each.high <= limits[1], f"[{each.low!r}, {each.high!r}] of {what} leaves {limits}")


def all_sound(found: Mapping[str, Any], declared: Mapping[str, Any] = uc.METRICS) -> None:
    """Each estimate of an evaluation."""
    for name, each in found.items():
        sound(name, each, declared[name].range if name in declared else FREE)


def pairs_sound(compared: Any) -> None:
    """Each pair of a comparison."""
    for name, pair in compared.items():
        sound(f"difference {name}", pair.difference)
        _check(math.isnan(pair.p_value) or 0 <= pair.p_value <= 1, f"p of {name} is {pair.p_value}")


def show(result: Any) -> None:
    """Printed, as JSON and as a frame, pickled and copied."""
    str(result), repr(result)
    for name in ("_repr_html_", "to_frame"):
        getattr(result, name, lambda: None)()
    if hasattr(result, "as_dict"):
        json.dumps(result.as_dict(), allow_nan=False)
    for finding in getattr(result, "findings", None) or ():
        str(finding)
    pickle.loads(pickle.dumps(result))
    copy.deepcopy(result)


def _check(holds: bool, told: str) -> None:
    if not holds:
        raise WrongError(told)


# --- samples of other kinds ----------------------------------------------------------------------------------------


def _sampled(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    n, cut = len(y), float(rng.choice(s))
    more = {"strata": lambda: units(rng, n), "groups": lambda: units(rng, n), "threshold": lambda: cut}
    w = weights(rng, n)
    found = uc.evaluate(
        y, s, sampling_weights=w, n_resamples=100, by={"g": rng.choice(["a", "b"], n)}, **some(rng, more)
    )
    all_sound(found)
    for each in found.subgroups.values():
        all_sound(each)
    above = np.sign(s[y == 1][:, None] - s[y == 0]) / 2 + 0.5
    area = w[y == 1] @ above @ w[y == 0] / w[y == 1].sum() / w[y == 0].sum()
    _check(math.isclose(found["auroc"].value, area, **CLOSE), f"auroc {found['auroc'].value!r} by pairs {area!r}")
    return found


def _judged(rng: np.random.Generator) -> Any:
    y, s = rows(rng, 4)
    judge = np.where(rng.random(len(y)) < 0.2, 1 - y, y)
    seen = np.where(rng.random(len(y)) < rng.choice([0.2, 0.5, 0.8]), np.nan, y.astype(float))
    if rng.random() < 0.3:
        found = uc.prevalence(seen, judge=judge)
        sound("prevalence", found, (0.0, 1.0))
        return found
    found = uc.evaluate(seen, s, judge=judge, threshold=float(rng.choice(s)), n_resamples=100)
    all_sound(found)
    return found


def _in_folds(rng: np.random.Generator) -> Any:
    y, s = rows(rng, 4)
    folds, cut = units(rng, len(y)), float(rng.choice(s))
    more = some(rng, {"weights": lambda: weights(rng, len(y)), "threshold": lambda: cut})
    if rng.random() < 0.4:
        compared = uc.compare(y, {"a": s, "b": rows(rng)[1][:1].repeat(len(y))}, folds=folds, n_resamples=100, **more)
        pairs_sound(compared)
        return compared
    found = uc.evaluate(y, s, folds=folds, n_resamples=100, **more)
    for each in (found, found.pooled, *found.folds.values()):
        all_sound(each)
    own = [each["auroc"].value for each in found.folds.values()]
    mean, value = float(np.mean(own)), found["auroc"].value
    _check(math.isnan(value) or math.isclose(value, mean, **CLOSE), f"mean of {own} is {value!r}")
    return found


def _of_classes(rng: np.random.Generator) -> Any:
    n, k = int(rng.integers(4, 40)), int(rng.integers(2, 6))
    y, scores = rng.integers(0, k, n), rng.dirichlet(np.full(k, 0.5), n)
    if rng.random() < 0.3:
        scores = np.eye(k)[y if rng.random() < 0.5 else rng.integers(0, k, n)]
    names = ("weights", "sampling_weights")
    more = {str(rng.choice(names)): lambda: weights(rng, n), "groups": lambda: units(rng, n), "ordered": lambda: True}
    found = uc.evaluate(y, scores, classes=list(range(k)), n_resamples=100, **some(rng, more))
    all_sound(found, uc.MULTICLASS_METRICS if k > 2 else uc.METRICS)
    return found


# --- questions after an evaluation ---------------------------------------------------------------------------------


def _gaps(rng: np.random.Generator) -> Any:
    y, s = rows(rng, 4)
    n = len(y)
    more = some(rng, {"weights": lambda: weights(rng, n), "groups": lambda: units(rng, n)})
    by = {"g": rng.choice(["a", "b", "c"], n)}
    groups = uc.evaluate(y, s, by=by, threshold=float(rng.choice(s)), n_resamples=100, **more).subgroups
    name = str(rng.choice(["sensitivity", "specificity", "precision", "auroc", "mcc", "accuracy", "f1"]))
    known = [value for each in groups.values() if not math.isnan(value := each[name].value)]
    gap, ratio = groups.largest_difference(name), groups.smallest_ratio(name)
    for each in (gap, ratio, groups.equalised_odds()):
        sound(each.name, each)
    if len(known) > 1:
        _check(math.isclose(gap.value, max(known) - min(known), **CLOSE), f"gap of {known} is {gap.value!r}")
    return groups


def _other_intervals(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    found = uc.evaluate(y, s, threshold=float(rng.choice(s)), n_resamples=100)
    for name in rng.choice(list(found), 4):
        for method in rng.choice(list(METHODS), 4, replace=False):
            try:
                again = found[name].interval(method=str(method), confidence_level=float(rng.choice([0.5, 0.95, 0.999])))
            except uc.UnconfuseError:  # which does not serve this metric
                continue
            holds = method not in AS_PUBLISHED
            sound(f"{name} by {method}", again, uc.METRICS[name].range, holds=holds)
    return found


def _elsewhere(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    found = uc.evaluate(y, s, threshold=float(rng.choice(s)), n_resamples=100)
    if rng.random() < 0.5:
        prior, seen = float(rng.choice([0, 1e-9, 0.05, 0.5, 1])), "".join(rng.choice(["+", "-"], rng.integers(1, 6)))
        return uc.posterior(found, prior=prior, results=seen)
    moved = uc.shift_prevalence(found, prevalence=float(rng.choice([0, 1e-300, 1e-9, 0.01, 0.5, 1 - 1e-9, 1])))
    all_sound(moved)
    return moved


# --- other verbs ---------------------------------------------------------------------------------------------------


def _promised(rng: np.random.Generator) -> Any:
    y, s = rows(rng, 10)
    name, least = (
        str(rng.choice(["precision", "sensitivity", "specificity", "npv"])),
        float(rng.choice([0.1, 0.5, 0.9])),
    )
    found = uc.guarantee(y, s, name, at_least=least, probability=float(rng.choice([0.5, 0.8, 0.99])))
    if not math.isnan(found.threshold):
        seen = uc.evaluate(y, s, threshold=float(found.threshold), metrics=[name])[name].value
        _check(seen >= least, f"{name} of {least} promised at {found.threshold}, and seen is {seen}")
    return found


def _mended(rng: np.random.Generator) -> Any:
    y, s = rows(rng, int(rng.choice([2, 10, 40])))
    more = {"clip": lambda: 0.01, "weights": lambda: rng.integers(0, 4, len(y)), "kind": lambda: "isotonic"}
    found = uc.recalibrate(y, s, **some(rng, more))
    for part in (found.before, found.after, found.gain):
        for name, each in part.items():
            sound(name, each)
    new = np.sort(rng.random(20))
    mended = uc.read_recalibration({"format": "unconfuse recalibration", "version": 1, **found.map.as_dict()})(new)
    _check(bool((np.diff(mended) >= -1e-12).all() and ((mended >= 0) & (mended <= 1)).all()), f"{mended!r} falls")
    return found


def _set_of_classes(rng: np.random.Generator) -> Any:
    k, n = int(rng.integers(2, 6)), int(rng.integers(2, 60))
    y = np.append(np.arange(k), rng.integers(k, size=n))
    S = np.round(rng.dirichlet(np.ones(k), len(y)), int(rng.integers(1, 9)))
    found = uc.prediction_sets(y, S, coverage=float(rng.choice([0.01, 0.5, 0.9, 0.999])), by_class=rng.random() < 0.5)
    held = found.holds(S)[np.arange(len(y)), y].mean()
    _check(held >= found.asked - 1e-12, f"{found.asked} asked for, and {held} of the cases themselves are held")
    sound("coverage", found.coverage, (0, 1))
    sound("size", found.size, (0, k))
    return found


def _carded(rng: np.random.Generator) -> Any:
    y, s = rows(rng)
    more = {"weights": lambda: weights(rng, len(y)), "groups": lambda: units(rng, len(y)), "costs": lambda: (1, 10)}
    card = uc.threshold_card(y, s, n_resamples=20, repeats=1, **some(rng, more))
    for rule, point in card.items():
        sound(f"threshold of {rule}", point.threshold)
        all_sound(point.metrics)
    return card


def _answered(rng: np.random.Generator) -> Any:
    """Models on the same items: few of them, alike, all right, in clusters, run once or often, judged."""
    n, models, runs = int(rng.choice([2, 3, 5, 20, 60])), int(rng.choice([1, 2, 3, 7])), int(rng.choice([1, 1, 2, 5]))
    item, model, run = (each.ravel() for each in np.indices((n, models, runs)))
    ok = rng.random(len(item)) < rng.choice([0, 0.02, 0.5, 0.9, 1])
    scored = ok if rng.random() < 0.7 else rng.choice([0, 0.25, 0.5, 1], len(item))
    columns: dict[str, Any] = {"item": item, "model": model, "correct": scored * 1.0, "run": run, "c": item % 4}
    words = {"run": "run"} | ({"cluster": "c"} if rng.random() < 0.3 and n > 2 else {})
    if rng.random() < 0.3 and "cluster" not in words:
        columns |= {"judge": columns["correct"], "correct": np.where(item < max(2, n // 3), ok * 1.0, np.nan)}
        words |= {"judge": "judge"}
    order = rng.permutation(len(item))
    found = uc.items({name: column[order] for name, column in columns.items()}, **words)
    for each in found.models:
        sound(each, found[each], (0.0, 1.0))
    for pair in found.pairs:
        sound(f"{pair.first} minus {pair.second}", pair.difference, (-1.0, 1.0))
        _check(0 <= pair.p_value <= 1, f"p is {pair.p_value}")
        told = pair.verdict != "cannot tell"
        near = abs(pair.p_value - 0.05) < 1e-4
        _check(near or told == (pair.p_value < 0.05), f"{pair.verdict} at p {pair.p_value}")
    if runs > 1 and "judge" not in words:
        for estimate in (found.same_items(found.models[0]), *(found.pass_at(2).values() if found.is_binary else ())):
            sound(estimate.name, estimate, (0.0, 1.0))
        show(found.plan(float(rng.choice([0.01, 0.2])), item_cost=float(rng.choice([0, 7]))))
    return found


def _unpaired(rng: np.random.Generator) -> Any:
    if rng.random() < 0.5:
        sizes = [0, 0, 1, 2, 5, 50, 1e6]
        cells = [dict(zip(("tp", "fp", "fn", "tn"), map(float, rng.choice(sizes, 4)), strict=True)) for _ in range(2)]
        compared = uc.compare({"a": uc.Counts(**cells[0]), "b": uc.Counts(**cells[1])})
    else:
        compared = uc.compare({"a": rows(rng), "b": rows(rng)}, n_resamples=100)
    pairs_sound(compared)
    return compared


def _searched(rng: np.random.Generator) -> Any:
    y, s = rows(rng, 8)
    by = {"a": rng.choice(["x", "y", "z"], len(y)), "b": rng.integers(0, 3, len(y)), "c": rng.random(len(y))}
    return uc.find_slices(y, s, by=by, threshold=float(rng.choice(s)))


def _resolved(rng: np.random.Generator) -> Any:
    model = uc.Binormal() if rng.random() < 0.5 else uc.Empirical(*rows(rng, 4))
    n, prevalence, at = int(rng.choice([20, 200])), float(rng.choice([0.1, 0.5, 0.9])), float(rng.choice([0.55, 0.9]))
    power = uc.resolving_power(model, ["auroc", "ks"], n_samples=100, n=n, prevalence=prevalence, at=at)
    sound("wins", power.win_probabilities("auroc", better=0.78, worse=0.72), (0.0, 1.0))
    return power


def _deduced(rng: np.random.Generator) -> Any:
    shares = ("prevalence", "sensitivity", "specificity", "precision", "npv", "accuracy")
    names = [*shares, "lr_positive", "lr_negative", "diagnostic_odds_ratio"]
    given = {
        str(name): float(rng.choice([0, 0.01, 0.5, 0.9, 1] if name in shares else [0, 0.1, 1, 9]))
        for name in rng.choice(names, 3, replace=False)
    }
    found = uc.bayes(**given)
    for name in {*shares, *given}:
        value, ends = getattr(found, name), (0.0, 1.0) if name in shares else (0.0, math.inf)
        _check(math.isnan(value) or ends[0] <= value <= ends[1], f"{name} of {given} is {value!r}")
        same = name not in given or math.isnan(value) or math.isclose(value, given[name], rel_tol=1e-6, abs_tol=1e-9)
        _check(same, f"{name} of {given} is {value!r}")
    return found


def _reconstructed(rng: np.random.Generator) -> Any:
    """A table's own rates, as printed, lead back to it."""
    cells = dict(zip(("tp", "fp", "fn", "tn"), map(int, rng.choice([0, 1, 2, 5, 17, 50], 4)), strict=True))
    table, names = uc.Counts(**cells), [name for name, each in uc.METRICS.items() if each.of == "counts"]
    chosen = [str(name) for name in rng.choice(names, rng.integers(1, 5), replace=False)]
    values = {name: float(uc.METRICS[name](table)) for name in chosen}
    given = {name: f"{value:.{rng.integers(1, 5)}f}" for name, value in values.items() if math.isfinite(value)}
    found = uc.reconstruct(**given, positives=cells["tp"] + cells["fn"], negatives=cells["fp"] + cells["tn"])
    _check(found.possible is True, f"{given} of {cells} is called {found.possible}")
    _check(found.n_tables > len(found.tables) or table in found.tables, f"{cells} is not found from {given}")
    return found


def _studied(rng: np.random.Generator) -> Any:
    """Studies of a test with empty cells, one class, or very different sizes."""
    size = int(rng.choice([3, 4, 6, 16]))
    kinds = ([0, 1, 2], [0, 5, 50], [0, 0, 30], [3, 1000, 100_000])
    cells = rng.choice(kinds[rng.integers(len(kinds))], (size, 4))
    found = uc.meta_analysis(
        {f"s{i}": uc.Counts(**dict(zip(("tp", "fp", "fn", "tn"), row, strict=True))) for i, row in enumerate(cells)}
    )
    for rate in ("sensitivity", "specificity"):
        mean, new = getattr(found, rate), found.new_study[rate]
        sound(f"mean {rate}", mean, (0.0, 1.0))
        sound(f"new {rate}", new, (0.0, 1.0))
        _check(
            bool(mean.undefined) or (new.low <= mean.low and mean.high <= new.high), f"{new} is narrower than {mean}"
        )
    return found


def _benchmarked(rng: np.random.Generator) -> Any:
    """A table of results with ties, models alike, and values of any size."""
    sets, models = int(rng.choice([3, 4, 5, 12, 20])), int(rng.choice([2, 3, 6]))
    kinds = (rng.random((sets, models)), rng.integers(0, 3, (sets, models)), 1e9 * rng.normal(size=(sets, models)))
    scores = np.asarray(kinds[rng.integers(len(kinds))], dtype=np.float64)
    if rng.random() < 0.3:
        scores[:, 1] = scores[:, 0] + float(rng.choice([0, 0.1]))
    frame: dict[str, Any] = {"d": np.repeat(np.arange(sets), models), "m": np.tile(np.arange(models), sets)}
    frame |= {"v": scores.ravel(), "se": 10.0 ** rng.uniform(-6, 3, sets * models)}
    more = {"standard_error": lambda: "se", "better": lambda: "lower"}
    found = uc.benchmark(frame, dataset="d", model="m", value="v", **some(rng, more))
    for pair in found.values():
        sound("difference", pair.difference)
        sound("simultaneous", pair.simultaneous)
        sound("wins_next", pair.wins_next, (0.0, 1.0))
    return found


def _own(rng: np.random.Generator) -> Any:
    """A metric of one's own is the declared one, in whatever way it is written."""
    ways = (_of_arrays, _with_an_if, _of_python_numbers, _of_all_at_once)
    mine = uc.metric(name="mine", range=(0, 1))(ways[rng.integers(len(ways))])
    y, s = rows(rng)
    more = {
        "groups": lambda: units(rng, len(y)),
        "weights": lambda: weights(rng, len(y)),
        "folds": lambda: units(rng, len(y)),
    }
    asked = {"threshold": float(rng.choice(s)), "n_resamples": 100, **some(rng, more)}
    found = uc.evaluate(y, s, metrics=[mine, "sensitivity"], **asked)
    all_sound(found)
    one, other = found["mine"].value, found["sensitivity"].value
    _check(math.isclose(one, other, **CLOSE) or (math.isnan(one) and math.isnan(other)), f"{one!r} is not {other!r}")
    return found


def _of_arrays(c: uc.Counts) -> Any:
    return c.tp / c.positives


def _with_an_if(c: uc.Counts) -> Any:
    return c.tp / c.positives if c.positives > 0 else math.nan


def _of_python_numbers(c: uc.Counts) -> Any:
    return float(c.tp) / float(c.tp + c.fn)


def _of_all_at_once(c: uc.Counts) -> Any:
    return c.tp / np.sum(c.positives)


ASKED = (
    _sampled,
    _judged,
    _in_folds,
    _of_classes,
    _gaps,
    _other_intervals,
    _elsewhere,
    _promised,
    _set_of_classes,
    _carded,
    _unpaired,
    _searched,
    _resolved,
    _deduced,
    _own,
    _reconstructed,
    _studied,
    _benchmarked,
    _mended,
    _answered,
)
