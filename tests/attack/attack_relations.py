"""Pairs of questions whose answers must agree, on few cases: what changes nothing may change nothing.

Sampling weights scaled, labels renamed, rows in another order or twice, rows of weight 0, scores transformed, models
renamed (like baselines, too) and swapped, unit weights, groups renamed, thresholds on a grid; and what tells little
claims little: groups that hold all cases of a class, two models without an error. Any verb may be asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from attack_questions import all_sound, rows, sound, units
from hostile import Outcome, WrongError

import unconfuse as uc

KIND = "relations"
WORDS = "weights scaled, labels and models renamed, rows of weight 0, scores transformed: pairs that must agree"
PATIENCE = 60
RELATIVE, ABSOLUTE = 1e-9, 1e-11  # of rounding in another order of sums
RESERVED = [
    "majority",
    "constant",
    "score",
    "never",
    "always",
    "rest",
    "n",
    "best",
    "models",
    "0",
    "",
    "a - b",
    "worst",
]
COUNTED = ("n", "positives", "negatives", "tp", "fp", "fn", "tn", "n_positives", "n_negatives", "weight", "sizes")
SCALED = (*COUNTED, "counts", "findings", "conditions", "calibration", "sites")  # which sampling weights multiply
ITERATED = 1e-5  # of what is found by steps, as a recalibration
Answer = Mapping[str, Any]
Columns = Mapping[str, Any]


def attack(rng: np.random.Generator) -> Outcome:
    """One relation on one small data set."""
    relation = RELATIONS[int(rng.integers(len(RELATIONS)))]
    return Outcome("fine", compared=relation(rng))


def _agree(what: str, one: float, other: float) -> None:
    if math.isnan(one) and math.isnan(other):
        return
    if not math.isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        raise WrongError(f"{what}: {one!r} became {other!r}")


def _same(what: str, one: Answer, other: Answer) -> int:
    """Check that two evaluations hold the same values and intervals."""
    if set(one) != set(other):
        raise WrongError(f"{what}: other metrics, {sorted(set(one) ^ set(other))}")
    for name in one:
        for end in ("value", "low", "high"):
            _agree(f"{what}: {name}.{end}", getattr(one[name], end), getattr(other[name], end))
    return 3 * len(one)


def _both(what: str, one: Any, other: Any) -> int:
    """Ask both ways: either both are refused, or both answer alike."""
    try:
        first = one()
    except uc.UnconfuseError as refusal:
        try:
            other()
        except uc.UnconfuseError:
            return 0
        raise WrongError(f"{what}: only one is refused, {refusal}") from None
    return _same(what, first, other())


def _numbers(of: Any, left_out: tuple[str, ...], path: str = "") -> dict[str, float]:
    """Every number that a result writes, by where it stands."""
    if isinstance(of, bool) or of is None:
        return {}
    if isinstance(of, int | float):
        return {path: float(of)}
    found: dict[str, float] = {}
    if isinstance(of, str):
        return {path: float(of)} if of in ("inf", "-inf") else {}
    parts = of.items() if isinstance(of, Mapping) else enumerate(of)
    for name, each in parts:
        if name not in left_out:
            found |= _numbers(each, left_out, f"{path}/{name}")
    return found


def _alike(what: str, one: Any, other: Any, left_out: tuple[str, ...] = ()) -> int:
    """Ask both ways for whatever can be written: both are refused, or all numbers agree."""
    first, second = _answer(one), _answer(other)
    if first is None or second is None:
        if (first is None) != (second is None):
            raise WrongError(f"{what}: only one is refused")
        return 0
    was, now = (_numbers(each.as_dict(), left_out) for each in (first, second))
    if set(was) != set(now):
        raise WrongError(f"{what}: other numbers, {sorted(set(was) ^ set(now))[:5]}")
    for place in was:
        if not math.isclose(was[place], now[place], rel_tol=ITERATED, abs_tol=1e-7):
            raise WrongError(f"{what}: {place} {was[place]!r} became {now[place]!r}")
    return len(was)


def _asked(rng: np.random.Generator, columns: Columns) -> tuple[str, Any]:
    """One verb of rows, which takes their columns and those that are said besides."""
    cut = float(rng.choice(columns["s"]))
    return list(_verbs(cut).items())[int(rng.integers(len(_verbs(cut))))]


def _verbs(cut: float) -> dict[str, Any]:
    drawn = {"n_resamples": 100}
    how = {"threshold": cut, **drawn}

    def both(c: Columns) -> dict[str, Any]:
        return {"a": c["s"], "b": c["s2"]}

    return {
        "evaluate": lambda c, **more: uc.evaluate(c["y"], c["s"], **how, **more),
        "compare": lambda c, **more: uc.compare(c["y"], both(c), **how, **more),
        "folds": lambda c, **more: uc.evaluate(c["y"], c["s"], folds=c["f"], **how, **more),
        "compare over folds": lambda c, **more: uc.compare(c["y"], both(c), folds=c["f"], **how, **more),
        "sites": lambda c, **more: uc.evaluate(c["y"], c["s"], site=c["f"], **how, **more),
        "subgroups": lambda c, **more: uc.evaluate(c["y"], c["s"], by={"f": c["f"]}, **how, **more).subgroups,
        "gate": lambda c, **more: uc.gate(c["y"], c["s"], c["s2"], margin=0.05, **drawn, **more),
        "guarantee": lambda c, **more: uc.guarantee(c["y"], c["s"], "precision", at_least=0.5, **more),
        "card": lambda c, **more: uc.threshold_card(c["y"], c["s"], n_resamples=20, repeats=1, **more),
        "recalibrate": lambda c, **more: uc.recalibrate(c["y"], 1 / (1 + np.exp(-c["s"] / 10)), **more),
        "B": lambda c, **more: uc.indistinguishability(c["y"], c["s"], **drawn, **more),
    }


def _columns(rng: np.random.Generator, least: int = 2) -> dict[str, Any]:
    y, s = rows(rng, least)
    n = len(y)
    return {"y": y, "s": s, "s2": rng.permutation(s), "f": rng.integers(0, 2, n)}


def _taken(columns: Columns, places: Any) -> dict[str, Any]:
    return {name: each[places] for name, each in columns.items()}


def _said(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """What may be said of rows besides, one or two of it."""
    known = {
        "groups": rng.integers(0, max(2, n // 2), n),
        "weights": rng.integers(1, 4, n),
        "sampling_weights": rng.random(n) + 0.1,
        "strata": rng.integers(0, 2, n),
    }
    names = rng.choice(list(known), int(rng.integers(0, 3)), replace=False)
    return {str(name): known[str(name)] for name in names}


def any_verb_of_scaled_weights(rng: np.random.Generator) -> int:
    """Scale sampling weights, and ask anything: cases needed, gaps, means of sites."""
    columns, factor = _columns(rng), float(rng.choice([7.0, 1 / 3, 1e-3, 1e4]))
    said = {name: each for name, each in _said(rng, len(columns["y"])).items() if "weights" not in name}
    (verb, ask), w = _asked(rng, columns), rng.random(len(columns["y"])) + 0.1
    one, other = (lambda each=each: ask(columns, sampling_weights=each, **said) for each in (w, factor * w))
    return _alike(f"{verb} of weights times {factor:g}, {sorted(said)}", one, other, SCALED)


def any_verb_of_shuffled_rows(rng: np.random.Generator) -> int:
    """Shuffle the rows, and ask anything."""
    columns = _columns(rng)
    n = len(columns["y"])
    (verb, ask), said, order = _asked(rng, columns), _said(rng, n), rng.permutation(n)
    what = f"{verb} of shuffled rows, {sorted(said)}"
    return _alike(what, lambda: ask(columns, **said), lambda: ask(_taken(columns, order), **_taken(said, order)))


def any_verb_of_rows_twice(rng: np.random.Generator) -> int:
    """Write every row twice, or say that it stands for two cases."""
    columns = _columns(rng)
    (verb, ask), twice = _asked(rng, columns), np.repeat(np.arange(len(columns["y"])), 2)
    if verb == "recalibrate":  # folds are dealt by rows there
        return 0
    weights = np.full(len(columns["y"]), 2)
    one, other = lambda: ask(_taken(columns, twice)), lambda: ask(columns, weights=weights)
    return _alike(f"{verb} of rows twice", one, other, ("weighted",))


def groups_renamed(rng: np.random.Generator) -> int:
    """Call the groups otherwise: formulas know them by their rows alone."""
    columns = _columns(rng, 4)
    groups = units(rng, len(columns["y"]))
    names = [f"g{each}" for each in rng.permutation(1000)[: groups.max() + 1]]
    metrics, how = ["auroc", "brier", "sensitivity", "mcc"], {"n_resamples": 100, "threshold": float(columns["s"][0])}
    metrics = [each for each in metrics if each != "brier" or ((columns["s"] >= 0) & (columns["s"] <= 1)).all()]
    one, other = (
        lambda each=each: uc.evaluate(columns["y"], columns["s"], groups=each, metrics=metrics, **how)
        for each in (groups, [names[group] for group in groups])
    )
    return _alike("groups renamed", one, other)


def classes_swapped(rng: np.random.Generator) -> int:
    """Look for the other class, with scores turned round: the ranking is as good."""
    y, s = rows(rng)
    metrics = ["auroc", "gini", "ks", "max_youden", "equal_error_rate"]
    one, other = (
        lambda each=each, own=own: uc.evaluate(each, own, metrics=metrics, positive=1, n_resamples=100)
        for each, own in ((y, s), (1 - y, -s))
    )
    first, second = _answer(one), _answer(other)
    for name in metrics if first is not None and second is not None else ():
        _agree(f"classes swapped: {name}", first[name].value, second[name].value)
    return len(metrics)


def models_without_an_error(rng: np.random.Generator) -> int:
    """Compare two models that separate the classes: a few cases do not say that they are equally good."""
    n = int(rng.choice([2, 3, 5, 10, 20]))
    y = np.repeat([0, 1], n)
    models = {name: y + 0.8 * rng.random(2 * n) for name in "ab"}
    if np.array_equal(*(np.argsort(each) for each in models.values())):  # one ranking, under two names
        return 0
    said = {name: each for name, each in _said(rng, 2 * n).items() if name != "weights"}
    ranking = ["auroc", "ks", "average_precision", "max_f1", "h_measure", "auprg"]
    found = _answer(lambda: uc.compare(y, models, metrics=ranking, margin=0.01, n_resamples=100, **said))
    for name, pair in {} if found is None else found.items():
        gap = pair.difference
        if gap.high - gap.low < 0.02 or pair.p_value < 0.05 or pair.within_margin:
            raise WrongError(f"{name} of two models without an error among {2 * n} cases, {sorted(said)}: {pair!r}")
    return 0 if found is None else 3 * len(found)


def _evaluated(y: Any, s: Any, **words: Any) -> Any:
    return lambda: uc.evaluate(y, s, n_resamples=100, **words)


def _cut(rng: np.random.Generator, s: Any) -> dict[str, Any]:
    return {"threshold": float(rng.choice(s))} if rng.random() < 0.7 else {}


def sampling_weights_scaled(rng: np.random.Generator) -> int:
    """Scale all sampling weights by one factor."""
    y, s = rows(rng)
    w = rng.choice([1.0, 2.0, 0.3, 7.0], len(y)) * (rng.random(len(y)) if rng.random() < 0.5 else 1.0)
    words = _cut(rng, s) | ({"groups": units(rng, len(y))} if rng.random() < 0.5 else {})
    factor = float(rng.choice([2.0, 7.0, 1 / 3, 1e-3, 1e4]))
    scaled = _evaluated(y, s, sampling_weights=factor * w, **words)
    return _both(f"sampling weights times {factor:g}", _evaluated(y, s, sampling_weights=w, **words), scaled)


def labels_renamed(rng: np.random.Generator) -> int:
    """Call the labels otherwise."""
    y, s = rows(rng)
    names = [("no", "yes"), ("b", "a"), (-1, 1), (False, True), (2, 1)][int(rng.integers(5))]
    renamed = np.array(names, dtype=object)[y.astype(int)].tolist()
    words = _cut(rng, s) | ({"groups": units(rng, len(y))} if rng.random() < 0.3 else {})
    renamed_way = _evaluated(renamed, s, positive=names[1], **words)
    return _both(f"labels called {names}", _evaluated(y, s, positive=1, **words), renamed_way)


def classes_renamed(rng: np.random.Generator) -> int:
    """Call three classes otherwise, columns with them."""
    n = int(rng.choice([6, 12, 30]))
    y, scores = rng.integers(0, 3, n), rng.dirichlet(np.full(3, 0.7), n).round(3)
    names = [[1, 2, 3], ["x", "y", "z"], ["0", "1", "2"], [10, 20, 30]][int(rng.integers(4))]
    one = _evaluated(y, scores, classes=[0, 1, 2])
    return _both(f"classes called {names}", one, _evaluated([names[k] for k in y], scores, classes=names))


def rows_in_another_order(rng: np.random.Generator) -> int:
    """Shuffle the rows."""
    y, s = rows(rng)
    order, words = rng.permutation(len(y)), _cut(rng, s)
    columns = {
        "groups": units(rng, len(y)),
        "weights": rng.integers(1, 4, len(y)),
        "by": rng.choice(["a", "b"], len(y)),
    }
    taken = {
        str(name): columns[str(name)] for name in rng.choice(list(columns), int(rng.integers(0, 3)), replace=False)
    }
    shuffled = {name: each[order] for name, each in taken.items()}
    other = _evaluated(y[order], s[order], **shuffled, **words)
    return _both("rows shuffled", _evaluated(y, s, **taken, **words), other)


def rows_of_no_weight(rng: np.random.Generator) -> int:
    """Add rows of weight 0."""
    y, s = rows(rng)
    kind = str(rng.choice(["weights", "sampling_weights"]))
    w, more = rng.integers(1, 4, len(y)).astype(float), int(rng.integers(1, 5))
    words = _cut(rng, s)
    y2, s2 = np.append(y, rng.integers(0, 2, more)), np.append(s, rng.choice(s, more))
    other = _evaluated(y2, s2, **{kind: np.append(w, np.zeros(more))}, **words)
    return _both(f"{more} rows of {kind} 0", _evaluated(y, s, **{kind: w}, **words), other)


def unit_weights(rng: np.random.Generator) -> int:
    """Say that each row stands for one case."""
    y, s = rows(rng)
    words, models = _cut(rng, s), {"a": s, "b": rng.permutation(s)}
    one = _compared(y, models, **words)
    return _pairs_same("weights of 1", one, _compared(y, models, weights=np.ones(len(y)), **words))


def scores_transformed(rng: np.random.Generator) -> int:
    """Transform the scores monotonely: whatever only ranks stays as it is."""
    y, s = rows(rng)
    maps = [lambda x: 3 * x + 1, lambda x: np.tanh(x / 4), np.cbrt, lambda x: np.unique(x, return_inverse=True)[1]]
    again = np.asarray(maps[int(rng.integers(len(maps)))](s), dtype=float)
    if len(np.unique(again)) != len(np.unique(s)):
        return 0
    ranking = [name for name, each in uc.METRICS.items() if each.of == "ranks"]
    return _both("scores transformed", _evaluated(y, s, metrics=ranking), _evaluated(y, again, metrics=ranking))


def models_renamed(rng: np.random.Generator) -> int:
    """Call a model like a baseline, a key or nothing at all: the same numbers, or a refusal."""
    y, s = rows(rng)
    other, name = rng.permutation(s), str(rng.choice(RESERVED))
    words = _cut(rng, s) | ({"baselines": ["majority"]} if rng.random() < 0.5 else {})
    if not name < "majority":  # a seed draws the models in the order of their names
        return 0
    one = _compared(y, {"first": s, "second": other}, **words)
    try:
        again = uc.compare(y, {name: s, "second": other}, n_resamples=100, **words)
    except uc.UnconfuseError:
        return 0
    return _pairs_same(f"model called {name!r}", one, lambda: again, {"first": name})


def models_swapped(rng: np.random.Generator) -> int:
    """Give the models the other way round: differences change their sign."""
    y, s = rows(rng)
    other, words = rng.permutation(s), _cut(rng, s)
    one, again = (_answer(_compared(y, models, **words)) for models in ({"a": s, "b": other}, {"b": other, "a": s}))
    if one is None or again is None:
        return 0
    for (metric, _, _), pair in one.items():
        back = again[metric, "b", "a"]
        _agree(f"models swapped: {metric}", pair.difference.value, -back.difference.value)
        _agree(f"models swapped: p of {metric}", pair.p_value, back.p_value)
    return 2 * len(one)


def models_of_classes_swapped(rng: np.random.Generator) -> int:
    """Give models of several classes the other way round: differences change their sign, and nothing else."""
    n, k = int(rng.choice([6, 12, 40])), int(rng.integers(3, 5))
    y, scores = rng.integers(0, k, n), rng.dirichlet(np.full(k, 0.7), n)
    scores[np.arange(n), y] += rng.random(n)
    models = {"a": scores / scores.sum(axis=1, keepdims=True), "b": rng.dirichlet(np.full(k, 0.7), n)}
    turned, how = {"b": models["b"], "a": models["a"]}, {"classes": list(range(k))}
    one, again = (_answer(_compared(y, each, **how)) for each in (models, turned))
    if one is None or again is None:
        return 0
    for (metric, _, _), pair in one.items():
        back = again[metric, "b", "a"]
        _agree(f"models swapped: {metric}", pair.difference.value, -back.difference.value)
        _agree(f"models swapped: limit of {metric}", pair.difference.low, -back.difference.high)
        _agree(f"models swapped: p of {metric}", pair.p_value, back.p_value)
    return 3 * len(one)


def decisions_on_a_grid(rng: np.random.Generator) -> int:
    """Hold a decision curve at rounded probabilities against the metric there."""
    n = int(rng.choice([5, 20, 60]))
    s = rng.integers(1, 100, n) / 100
    y = (rng.random(n) < s).astype(int)
    y[:2] = 0, 1
    curve, table = uc.evaluate(y, s, metrics=["auroc"]).curve("decision_curve"), uc.score_table(y, s)
    for at, value in zip(curve["threshold"], curve["net_benefit"], strict=True):
        if 0 < at < 1:
            _agree(f"net benefit at {at!r}", float(uc.net_benefit(float(at))(table.counts_at(float(at)))), float(value))
    return len(curve["net_benefit"])


def groups_that_hold_a_class(rng: np.random.Generator) -> int:
    """Put all positives into one or two groups: the interval is wide or none, never a point."""
    y, s = rows(rng, least=6)
    groups = np.where(y > 0, rng.integers(0, int(rng.integers(1, 3)), len(y)), rng.integers(2, 12, len(y)))
    found = uc.evaluate(y, s, threshold=float(np.median(s)), groups=groups, n_resamples=100)
    all_sound(found)
    sensitivity = found["sensitivity"]
    sound("sensitivity", sensitivity, (0.0, 1.0))
    if sensitivity.low == sensitivity.high:
        raise WrongError(f"sensitivity of positives in few groups is a point: {sensitivity}")
    return len(found)


def _compared(y: Any, models: dict[str, Any], **words: Any) -> Any:
    return lambda: uc.compare(y, models, n_resamples=100, **words)


def _answer(ask: Any) -> Any:
    """What is answered, or None where the question is refused."""
    try:
        return ask()
    except uc.UnconfuseError:
        return None


def _pairs_same(what: str, one: Any, other: Any, renamed: Mapping[str, str] | None = None) -> int:
    """Check that two comparisons hold the same differences and p-values."""
    first, second = _answer(one), _answer(other)
    if first is None or second is None:
        if (first is None) != (second is None):
            raise WrongError(f"{what}: only one is refused")
        return 0
    names = renamed or {}
    for (metric, a, b), pair in first.items():
        again = second[metric, names.get(a, a), names.get(b, b)]
        for end in ("value", "low", "high"):
            was, now = getattr(pair.difference, end), getattr(again.difference, end)
            _agree(f"{what}: {metric} {a} - {b} .{end}", was, now)
        _agree(f"{what}: p of {metric} {a} - {b}", pair.p_value, again.p_value)
    return 4 * len(first)


RELATIONS = (
    sampling_weights_scaled,
    labels_renamed,
    classes_renamed,
    rows_in_another_order,
    rows_of_no_weight,
    unit_weights,
    scores_transformed,
    models_renamed,
    models_swapped,
    models_of_classes_swapped,
    decisions_on_a_grid,
    groups_that_hold_a_class,
    any_verb_of_scaled_weights,
    any_verb_of_shuffled_rows,
    any_verb_of_rows_twice,
    groups_renamed,
    classes_swapped,
    models_without_an_error,
)
