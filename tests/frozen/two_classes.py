"""Situations of two classes: rows as arrays, four counts, subgroups and tables."""

from __future__ import annotations

from functools import partial
from typing import Any

import flatten
import numpy as np
import rows
from rows import Situation

import unconfuse as uc

FEW = ["auroc", "average_precision", "brier", "sensitivity", "precision", "f1", "mcc"]
RANKS = ["auroc", "ks", "partial_auroc", "average_precision", "auprg", "h_measure", "max_f1"]
GAPS = ("sensitivity", "precision", "auroc")


def judged(make: Any, read: Any = flatten.evaluation, **options: Any) -> Situation:
    """Evaluate the rows that `make` draws; few resamples, because most of these data are small and odd."""
    return Situation(read, lambda: uc.evaluate(*make(), **{"n_resamples": 300} | options))


def shapes() -> dict[str, Situation]:
    """What scores and labels can look like."""
    y, s = rows.draw()
    half = [1, 0] * 20
    return {
        "continuous": judged(rows.draw, n_resamples=2000),
        "continuous, threshold .3": judged(rows.draw, threshold=0.3),
        "threshold above all scores": judged(rows.margins, threshold=50.0),
        "threshold below all scores": judged(rows.margins, threshold=-50.0, metrics=FEW[:2] + FEW[3:]),
        "heavy ties": judged(rows.tied),
        "five values": judged(rows.five_values),
        "two values": judged(lambda: (y, (s > 0.5).astype(float))),
        "constant scores": judged(lambda: (half, [0.4] * 40)),
        "perfect": judged(lambda: (half, [0.9, 0.1] * 20)),
        "perfect, all distinct": judged(lambda: (half, np.where(half, 0.6, 0.1) + np.arange(40) / 200)),
        "reversed": judged(lambda: (y, 1 - s)),
        "useless": judged(partial(rows.draw, lift=0.0)),
        "excellent": judged(partial(rows.draw, lift=6.0, seed=21)),
        "easy negatives": judged(partial(rows.draw, 2000, 22, 0.02, 3.5), metrics=FEW),
        "one positive": judged(lambda: ([1] + [0] * 19, np.linspace(0.9, 0.05, 20))),
        "one negative": judged(lambda: ([0] + [1] * 19, np.linspace(0.9, 0.05, 20))),
        "two positives": judged(lambda: ([0, 1, 0, 0, 1, 0, 0, 0], np.linspace(0.9, 0.1, 8).round(3))),
        "rare": judged(partial(rows.draw, 1000, 23, 0.02)),
        "common": judged(partial(rows.draw, 400, 24, 0.95)),
        **{f"n = {n}": judged(partial(rows.draw, n, 30 + n, 0.5)) for n in (4, 5, 6, 8, 10, 20)},
        "n = 300, another seed of the data": judged(partial(rows.draw, 300, 25)),
        "n = 5000": judged(partial(rows.draw, 5000, 26), metrics=[*FEW, *RANKS, "log_loss", "ece"]),
        "n = 5000, ties": judged(partial(rows.tied, 5000, 27), n_resamples=200),
        "n = 60000": judged(
            partial(rows.draw, 60_000, 28, 0.1), metrics=["auroc", "average_precision", "npv", "brier"]
        ),
        "texts as labels": judged(lambda: (np.where(y, "yes", "no"), s), positive="yes"),
        "the other text is positive": judged(lambda: (np.where(y, "yes", "no"), s), positive="no"),
        "booleans as labels": judged(lambda: (y.astype(bool).tolist(), s.tolist()), metrics=FEW),
        "-1 and 1 as labels": judged(lambda: (2 * y - 1, s), metrics=FEW),
        "2 is positive": judged(lambda: (y + 1, s), positive=2, metrics=FEW),
        "margins": judged(rows.margins, threshold=0.0),
        "margins, threshold 1.5": judged(rows.margins, threshold=1.5, metrics=[*RANKS, "sensitivity", "npv"]),
        "probabilities of 0 and 1": judged(lambda: (y, s.round(0)), metrics=["log_loss", "brier", "calibration_slope"]),
        "percentages": judged(lambda: (y, (100 * s).round(1)), threshold=50.0, metrics=FEW[:2] + FEW[3:]),
    }


def settings() -> dict[str, Situation]:
    """Designs, levels, seeds, weights and groups."""
    weighted = {name: make() for name, make in {"whole": rows.whole_weights, "zero": rows.with_zeros}.items()}
    y, s, group = rows.clustered()
    return {
        "case-control": judged(rows.draw, design="case-control"),
        "case-control, ties": judged(rows.tied, design="case-control"),
        "case-control, tiny": judged(partial(rows.draw, 10, 41, 0.5), design="case-control"),
        **{f"level {level}": judged(rows.draw, confidence_level=level) for level in (0.5, 0.8, 0.9, 0.99)},
        **{f"seed {seed}": judged(rows.draw, rng=seed, metrics=RANKS) for seed in (1, 2, 12345)},
        "2000 resamples": judged(rows.tied, metrics=RANKS, n_resamples=2000),
        "100 resamples": judged(rows.tied, metrics=RANKS, n_resamples=100),
        "whole weights": judged(rows.draw, weights=weighted["whole"]),
        "whole weights, ties": judged(rows.five_values, weights=weighted["whole"]),
        "whole weights, case-control": judged(rows.draw, weights=weighted["whole"], design="case-control"),
        "weights of zero": judged(rows.draw, weights=weighted["zero"]),
        "fractional weights": judged(rows.draw, weights=rows.fractions()),
        "fractional weights, ties": judged(rows.tied, weights=rows.fractions()),
        "weights below 1": judged(rows.draw, weights=rows.fractions() / 20, metrics=FEW),
        "groups": judged(lambda: (y, s), groups=group),
        "groups, level .9": judged(lambda: (y, s), groups=group, confidence_level=0.9, rng=3, metrics=FEW),
        "groups and weights": judged(lambda: (y, s), groups=group, weights=weighted["whole"], metrics=FEW),
        "groups named by texts": judged(lambda: (y, s), groups=[f"g{each}" for each in group], metrics=RANKS),
        "groups of one": judged(lambda: (y, s), groups=np.arange(300), metrics=FEW),
        "few groups": judged(lambda: (y, s), groups=group % 4, metrics=FEW),
        "groups, 1000 resamples": judged(lambda: (y, s), groups=group, n_resamples=1000, metrics=["auroc", "mcc"]),
    }


def metrics() -> dict[str, Situation]:
    """Single metrics, factories and the user's own."""
    scores = {
        "f_beta(2)": uc.f_beta(2),
        "f_beta(.5)": uc.f_beta(0.5),
        "partial_auroc(.2)": uc.partial_auroc(0.2),
        "partial_auroc, raw": uc.partial_auroc(0.3, form="raw"),
        "h_measure": uc.h_measure(),
        "h_measure(2, 2)": uc.h_measure((2.0, 2.0)),
        "precision_at_k(20)": uc.precision_at_k(20),
        "precision_at_k(.1)": uc.precision_at_k(0.1),
        "net_benefit(.2)": uc.net_benefit(0.2),
        "expected_cost": uc.expected_cost(fp=1, fn=10),
        "ece(10)": uc.ece(10),
        "ece, equal mass": uc.ece(10, binning="equal_mass"),
        "lift_at(.1)": uc.lift_at(0.1),
        "precision_at_b(.4)": uc.precision_at_b(0.4),
        "concentrated_auroc": uc.concentrated_auroc(),
    }
    ways: dict[str, Any] = {
        "ties": {"make": rows.tied},
        "case-control": {"make": rows.draw, "design": "case-control"},
        "weights": {"make": rows.draw, "weights": rows.whole_weights()},
        "tiny": {"make": partial(rows.draw, 10, 42, 0.5)},
    }
    single = ["auroc", "average_precision", "brier", "mcc", "ks", "log_loss", "f1", "calibration_slope"]
    own = [rows.missed_per_thousand, rows.in_first_scores]
    return {
        **{f"factory {name}": judged(rows.draw, flatten.numbers, metrics=[each]) for name, each in scores.items()},
        **{f"all factories, {way}": judged(metrics=list(scores.values()), **how) for way, how in ways.items()},
        **{f"{name} alone": judged(rows.draw, metrics=[name]) for name in single},
        "own metrics": judged(rows.draw, metrics=own),
        "own metrics, ties and weights": judged(rows.tied, metrics=own, weights=rows.whole_weights()),
        "own metrics, groups": judged(rows.draw, metrics=own, groups=rows.clusters()),
        "own metric of counts": counted(8, 2, 2, 88, metrics=own[:1]),
        "asked again, of decisions": Situation(flatten.estimates, _decisions_again),
        "asked again, of counts": Situation(flatten.estimates, _counts_again),
        "asked again, of ranks": Situation(flatten.estimates, _ranks_again),
    }


def _decisions_again() -> dict[str, Any]:
    found = uc.evaluate(*rows.draw(), metrics=["sensitivity", "mcc", "f1"])
    return {f"{name}, 80%": found[name].interval(confidence_level=0.8) for name in found}


def _counts_again() -> dict[str, Any]:
    found = uc.evaluate_counts(tp=17, fp=3, fn=5, tn=60)
    methods = ("mid_p", "wilson", "clopper_pearson", "jeffreys", "agresti_coull")
    made = {method: found["precision"].interval(method=method) for method in methods}
    made |= {f"{name}, log": found[name].interval(method="log") for name in ("lr_positive", "diagnostic_odds_ratio")}
    return made | {f"{name}, posterior": found[name].interval(method="posterior") for name in ("f1", "accuracy", "mcc")}


def _ranks_again() -> dict[str, Any]:
    found = uc.evaluate(*rows.draw(), metrics=["auroc", "ks", "average_precision"], n_resamples=300)
    methods = ("percentile", "basic", "bca", "bias_corrected")
    made = {f"{name}, {method}": found[name].interval(method=method) for name in found for method in methods}
    return made | {f"{name}, 80%": found[name].interval(confidence_level=0.8) for name in found}


def counted(tp: float, fp: float, fn: float, tn: float, **options: Any) -> Situation:
    """Four counts."""
    return Situation(flatten.evaluation, lambda: uc.evaluate_counts(tp=tp, fp=fp, fn=fn, tn=tn, **options))


def counts() -> dict[str, Situation]:
    """Four counts, zeros among them."""
    tables = [
        (141, 0, 67, 31),
        (50, 10, 5, 100),
        (8, 2, 2, 88),
        (0, 5, 10, 85),
        (10, 0, 0, 90),
        (0, 0, 10, 90),
        (10, 90, 0, 0),
        (5, 5, 5, 5),
        (1, 0, 0, 1),
        (1, 1, 1, 1),
        (3, 40, 30, 4),
        (0, 10, 10, 0),
        (0, 0, 0, 20),
        (20, 0, 0, 0),
        (0, 4, 0, 20),
        (12000, 3000, 900, 90000),
        (7.5, 2.25, 1.5, 30.75),
        (2, 1, 0, 1000),
    ]
    table = {"tp": 50, "fp": 10, "fn": 5, "tn": 100}
    return {
        **{f"counts {' '.join(f'{cell:g}' for cell in cells)}": counted(*cells) for cells in tables},
        "counts, case-control": counted(**table, design="case-control"),
        "counts, level .9": counted(**table, confidence_level=0.9),
        "counts, level .99 and few metrics": counted(
            **table, confidence_level=0.99, metrics=["mcc", "f1", uc.f_beta(2)]
        ),
    }


def divided(options: dict[str, Any], *given: Any, differences: Any = GAPS) -> Situation:
    """An evaluation by subgroup."""
    asked = {"n_resamples": 200, "metrics": FEW} | options
    return Situation(partial(flatten.subgroups, differences=differences), lambda: uc.evaluate(*given, **asked))


def subgroups() -> dict[str, Situation]:
    """Subgroups by one and two columns."""
    y, s = rows.draw(400, 51)
    sex = rows.chosen(("F", "M"), 400)
    site = rows.chosen(("north", "south", "west"), 400, 52)
    gaps = rows.chosen(("F", "M", None), 400, 53)
    lone = np.where(np.arange(400) < 3, "few", sex.astype(str))
    tables = {"F": uc.score_table(y[:200], s[:200]), "M": uc.score_table(y[200:], s[200:])}
    yc, sc, group = rows.clustered(400, 54)
    two = {"sex": sex, "site": site}
    return {
        "by sex": divided({"by": sex}, y, s),
        "by sex, all metrics": divided({"by": sex, "metrics": None}, y, s, differences=None),
        "by sex, M is the reference": divided({"by": sex, "reference": "M"}, y, s),
        "by sex, case-control": divided({"by": sex, "design": "case-control", "confidence_level": 0.9}, y, s),
        "by site against the rest": divided({"by": site, "reference": "rest"}, y, s),
        "by site, ratios": divided({"by": site, "metrics": ["lr_positive", "npv"]}, y, s, differences=("lr_positive",)),
        "by two columns": divided({"by": two}, y, s),
        "by two columns, weighted": divided({"by": two, "weights": rows.whole_weights(400)}, y, s),
        "by a column with missing values": divided({"by": gaps}, y, s),
        "by a column with a tiny subgroup": divided({"by": lone}, y, s),
        "by sex, fractional weights": divided({"by": sex, "weights": rows.fractions(400)}, y, s),
        "by sex in groups": divided({"by": sex, "groups": group}, yc, sc),
        "by site in groups against the rest": divided({"by": site, "groups": group, "reference": "rest"}, yc, sc),
        "by sex, own metric": divided({"by": sex, "metrics": [rows.missed_per_thousand]}, y, s, differences=None),
        "by tables": divided({"by": "sex"}, tables),
    }


def binned(bins: int, n: int = 3000, **options: Any) -> Situation:
    """The same rows in a table of few blocks."""
    return judged(lambda: (uc.score_table(*rows.draw(n, 61, digits=9), bins=bins),), **options)


def tables() -> dict[str, Situation]:
    """Score tables: made, merged, binned and made coarser."""
    one, other = uc.score_table(*rows.draw(300, 62)), uc.score_table(*rows.tied(300, 63))
    large = uc.score_table(*rows.draw(2000, 64, digits=9))
    builder = uc.TableBuilder(bins=40, edges=[0.5])
    for seed in range(4):
        builder.add(*rows.draw(250, 70 + seed))
    return {
        "table": Situation(flatten.table, lambda: uc.score_table(*rows.draw())),
        "table of weights": Situation(flatten.table, lambda: uc.score_table(*rows.tied(), weights=rows.fractions())),
        "table of bins": Situation(flatten.table, lambda: uc.score_table(*rows.draw(3000, 61, digits=9), bins=50)),
        "merged table": Situation(flatten.table, lambda: one.merge(other)),
        "coarsened table": Situation(flatten.table, lambda: large.coarsen(64, edges=[0.5], min_count=5)),
        "built table": Situation(flatten.table, lambda: builder.table),
        "evaluate a table": judged(lambda: (one,)),
        "evaluate a table, case-control": judged(lambda: (other,), design="case-control", metrics=FEW),
        "evaluate a merged table": judged(lambda: (one.merge(other),)),
        "evaluate a coarsened table": judged(lambda: (large.coarsen(64, edges=[0.5]),)),
        "evaluate a table with at least 10 in each block": judged(
            lambda: (large.coarsen(min_count=10),), threshold=0.4
        ),
        "evaluate a built table": judged(lambda: (builder.table,)),
        "50 bins": binned(50),
        "50 bins, case-control": binned(50, design="case-control", confidence_level=0.9),
        "1000 bins": binned(1000, metrics=[*FEW, *RANKS]),
        "bins of rows": judged(partial(rows.draw, 3000, 65, digits=9), bins=100, metrics=[*FEW, "log_loss"]),
        # `max_distinct` was ignored here; it is for Spark, and refused since.
        "at most 500 distinct": judged(partial(rows.draw, 3000, 66, digits=9), metrics=FEW),
        "binned by sex": divided({"by": rows.chosen(("F", "M"), 2000), "bins": 50}, *rows.draw(2000, 67, digits=9)),
    }


def situations() -> dict[str, Situation]:
    """All of two classes, by name."""
    parts = {"two": shapes, "how": settings, "metric": metrics, "": counts, "subgroups": subgroups, "table": tables}
    return {f"{part}: {name}".removeprefix(": "): each for part, make in parts.items() for name, each in make().items()}
