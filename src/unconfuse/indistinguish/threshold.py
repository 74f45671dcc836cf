"""The indistinguishability threshold of a data set, with everything that belongs to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from unconfuse._deprecated import parameter_aliases, renamed_parameters
from unconfuse._errors import ArgumentError
from unconfuse._validate import check_choice, check_flag, check_probability, check_resamples, check_seed
from unconfuse.curves._curve import single_table
from unconfuse.indistinguish.intervals import IndistinguishabilityRequest
from unconfuse.indistinguish.result import Indistinguishability, found_by
from unconfuse.ingest import DataOptions
from unconfuse.ingest._read import only_table, public_data_api
from unconfuse.table import INTERVAL, Feature, Question, Sample, ScoreTable, Settings, parse_design
from unconfuse.uncertainty.estimate import Estimate

_QUESTION = Question.of("`indistinguishability`", Feature.CLUSTERS)


@parameter_aliases(level="b_level")
@renamed_parameters(take="side")
@public_data_api
def indistinguishability(
    y: Any,
    s: Any = None,
    *,
    b_level: float = 0.5,
    exclude_self: bool = False,
    side: str = "below",
    design: str = "cohort",
    confidence_level: float = 0.95,
    method: str | None = None,
    n_resamples: int = 2000,
    rng: int = 0,
    **data: Unpack[DataOptions],
) -> Indistinguishability:
    r"""Find the threshold at which labelled and real positives cannot be told apart, and the precision there.

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
    b_level : float
        Which B to look for; .4 labels fewer cases, .6 more.
    exclude_self : bool
        Compare no case with itself, as the paper does. At level 1/2 the threshold is the same either way.
    side : {"below", "above", "mixture"}
        In a sample B jumps. "below" takes the largest labelled set with B <= level, "above" the smallest with
        B >= level, "mixture" labels a random part of the cases between them, so that B hits the level exactly.
    design : {"cohort", "case-control"}
        Whether the share of positives came about by itself, or was chosen by the study.
    confidence_level : float
    method : {"bootstrap", "influence"}, optional
        How the intervals are made. By default C(r_b) has a percentile bootstrap and r_b an interval by inversion: all
        thresholds at which B may be equal to the level; where many cases share a score, C(r_b) has the hull of the
        precision's intervals at these thresholds. "influence" needs no resampling, but 200 cases of each class.
    n_resamples, rng : int
        Size and seed of the bootstrap.
    **data
        What the columns mean, which rows to read, which cases belong together: the words of `Data`. Groups are
        resampled whole.

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
    >>> found.threshold.value, found.labelled_set.next_score, round(found.precision.value, 3)
    (68.0, 66.0, 0.714)
    >>> found.at_level(.4).labelled_set.tp, found.at_level(.6).labelled_set.tp
    (4.0, 6.0)
    """
    b_level = check_probability(b_level, "b_level", open_interval=True)
    check_choice(side, "side", ("below", "above", "mixture"))
    fixed_classes = parse_design(design)
    settings = Settings(
        check_probability(confidence_level, "confidence_level", open_interval=True),
        check_resamples(n_resamples, at_least=1),
        check_seed(rng),
    )
    check_choice("bootstrap" if method is None else method, "method", ("bootstrap", "influence"))
    sample = only_table(y, s, data, _QUESTION).with_design(fixed_classes)
    if sample.sampling.clustered:
        _refuse_for_groups(side, method)
    apart = check_flag(exclude_self, "exclude_self")
    return found_by(IndistinguishabilityRequest(sample, _scores(sample), b_level, apart, side, method, settings))


def crossing_in(sample: Sample, settings: Settings, known: Mapping[str, Estimate]) -> Indistinguishability:
    """Find r_b in the cases of an evaluation, with its own settings and what it has estimated already."""
    sample = only_table(sample, None, {}, _QUESTION)
    return found_by(IndistinguishabilityRequest(sample, _scores(sample), 0.5, False, "below", None, settings, known))


def _scores(sample: Sample) -> ScoreTable:
    scores = single_table(sample.table().exact("`indistinguishability`"))
    sample.sampling.require(INTERVAL)
    return scores


def _refuse_for_groups(take: str, method: str | None) -> None:
    if take != "below" or method == "influence":
        given = f"side={take!r}" if take != "below" else f"method={method!r}"
        raise ArgumentError(
            f"cases in groups are resampled whole, which serves the largest set below the level; got {given}. Hint: "
            "leave it out."
        )
