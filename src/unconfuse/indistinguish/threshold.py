"""The verb: check what was given, find the crossing, put intervals around it."""

from __future__ import annotations

from typing import Any

from unconfuse._errors import InputError
from unconfuse._validate import check_choice, check_probability, check_whole
from unconfuse.curves._curve import plain
from unconfuse.indistinguish import intervals
from unconfuse.indistinguish.crossing import Crossing, LabelledSet, find_crossing
from unconfuse.indistinguish.result import Indistinguishability
from unconfuse.ingest import _old as ingest
from unconfuse.metrics import METRICS
from unconfuse.metrics.indistinguishable import b_values
from unconfuse.results import Estimate, number_text
from unconfuse.table import ScoreTable

TAKES = ("below", "above", "mixture")
METHODS = ("bootstrap", "influence")


def indistinguishability(
    y: Any,
    s: Any = None,
    *,
    level: float = 0.5,
    exclude_self: bool = False,
    take: str = "below",
    design: str = "cohort",
    confidence_level: float = 0.95,
    method: str | None = None,
    n_resamples: int = 2000,
    rng: int = 0,
    weights: Any = None,
    positive: object = None,
    label: str | None = None,
    score: str | None = None,
    weight: str | None = None,
    table: str | None = None,
    query: str | None = None,
    on_bad_row: str = "error",
) -> Indistinguishability:
    r"""The threshold at which labelled and real positives cannot be told apart, and the precision there.

    B(r) is the chance that a random positive outranks a random case with a score of at least r (ties count half). It
    falls as r rises. Where it is 1/2, the scores of the labelled and of the real positives cannot be told apart;
    C(r_b) is the share of the labelled that is real there.

    .. math:: B(r)=\frac{1}{P\,|L|}\sum_{i\in +}\sum_{j\in L}\left([X_i>S_j]+\tfrac12[X_i=S_j]\right),\quad L=\{S\ge r\}

    Parameters
    ----------
    y : array_like, data frame, file or ScoreTable
        Labels; or a frame or file with the columns `label` and `score`; or a table made by `score_table`.
    s : array_like
        Scores, higher for "more likely positive".
    level : float
        Which B to look for; .4 labels fewer cases, .6 more.
    exclude_self : bool
        Compare no case with itself, as the paper does. At level 1/2 the threshold is the same either way.
    take : {"below", "above", "mixture"}
        In a sample B jumps. "below" takes the largest labelled set with B <= level, "above" the smallest with
        B >= level, "mixture" labels a random part of the cases between them, so that B hits the level exactly.
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    method : {"bootstrap", "influence"}, optional
        How the intervals are made. By default C(r_b) has a percentile bootstrap and r_b an interval by inversion: all
        thresholds at which B may be equal to the level. "influence" needs no resampling.
    n_resamples, rng : int
        Size and seed of the bootstrap.
    weights, positive, label, score, weight, table, query, on_bad_row
        As in `score_table`.

    Notes
    -----
    C(r_b) does not change when negatives below r_b are added or taken away, while AUROC does. It moves with prevalence
    as every precision does. There is no r_b when AUROC < 1/2.

    References
    ----------
    Sumpter (2023), Precision at the indistinguishability threshold; our errata correct its equations 10 to 19.

    Examples
    --------
    >>> import unconfuse as uc
    >>> cats, others = [79, 85, 82, 68, 87, 66], [61, 39, 28, 73, 74, 12]
    >>> found = uc.indistinguishability([1] * 6 + [0] * 6, cats + others)
    >>> found.threshold.value, found.labelled.next_score, round(found.precision.value, 3)
    (68.0, 66.0, 0.714)
    >>> found.at(.4).labelled.tp, found.at(.6).labelled.tp
    (4.0, 6.0)
    """
    asked = check_probability(level, "level", open_interval=True)
    for value, name, choices in (
        (take, "take", TAKES),
        (design, "design", ("cohort", "case-control")),
        (method or "bootstrap", "method", METHODS),
    ):
        check_choice(value, name, choices)
    check_probability(confidence_level, "confidence_level", open_interval=True)
    check_whole(n_resamples, "n_resamples", at_least=1)
    options: dict[str, Any] = {
        "design": design,
        "confidence_level": confidence_level,
        "method": method,
        "n_resamples": n_resamples,
        "rng": check_whole(rng, "rng", at_least=0),
    }
    scores = plain(
        ingest.gather_table(
            y,
            s,
            weights=weights,
            positive=positive,
            label=label,
            score=score,
            weight=weight,
            table=table,
            query=query,
            on_bad_row=on_bad_row,
        ).exact("`indistinguishability`")
    )

    crossing = find_crossing(scores, asked, exclude_self=exclude_self)
    labelled = _chosen(scores, crossing, take)
    threshold, precision = _estimates(scores, crossing, labelled, take, **options)
    return Indistinguishability(threshold, precision, asked, labelled, crossing, scores, exclude_self, take, options)


def _chosen(table: ScoreTable, crossing: Crossing, take: str) -> LabelledSet:
    if crossing.above is None:
        raise _never_reached(table, crossing.level)
    if take == "below" and crossing.below is not None:
        return crossing.below
    if take == "above" or (take == "mixture" and crossing.below is not None):
        return crossing.above
    raise InputError(
        f"even the cases with the highest score, {crossing.above.threshold:g}, have B = "
        f"{number_text(crossing.above.b)}, above {crossing.level:g}: so many share that score. Hint: pass take='above' "
        "to use them, or a higher level."
    )


def _never_reached(table: ScoreTable, level: float) -> InputError:
    auroc, largest = float(METRICS["auroc"](table)), float(b_values(table)[-1])
    if auroc < 0.5:
        return InputError(
            f"the scores rank negatives first: AUROC is {number_text(auroc)}, below 1/2, so B(r) never reaches "
            f"{level:g} (at most {number_text(largest)}). Hint: if high scores mean 'negative', pass the scores with "
            "the opposite sign; check which label is positive; otherwise the scores cannot find positives."
        )
    return InputError(
        f"B(r) never reaches {level:g}: even when every case is labelled it is only {number_text(largest)}. "
        "Hint: pass a lower `level`."
    )


def _estimates(
    table: ScoreTable,
    crossing: Crossing,
    labelled: LabelledSet,
    take: str,
    *,
    design: str,
    confidence_level: float,
    method: str | None,
    n_resamples: int,
    rng: int,
) -> tuple[Estimate, Estimate]:
    level = crossing.level
    how: dict[str, Any] = {"confidence_level": confidence_level, "design": design}
    many = {**how, "n_resamples": n_resamples, "rng": rng}
    if method == "influence":
        precise = "influence function, logit", intervals.precision_by_influence(table, level, **how)
    else:
        low, high, words = intervals.precision_by_bootstrap(table, level, **many)
        precise = words, (low, high)
    if method == "bootstrap":
        placed = "percentile bootstrap", intervals.threshold_by_bootstrap(table, level, **many)
    else:
        placed = "inversion of B", intervals.threshold_by_inversion(table, level, **how)
    context = f"level {level:g}, {table.n_positives:g} positives of {table.n:g}"
    value = crossing.mixed_precision if take == "mixture" else labelled.precision
    return (
        Estimate(
            "threshold",
            "Indistinguishability threshold, r_b",
            labelled.threshold,
            *placed[1],
            confidence_level,
            method=placed[0],
            better="neither",
            context=context,
        ),
        Estimate(
            "precision_at_indistinguishability",
            "Precision at indistinguishability, C(r_b)",
            value,
            *precise[1],
            confidence_level,
            method=precise[0],
            baseline=table.prevalence,
            context=context,
        ),
    )
