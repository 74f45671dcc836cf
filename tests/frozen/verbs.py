"""Situations of the other verbs: comparisons, cards, indistinguishability, Bayes, bootstrap, resolving, curves."""

from __future__ import annotations

from functools import partial
from typing import Any

import flatten
import numpy as np
import rows
from rows import NAMES, Situation

import unconfuse as uc

CURVES = "roc roc_hull precision_recall precision_recall_gain det gain trends b_curve cost_curve brier_curve "
CURVES += "decision_curve reliability reliability_bins score_histogram"
RANKED = ["auroc", "auprc_davis_goadrich", "average_precision"]


def compared(models: int = 2, **options: Any) -> Situation:
    """Models of the same cases."""
    y, scores = rows.rivals(names="abcde"[:models])
    return Situation(flatten.comparison, lambda: uc.compare(y, scores, **{"n_resamples": 300} | options))


def comparisons() -> dict[str, Situation]:
    """Two and more models."""
    y, scores = rows.rivals(names="ab")
    _, third = rows.rivals(seed=101, names="a")
    few = ["auroc", "mcc", "brier"]
    truth, stated = rows.matrix()
    other = rows.matrix(seed=102)[1]
    mixed = ((stated + other) / 2).round(6)
    called = {"a": NAMES[rows.decided(truth, 3)], "b": NAMES[rows.decided(truth, 3, 103, 0.5)]}
    resampled = ["ks", "h_measure", "max_f1", "auprg", uc.f_beta(2), rows.missed_per_thousand]

    def of(*given: Any, **options: Any) -> Situation:
        return Situation(flatten.comparison, lambda: uc.compare(*given, **{"n_resamples": 300} | options))

    return {
        "two": compared(n_resamples=2000),
        "three": compared(3),
        "five": compared(5, metrics=few),
        "five, holm": compared(5, metrics=few, adjust="holm"),
        "three against a reference": compared(3, metrics=few, reference="b"),
        "margin": compared(3, metrics=few, margin=0.05),
        "baselines": compared(2, metrics=["accuracy", "auroc", "brier"], baselines=["majority", "constant"]),
        "whole weights": compared(metrics=few, weights=rows.whole_weights()),
        "fractional weights": compared(metrics=few, weights=rows.fractions()),
        "groups": compared(metrics=[*few, "sensitivity"], groups=rows.clusters()),
        "groups, three and holm": compared(3, metrics=few, groups=rows.clusters(), adjust="holm"),
        "case-control": compared(design="case-control", confidence_level=0.9),
        "another seed": compared(metrics=resampled, rng=7),
        "resampled metrics": compared(metrics=resampled),
        "thresholds of their own": compared(
            threshold={"a": 0.4, "b": 0.6}, metrics=["mcc", "f1", "sensitivity", "npv"]
        ),
        "lr and odds": compared(metrics=["lr_positive", "diagnostic_odds_ratio", "youden_j"]),
        "the same twice": of(y, {"a": scores["a"], "b": scores["a"]}, metrics=few),
        "unlike models": of(y, {"a": scores["a"], "c": third["a"]}, metrics=few),
        "tiny": of([1, 0, 1, 0, 1, 0], {"a": [0.9, 0.2, 0.8, 0.1, 0.6, 0.7], "b": [0.2, 0.9, 0.8, 0.1, 0.5, 0.3]}),
        "texts as labels": of(np.where(y, "yes", "no"), scores, positive="yes", metrics=few),
        "several classes": of(truth, {"a": stated, "b": mixed}),
        "several classes, groups": of(truth, {"a": stated, "b": mixed}, groups=rows.clusters()),
        "several classes, weights": of(truth, {"a": stated, "b": mixed, "c": other}, weights=rows.whole_weights()),
        "several classes, labels": of(NAMES[truth], predicted=called),
        "several classes, margin": of(truth, {"a": stated, "b": mixed}, metrics=["accuracy", "log_loss"], margin=0.1),
    }


def carded(make: Any = rows.draw, **options: Any) -> Situation:
    """A threshold card."""
    return Situation(flatten.card, lambda: uc.threshold_card(*make(), **{"n_resamples": 100, "repeats": 2} | options))


def cards() -> dict[str, Situation]:
    """Threshold cards, exported and applied."""
    y, s = rows.draw(200, 111)
    new = rows.draw(150, 112, share=0.6)[1]

    def card() -> Any:
        return uc.threshold_card(y, s, costs=(1, 10), n_resamples=50, repeats=2)

    return {
        "usual": carded(n_resamples=500, repeats=5),
        "one cost": carded(costs=(1, 10)),
        "costs of two": carded(costs={"clinic": (1, 10), "payer": (5, 1)}),
        "prevalence": carded(prevalence=0.05, costs=(1, 10)),
        "optimism": carded(honest="optimism"),
        "apparent": carded(honest=None),
        "ties": carded(rows.tied),
        "five values": carded(rows.five_values),
        "tiny": carded(partial(rows.draw, 10, 113, 0.5)),
        "margins": carded(rows.margins, threshold=0.0),
        "weights": carded(weights=rows.whole_weights()),
        "case-control": carded(design="case-control", confidence_level=0.9),
        "limits": carded(min_precision=0.99, min_recall=0.5, min_specificity=None, capacity=40, betas=(0.5, 2.0)),
        "few rules and metrics": carded(rules=["youden", "max_mcc"], metrics=["npv", "f1"], folds=5, rng=3),
        "of a table": Situation(
            flatten.card, lambda: uc.threshold_card(uc.score_table(y, s), n_resamples=50, repeats=2)
        ),
        "read again": Situation(flatten.card, lambda: uc.read_card(card().to_json())),
        "applied": Situation(flatten.applied, lambda: uc.apply_card(card(), new, rule="cost")),
        "applied, labels known": Situation(flatten.applied, lambda: card().apply(s, rule="youden", y=y)),
    }


def found_at(make: Any = rows.draw, **options: Any) -> Situation:
    """The indistinguishability threshold."""
    return Situation(
        flatten.indistinguishability, lambda: uc.indistinguishability(*make(), **{"n_resamples": 300} | options)
    )


def indistinguishable() -> dict[str, Situation]:
    """Levels, designs and the randomised version."""
    y, s = rows.draw()
    cats, others = [79, 85, 82, 68, 87, 66], [61, 39, 28, 73, 74, 12]
    return {
        "usual": found_at(n_resamples=2000),
        "level .4": found_at(level=0.4),
        "level .6": found_at(level=0.6),
        "above": found_at(side="above"),
        "mixture": found_at(side="mixture"),
        "no case with itself": found_at(exclude_self=True),
        "influence": found_at(partial(rows.draw, 1000), method="influence", confidence_level=0.9),
        "case-control": found_at(design="case-control"),
        "weights": found_at(weights=rows.whole_weights()),
        "ties": found_at(rows.tied),
        "cats": found_at(lambda: ([1] * 6 + [0] * 6, cats + others)),
        "sampled pairs": Situation(flatten.estimate, lambda: uc.indistinguishability(y, s, n_resamples=50).sampled()),
        "easy negatives": Situation(flatten.easy, lambda: uc.easy_negatives(uc.score_table(y, s))),
        "easy negatives, own factors": Situation(
            flatten.easy, lambda: uc.easy_negatives(uc.score_table(*rows.tied()), factors=[0, 3])
        ),
    }


def bayesian() -> dict[str, Situation]:
    """Prevalence, one person, usefulness."""
    counts = uc.Counts(tp=141, fp=0, fn=67, tn=31)
    plain = uc.Counts(tp=50, fp=10, fn=5, tn=100)

    def test() -> Any:
        return uc.evaluate_counts(tp=50, fp=10, fn=5, tn=100)

    def shifted(**options: Any) -> Situation:
        return Situation(flatten.evaluation, lambda: uc.shift_prevalence(test(), **options))

    def of_rows(prevalence: Any, **options: Any) -> Situation:
        made = lambda: uc.evaluate(*rows.draw(), n_resamples=200, **options)  # noqa: E731
        return Situation(flatten.numbers, lambda: uc.shift_prevalence(made(), prevalence=prevalence))

    known = {"prevalence": 0.01, "sensitivity": 0.9, "specificity": 0.95}
    return {
        "three rates": Situation(flatten.twelve, lambda: uc.bayes(**known)),
        "predictive values": Situation(flatten.twelve, lambda: uc.bayes(precision=0.6, npv=0.97, prevalence=0.1)),
        "queue": Situation(flatten.twelve, lambda: uc.bayes(queue_rate=0.2, precision=0.4, sensitivity=0.8)),
        "undefined": Situation(flatten.twelve, lambda: uc.bayes(prevalence=0.01, sensitivity=0, specificity=1)),
        "four counts": Situation(flatten.twelve, lambda: uc.bayes(tp=141, fp=0, fn=67, tn=31)),
        "posterior of counts": Situation(flatten.person, lambda: uc.posterior(counts, prior=0.05)),
        "posterior of an evaluation": Situation(flatten.person, lambda: uc.posterior(test(), prior=0.05)),
        "posterior of known rates": Situation(flatten.person, lambda: uc.posterior(uc.bayes(**known), prior=0.2)),
        "posterior, prior of a study": Situation(
            flatten.person, lambda: uc.posterior(plain, prior=(5, 100), confidence_level=0.9)
        ),
        "shifted": shifted(prevalence=0.02),
        "shifted to a study": shifted(prevalence=(7, 120)),
        "shifted, level .9": shifted(prevalence=0.5, confidence_level=0.9),
        "shifted to its own prevalence": shifted(prevalence=55 / 165),
        "rows shifted": of_rows(0.05),
        "rows shifted, case-control": of_rows(0.05, design="case-control"),
        "useful": Situation(flatten.useful, lambda: uc.usefulness(plain)),
        "useful without false alarms": Situation(flatten.useful, lambda: uc.usefulness(counts, confidence_level=0.99)),
        "misleading": Situation(flatten.useful, lambda: uc.usefulness(uc.Counts(tp=3, fp=40, fn=30, tn=4))),
        "cannot tell": Situation(flatten.useful, lambda: uc.usefulness(uc.Counts(tp=3, fp=2, fn=2, tn=3))),
    }


def drawn(make: Any, metrics: Any, **options: Any) -> Situation:
    """Bootstrap replicates."""
    asked = {"n_resamples": 400} | options
    return Situation(flatten.replicates, lambda: uc.bootstrap(uc.score_table(*make()), metrics, **asked))


def bootstraps() -> dict[str, Situation]:
    """Replicates under both designs."""
    metrics = ["auroc", "average_precision", "ks", "h_measure"]
    return {
        "cohort": drawn(rows.draw, metrics),
        "case-control": drawn(rows.draw, metrics, design="case-control"),
        "ties, another seed": drawn(rows.tied, metrics, rng=9),
        "decisions": drawn(rows.draw, ["sensitivity", "mcc", "brier"], threshold=0.4),
        "own metrics": drawn(
            rows.draw, [rows.missed_per_thousand, rows.in_first_scores], threshold=0.5, n_resamples=100
        ),
    }


def resolved(model: Any, metrics: Any = RANKED, **options: Any) -> Situation:
    """Resolving power."""
    asked = {"n": 1000, "prevalence": 0.1, "at": [0.75], "n_samples": 300} | options
    given = {key: value for key, value in asked.items() if value is not None}
    return Situation(flatten.resolution, lambda: uc.resolving_power(model(), metrics, **given))


def resolving() -> dict[str, Situation]:
    """Models of scores, methods and plans."""
    own: Any = {"n": None, "prevalence": None, "at": None}
    y, models = rows.rivals()

    def own_scores() -> Any:
        return uc.Empirical(*rows.draw())

    def normal_and_wider() -> Any:
        from scipy import stats

        return uc.Distributions(stats.norm(1, 1.5), stats.norm(0, 1))

    def path() -> Any:
        return uc.ModelSequence(y, dict(reversed(models.items())))

    def planned(model: Any, **options: Any) -> Situation:
        return Situation(flatten.planned, lambda: uc.plan(model(), **options))

    return {
        "binormal": resolved(uc.Binormal, at=[0.65, 0.85]),
        "binormal, wider": resolved(partial(uc.Binormal, sd_ratio=2.0)),
        "binormal, theory": resolved(uc.Binormal, method="asymptotic", at=[0.65, 0.75, 0.85, 0.95], n=10_000),
        "binormal, linear": resolved(uc.Binormal, method="linear", n=4000),
        "binormal, cohort": resolved(uc.Binormal, design="cohort", rng=2),
        "binormal, nearest": resolved(uc.Binormal, mapping="nearest", grid_start=0.0, n=200),
        "uniform": resolved(uc.Uniform),
        "uniform, theory": resolved(uc.Uniform, method="asymptotic", at=[0.8]),
        "distributions": resolved(normal_and_wider, ["auroc", "average_precision"]),
        "beta mixture": resolved(
            lambda: uc.BetaMixture([(1.0, 4.0, 2.0)], [(1.0, 2.0, 4.0)]), ["auroc"], at=[0.8], n=200, n_samples=100
        ),
        "own scores": resolved(own_scores, None, **own, n_samples=200),
        "own scores, theory": resolved(own_scores, None, **own, method="asymptotic"),
        "own scores, other sizes": resolved(own_scores, ["auroc", "brier", "ks"], at=[0.7], n=500),
        "path": resolved(path, ["auroc", "average_precision"], **own),
        "plan": planned(uc.Binormal, difference=0.02, prevalence=0.1),
        "plan for average precision": planned(
            uc.Binormal, metric="average_precision", difference=0.03, prevalence=0.2, at=0.8, method="asymptotic"
        ),
        "plan of own scores": planned(own_scores, difference=0.03, method="asymptotic"),
        "plan with few positives": planned(uc.Binormal, difference=0.1, prevalence=0.3, n_samples=300),
    }


def curves() -> dict[str, Situation]:
    """Curves, bands and definitions."""
    one, other = uc.score_table(*rows.draw()), uc.score_table(*rows.tied(), weights=rows.whole_weights())

    def every(table: Any) -> Situation:
        return Situation(flatten.curves, lambda: {name: uc.curve(name, table) for name in CURVES.split()})

    def banded(*given: Any, **options: Any) -> Situation:
        return Situation(flatten.bands, lambda: uc.band(*given, **{"n_resamples": 200} | options))

    def explained(name: str) -> Situation:
        return Situation(flatten.ledger, lambda: uc.definitions(name, other))

    margins = lambda: uc.evaluate(*rows.margins(), metrics=["auroc"], threshold=0.0)  # noqa: E731
    ranks = ("roc", "precision_recall", "gain")
    return {
        "all": every(one),
        "all, ties and weights": every(other),
        "of an evaluation": Situation(flatten.curves, lambda: {name: margins().curve(name) for name in ranks}),
        **{f"band of {name}": banded(one, name) for name in ranks},
        "band, everywhere at once": banded(other, "roc", kind="simultaneous"),
        "band, case-control": banded(one, "roc", design="case-control", at=[0.05, 0.1, 0.5], confidence_level=0.9),
        **{f"definitions of {name}": explained(name) for name in ("auprc", "auroc", "log_loss", "ks")},
    }


def pages() -> dict[str, Situation]:
    """What a page would hold."""
    y, s = rows.draw(120, 121, digits=2)

    def page(make: Any) -> Situation:
        return Situation(flatten.page, lambda: make().payload())

    few: Any = {"metrics": ["auroc", "sensitivity"], "n_resamples": 100}
    y2, models = rows.rivals(120, names="ab")
    return {
        "evaluation": page(lambda: uc.evaluate(y, s, **few)),
        "evaluation in groups": page(lambda: uc.evaluate(y, s, groups=rows.clusters(120), **few)),
        "counts": page(lambda: uc.evaluate_counts(tp=50, fp=10, fn=5, tn=100)),
        "subgroups": page(lambda: uc.evaluate(y, s, by=rows.chosen(("F", "M"), 120), **few)),
        "comparison": page(lambda: uc.compare(y2, models, **few)),
        "card": page(lambda: uc.threshold_card(y, s, costs={"clinic": (1, 10)}, n_resamples=50)),
        "classes": page(lambda: uc.evaluate(*rows.matrix(120), n_resamples=100)),
        "resolving power": page(lambda: uc.resolving_power(uc.Empirical(y, s), ["auroc"], method="asymptotic")),
    }


def prevalences() -> dict[str, Situation]:
    """Retrained at several prevalences, with a classifier that needs no library."""
    rng = np.random.default_rng(131)
    y = (rng.random(600) < 0.4).astype(np.int64)
    features = (rng.normal(size=(600, 1)) + y[:, None]).round(5)

    class Midpoint:
        """Scores by the distance from the middle between the means of both classes, moved by the prevalence."""

        def fit(self, X: Any, y: Any) -> Any:
            truth = np.asarray(y) == 1
            self.middle = (X[truth].mean() + X[~truth].mean()) / 2 - np.log(truth.mean() / (1 - truth.mean()))
            return self

        def predict_proba(self, X: Any) -> Any:
            p = rows.logistic(X[:, 0] - self.middle).round(6)
            return np.column_stack([1 - p, p])

        classes_ = np.array([0, 1])

    shares = {"training": (0.2, 0.5), "test": (0.2, 0.5)}
    return {
        "study": Situation(flatten.prevalence_study, lambda: uc.prevalence_study(Midpoint(), features, y, **shares))
    }


def situations() -> dict[str, Situation]:
    """All other verbs, by name."""
    parts = {
        "compare": comparisons,
        "card": cards,
        "indistinguishability": indistinguishable,
        "bayes": bayesian,
        "bootstrap": bootstraps,
        "resolving power": resolving,
        "curves": curves,
        "page": pages,
        "prevalence": prevalences,
    }
    return {f"{part}: {name}": each for part, make in parts.items() for name, each in make().items()}
