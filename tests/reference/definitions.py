"""Metrics of two classes by their definitions: plain loops over rows, pairs of rows and thresholds, never the library.

Rows are pairs (is it positive?, score); a weight is a row that stands there several times. Values that do not exist are
NaN. Slow on purpose: nothing here is sorted, cumulated or rearranged, so that it can be read beside the formula.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from statistics import NormalDist

from scipy import integrate, optimize, stats

Row = tuple[bool, float]
Rows = Sequence[Row]
Labelled = Sequence[tuple[bool, bool]]  # (is it positive?, is it labelled positive?)
Event = Callable[[bool, bool], bool]
PRECISELY = {"epsabs": 1e-14, "epsrel": 1e-13, "limit": 200}


def mean(values: Iterable[float]) -> float:
    held = list(values)
    return math.fsum(held) / len(held) if held else math.nan


def divided(above: float, below: float) -> float:
    """x/0 is infinite, 0/0 does not exist."""
    if below:
        return above / below
    return math.inf if above > 0 else math.nan


# --- decisions -----------------------------------------------------------------------------------------------------


def labelled(rows: Rows, threshold: float) -> Labelled:
    return [(truth, score >= threshold) for truth, score in rows]


def share(rows: Labelled, event: Event, given: Event = lambda truth, label: True) -> float:
    """How often an event happens among the rows of a kind."""
    return mean(float(event(*row)) for row in rows if given(*row))


def is_positive(truth: bool, label: bool) -> bool:
    return truth


def is_negative(truth: bool, label: bool) -> bool:
    return not truth


def called(truth: bool, label: bool) -> bool:
    return label


def not_called(truth: bool, label: bool) -> bool:
    return not label


def correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Pearson's."""
    x, y = mean(a for a, _ in pairs), mean(b for _, b in pairs)
    together = mean((a - x) * (b - y) for a, b in pairs)
    return divided(together, math.sqrt(mean((a - x) ** 2 for a, _ in pairs) * mean((b - y) ** 2 for _, b in pairs)))


def odds(probability: float) -> float:
    return divided(probability, 1 - probability)


def kappa(rows: Labelled) -> float:
    """Agreement beyond that of a truth and a label of two cases drawn apart."""
    agreed = share(rows, lambda truth, label: truth == label)
    by_chance = mean(float(truth == label) for truth, _ in rows for _, label in rows)
    return divided(agreed - by_chance, 1 - by_chance)


def overlap(rows: Labelled) -> tuple[int, int, int]:
    """Sizes of the set of positives, of the set of labelled cases, and of what they share."""
    positives = {i for i, (truth, _) in enumerate(rows) if truth}
    chosen = {i for i, (_, label) in enumerate(rows) if label}
    return len(positives), len(chosen), len(positives & chosen)


def f_score(beta: float, rows: Labelled) -> float:
    """Van Rijsbergen's: the weighted harmonic mean of precision and sensitivity."""
    positives, chosen, both = overlap(rows)
    if not positives and not chosen:
        return math.nan
    if not both:
        return 0.0
    part = 1 / (1 + beta**2)
    return 1 / (part / (both / chosen) + (1 - part) / (both / positives))


def mean_cost(fp: float, fn: float, rows: Labelled) -> float:
    costs = {(False, True): fp, (True, False): fn}
    return mean(costs.get(row, 0.0) for row in rows)


def net_benefit(threshold: float, rows: Labelled) -> float:
    gained = share(rows, lambda truth, label: truth and label)
    return gained - odds(threshold) * share(rows, lambda truth, label: label and not truth)


def jaccard(rows: Labelled) -> float:
    positives, chosen, both = overlap(rows)
    return divided(both, positives + chosen - both)


def gilbert_skill_score(rows: Labelled) -> float:
    """The threat score, without as many hits as chance would have."""
    positives, chosen, both = overlap(rows)
    by_chance = positives * chosen / len(rows)
    return divided(both - by_chance, positives + chosen - both - by_chance)


def d_prime(rows: Labelled) -> float:
    """How far apart the thresholds are that normal scores of the two classes would have."""

    def deviate(p: float) -> float:
        return NormalDist().inv_cdf(p) if 0 < p < 1 else math.inf * (p - 0.5)

    return deviate(share(rows, called, is_positive)) - deviate(share(rows, called, is_negative))


def mutual_information(rows: Labelled) -> float:
    """How much less uncertain the truth is once the label is known: entropies, in nats."""

    def entropy(shares: list[float]) -> float:
        return -math.fsum(each * math.log(each) for each in shares if each > 0)

    known = entropy([share(rows, is_positive), share(rows, is_negative)])
    left = 0.0
    for wanted in (True, False):
        own = [row for row in rows if called(*row) == wanted]
        if own:
            left += len(own) / len(rows) * entropy([share(own, is_positive), share(own, is_negative)])
    return known - left


OF_LABELS: dict[str, Callable[[Labelled], float]] = {
    "accuracy": lambda rows: share(rows, lambda truth, label: truth == label),
    "misclassification_rate": lambda rows: share(rows, lambda truth, label: truth != label),
    "null_accuracy": lambda rows: max(share(rows, is_positive), share(rows, is_negative)),
    "null_error_rate": lambda rows: min(share(rows, is_positive), share(rows, is_negative)),
    "sensitivity": lambda rows: share(rows, called, is_positive),
    "specificity": lambda rows: share(rows, not_called, is_negative),
    "false_positive_rate": lambda rows: share(rows, called, is_negative),
    "false_negative_rate": lambda rows: share(rows, not_called, is_positive),
    "precision": lambda rows: share(rows, is_positive, called),
    "npv": lambda rows: share(rows, is_negative, not_called),
    "false_discovery_rate": lambda rows: share(rows, is_negative, called),
    "false_omission_rate": lambda rows: share(rows, is_positive, not_called),
    "prevalence": lambda rows: share(rows, is_positive),
    "queue_rate": lambda rows: share(rows, called),
    "negative_queue_rate": lambda rows: share(rows, not_called),
    "joint_true_positive": lambda rows: share(rows, lambda truth, label: truth and label),
    "joint_false_positive": lambda rows: share(rows, lambda truth, label: label and not truth),
    "joint_false_negative": lambda rows: share(rows, lambda truth, label: truth and not label),
    "joint_true_negative": lambda rows: share(rows, lambda truth, label: not truth and not label),
    "balanced_accuracy": lambda rows: (share(rows, called, is_positive) + share(rows, not_called, is_negative)) / 2,
    "f1": lambda rows: f_score(1, rows),
    "youden_j": lambda rows: share(rows, called, is_positive) - share(rows, called, is_negative),
    "markedness": lambda rows: share(rows, is_positive, called) - share(rows, is_positive, not_called),
    "mcc": lambda rows: correlation([(float(truth), float(label)) for truth, label in rows]),
    "cohen_kappa": kappa,
    "fowlkes_mallows": lambda rows: math.sqrt(share(rows, is_positive, called) * share(rows, called, is_positive)),
    "g_mean": lambda rows: math.sqrt(share(rows, called, is_positive) * share(rows, not_called, is_negative)),
    "jaccard": jaccard,
    "lr_positive": lambda rows: divided(share(rows, called, is_positive), share(rows, called, is_negative)),
    "lr_negative": lambda rows: divided(share(rows, not_called, is_positive), share(rows, not_called, is_negative)),
    "diagnostic_odds_ratio": lambda rows: divided(
        odds(share(rows, called, is_positive)), odds(share(rows, called, is_negative))
    ),
    "gilbert_skill_score": gilbert_skill_score,
    "d_prime": d_prime,
    "mutual_information": mutual_information,
    "f_beta(0.5)": lambda rows: f_score(0.5, rows),
    "f_beta(2)": lambda rows: f_score(2, rows),
    "expected_cost(fp=1, fn=10)": lambda rows: mean_cost(1, 10, rows),
    "expected_cost(fp=2, fn=0.5)": lambda rows: mean_cost(2, 0.5, rows),
    "net_benefit(0.2)": lambda rows: net_benefit(0.2, rows),
    "net_benefit(0.6)": lambda rows: net_benefit(0.6, rows),
}

# --- ranks ---------------------------------------------------------------------------------------------------------


def win(first: float, second: float) -> float:
    return 1.0 if first > second else 0.5 if first == second else 0.0


def scores_of(rows: Rows, wanted: bool) -> list[float]:
    return [score for truth, score in rows if truth == wanted]


def thresholds(rows: Rows) -> list[float]:
    """Every way to cut the list: above all scores, and at each of them, the highest first."""
    return [math.inf, *sorted({score for _, score in rows}, reverse=True)]


def auroc(rows: Rows) -> float:
    return mean(win(x, y) for x in scores_of(rows, True) for y in scores_of(rows, False))


def somers_d(rows: Rows) -> float:
    pairs = list(itertools.product(scores_of(rows, True), scores_of(rows, False)))
    return mean(float(x > y) - float(y > x) for x, y in pairs)


def best(rows: Rows, measure: Callable[[Labelled], float]) -> float:
    """The largest value over all thresholds at which there is one."""
    values = [measure(labelled(rows, each)) for each in thresholds(rows)]
    return max((each for each in values if not math.isnan(each)), default=math.nan)


def roc(rows: Rows) -> list[tuple[float, float]]:
    cuts = [labelled(rows, each) for each in thresholds(rows)]
    return [(share(each, called, is_negative), share(each, called, is_positive)) for each in cuts]


def height_between(left: tuple[float, float], right: tuple[float, float], x: float) -> float:
    (x0, y0), (x1, y1) = left, right
    return max(y0, y1) if x0 == x1 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def equal_error_rate(rows: Rows) -> float:
    """Where the straight lines between the points of the curve cross the line from (0, 1) to (1, 0)."""
    points = [(0.0, 0.0), *roc(rows), (1.0, 1.0)]
    for (x0, y0), (x1, y1) in itertools.pairwise(sorted(points)):
        if x0 + y0 <= 1 <= x1 + y1:
            step = (x1 - x0) + (y1 - y0)
            return x0 if step == 0 else x0 + (x1 - x0) * (1 - x0 - y0) / step
    return math.nan


def hull_area(rows: Rows) -> float:
    """The hull at x is the highest chord between two points of the curve; it bends at such points only."""
    points = roc(rows)
    places = sorted({x for x, _ in points})
    heights = {x: max(height_between(a, b, x) for a in points for b in points if a[0] <= x <= b[0]) for x in places}
    return math.fsum((b - a) * (heights[a] + heights[b]) / 2 for a, b in itertools.pairwise(places))


def over_roc(rows: Rows, weight: Callable[[float], float], end: float = 1.0) -> float:
    """The integral of the sensitivity times a weight over the false positive rates up to an end."""
    total = 0.0
    for left, right in itertools.pairwise(roc(rows)):
        if left[0] < min(right[0], end):
            inside = (left[0], min(right[0], end))
            total += integrate.quad(
                lambda x, a=left, b=right: height_between(a, b, x) * weight(x), *inside, **PRECISELY
            )[0]
    return total


def partial_auroc(limit: float, form: str, rows: Rows) -> float:
    area = over_roc(rows, lambda x: 1.0, limit)
    least, most = limit**2 / 2, limit
    return {"mcclish": (1 + (area - least) / (most - least)) / 2, "box": area / limit, "raw": area}[form]


def concentrated_auroc(alpha: float, rows: Rows) -> float:
    return over_roc(rows, lambda x: alpha * math.exp(-alpha * x) / (1 - math.exp(-alpha)))


def average_precision(rows: Rows) -> float:
    return mean(share(labelled(rows, each), is_positive, called) for each in scores_of(rows, True))


def trapezoids(rows: Rows) -> float:
    cuts = [labelled(rows, each) for each in thresholds(rows)[1:]]
    points = [(0.0, 1.0)] + [(share(each, called, is_positive), share(each, is_positive, called)) for each in cuts]
    return math.fsum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in itertools.pairwise(points))


def stretches(rows: Rows) -> list[tuple[int, int, int, int]]:
    """For every tied score with positives: true and false positives above it, and positives and negatives at it."""
    found = []
    for score in thresholds(rows)[1:]:
        above, at = ([row for row in rows if row[1] > score], [row for row in rows if row[1] == score])
        counts = [sum(truth == wanted for truth, _ in part) for part in (above, at) for wanted in (True, False)]
        if counts[2]:
            found.append((counts[0], counts[1], counts[2], counts[3]))
    return found


def precision_within(stretch: tuple[int, int, int, int], t: float) -> float:
    """Precision once `t` positives are found, when both classes of a tied score come in evenly."""
    tp, fp, positives, negatives = stretch
    if t == 0 and fp == 0:
        return positives / (positives + negatives)
    return t / (t + fp + negatives * (t - tp) / positives)


def davis_goadrich(rows: Rows) -> float:
    """A straight line over every single positive, from the precision just before it to that with it."""
    units = [
        (precision_within(each, t - 1) + precision_within(each, t)) / 2
        for each in stretches(rows)
        for t in range(each[0] + 1, each[0] + each[2] + 1)
    ]
    return mean(units)


def over_positives(rows: Rows, density: Callable[[float, float], float], start: float = 0.0) -> float:
    """The integral of a function of (positives found, precision then) over the positives found."""
    total = 0.0
    for each in stretches(rows):
        first, last = max(start, each[0]), each[0] + each[2]
        if first < last:
            total += integrate.quad(lambda t, at=each: density(t, precision_within(at, t)), first, last, **PRECISELY)[0]
    return total


def integral_of_precision(rows: Rows) -> float:
    return over_positives(rows, lambda t, precision: precision) / len(scores_of(rows, True))


def gain_area(rows: Rows) -> float:
    """Flach & Kull's gains: (v - pi)/((1 - pi) v) of precision and of recall, where the recall gain is 0 or more."""
    n_positives = len(scores_of(rows, True))
    pi = n_positives / len(rows)

    def density(t: float, precision: float) -> float:
        gain = (precision - pi) / ((1 - pi) * precision) if precision else -math.inf
        slope = pi / (1 - pi) * n_positives / t**2  # of the recall gain, by the positives found
        return gain * slope

    return over_positives(rows, density, start=pi * n_positives)


SHAPES: dict[str, Callable[[float], tuple[float, float]]] = {
    "hand2014": lambda pi: (1 + pi, 1 + (1 - pi)),
    "beta22": lambda pi: (2, 2),
    "severity_ratio": lambda pi: (2, 1 + (1 - pi) / pi),
}


def h_measure(shape: Callable[[float], tuple[float, float]], rows: Rows) -> float:
    """1 - expected smallest loss/that of giving all cases one label, over costs c of a false positive."""
    pi, points = len(scores_of(rows, True)) / len(rows), sorted(set(roc(rows)))

    def least(c: float, among: list[tuple[float, float]]) -> float:
        return min(c * (1 - pi) * fpr + (1 - c) * pi * (1 - tpr) for fpr, tpr in among)

    def expected(among: list[tuple[float, float]]) -> float:
        """Losses are straight lines in c: between their crossings one of them is the least."""
        crossings = {0.0, 1.0}
        for (fpr, tpr), (fpr2, tpr2) in itertools.combinations(among, 2):
            rise, fall = (1 - pi) * (fpr2 - fpr), pi * (tpr2 - tpr)
            if rise + fall and 0 < fall / (rise + fall) < 1:
                crossings.add(fall / (rise + fall))
        density = stats.beta(*shape(pi)).pdf
        pieces = itertools.pairwise(sorted(crossings))
        return math.fsum(
            integrate.quad(lambda c: least(c, among) * density(c), *piece, **PRECISELY)[0] for piece in pieces
        )

    return 1 - expected(points) / expected([(0.0, 0.0), (1.0, 1.0)])


def precision_among(size: float, rows: Rows) -> float:
    """Among the `size` best cases, where lots decide between tied ones: each counts by its chance to be on the list."""
    if size > len(rows):
        return math.nan
    chances = []
    for truth, score in rows:
        higher, tied = (sum(keep(other, score) for _, other in rows) for keep in (float.__gt__, float.__eq__))
        chances.append(truth * min(max((size - higher) / tied, 0.0), 1.0))
    return math.fsum(chances) / size


def precision_at_b(level: str, rows: Rows) -> float:
    """Of the largest labelled set that a random positive outranks at most that often, if all cases together are
    outranked at least that often.
    """
    reached, positives, wanted = math.nan, scores_of(rows, True), Fraction(level)
    for threshold in thresholds(rows)[1:]:
        chosen = [(truth, score) for truth, score in rows if score >= threshold]
        wins = sum(Fraction(win(x, score)) for x in positives for _, score in chosen)
        outranks = wins / (len(positives) * len(chosen))
        if outranks <= wanted:
            reached = mean(float(truth) for truth, _ in chosen)
    return reached if outranks >= wanted else math.nan


def rates_at(rows: Rows) -> list[tuple[Fraction, Fraction, Fraction | None]]:
    """Sensitivity, specificity and precision with the threshold above all scores and at each, highest first."""
    found = []
    n_positives, n_negatives = (len(scores_of(rows, truth)) for truth in (True, False))
    for threshold in [math.inf, *sorted({score for _, score in rows}, reverse=True)]:
        tp = sum(truth and score >= threshold for truth, score in rows)
        fp = sum(not truth and score >= threshold for truth, score in rows)
        precision = Fraction(tp, tp + fp) if tp + fp else None
        found.append((Fraction(tp, n_positives), 1 - Fraction(fp, n_negatives), precision))
    return found


def specificity_at_sensitivity(level: str, rows: Rows) -> float:
    return float(next(specificity for found, specificity, _ in rates_at(rows) if found >= Fraction(level)))


def sensitivity_at_specificity(level: str, rows: Rows) -> float:
    return float(max(found for found, specificity, _ in rates_at(rows) if specificity >= Fraction(level)))


def precision_at_recall(level: str, rows: Rows) -> float:
    return float(next(precision for found, _, precision in rates_at(rows) if found >= Fraction(level)))


def recall_at_precision(level: str, rows: Rows) -> float:
    held = [found for found, _, precision in rates_at(rows) if precision is not None and precision >= Fraction(level)]
    return float(max(held, default=0))


def is_mixed(measure: Callable[[Labelled], float]) -> Callable[[Labelled], float]:
    """A measure that does not count where all cases get the same label."""
    return lambda rows: measure(rows) if len({label for _, label in rows}) == 2 else math.nan


def bedroc(alpha: float, rows: Rows) -> float:
    """Truchon and Bayly's formula, averaged over the places that each tie may take."""
    n, positives = len(rows), scores_of(rows, True)
    total = 0.0
    for score in positives:
        ahead = sum(other > score for _, other in rows)
        tied = sum(other == score for _, other in rows)
        total += mean(math.exp(-alpha * (ahead + place) / n) for place in range(1, tied + 1))
    share = len(positives) / n
    enhancement = total / len(positives) * n * math.expm1(alpha / n) / -math.expm1(-alpha)
    spread = math.cosh(alpha / 2) - math.cosh(alpha / 2 - alpha * share)
    return enhancement * share * math.sinh(alpha / 2) / spread - 1 / math.expm1(alpha * (1 - share))


def least_cost(prior: float, miss: float, alarm: float, rows: Rows) -> float:
    """Over all thresholds, as a share of what the better blind decision costs."""
    found = [
        miss * prior * mean(float(score < cut) for score in scores_of(rows, True))
        + alarm * (1 - prior) * mean(float(score >= cut) for score in scores_of(rows, False))
        for cut in thresholds(rows)
    ]
    return min(found) / min(miss * prior, alarm * (1 - prior))


OF_RANKS: dict[str, Callable[[Rows], float]] = {
    "bedroc(20)": lambda rows: bedroc(20, rows),
    "bedroc(5)": lambda rows: bedroc(5, rows),
    "min_detection_cost(0.01)": lambda rows: least_cost(0.01, 1, 1, rows),
    "min_detection_cost(0.2, miss=10, false_alarm=1)": lambda rows: least_cost(0.2, 10, 1, rows),
    "auroc": auroc,
    "gini": somers_d,
    "ks": lambda rows: best(rows, lambda cut: abs(OF_LABELS["youden_j"](cut))),
    "max_youden": lambda rows: best(rows, OF_LABELS["youden_j"]),
    "equal_error_rate": equal_error_rate,
    "auch": hull_area,
    "partial_auroc": lambda rows: partial_auroc(0.1, "mcclish", rows),
    "partial_auroc(0.3)": lambda rows: partial_auroc(0.3, "mcclish", rows),
    "partial_auroc(0.25, form='box')": lambda rows: partial_auroc(0.25, "box", rows),
    "partial_auroc(0.6, form='raw')": lambda rows: partial_auroc(0.6, "raw", rows),
    "concentrated_auroc(7)": lambda rows: concentrated_auroc(7, rows),
    "concentrated_auroc(2)": lambda rows: concentrated_auroc(2, rows),
    "average_precision": average_precision,
    "auprc_trapezoid": trapezoids,
    "auprc_davis_goadrich": davis_goadrich,
    "auprc_integral": integral_of_precision,
    "auprg": gain_area,
    "h_measure": lambda rows: h_measure(SHAPES["hand2014"], rows),
    "h_measure('beta22')": lambda rows: h_measure(SHAPES["beta22"], rows),
    "h_measure('severity_ratio')": lambda rows: h_measure(SHAPES["severity_ratio"], rows),
    "h_measure((3, 1.5))": lambda rows: h_measure(lambda pi: (3, 1.5), rows),
    "max_f1": lambda rows: best(rows, OF_LABELS["f1"]),
    "max_mcc": lambda rows: best(rows, is_mixed(OF_LABELS["mcc"])),
    "break_even_precision": lambda rows: precision_among(len(scores_of(rows, True)), rows),
    "precision_at_indistinguishability": lambda rows: precision_at_b("0.5", rows),
    "precision_at_b(0.4)": lambda rows: precision_at_b("0.4", rows),
    "precision_at_b(0.55)": lambda rows: precision_at_b("0.55", rows),
    "precision_at_k(3)": lambda rows: precision_among(3, rows),
    "precision_at_k(0.4)": lambda rows: precision_among(0.4 * len(rows), rows),
    "lift_at(0.25)": lambda rows: precision_among(0.25 * len(rows), rows) / mean(float(truth) for truth, _ in rows),
    "specificity_at_sensitivity(0.95)": lambda rows: specificity_at_sensitivity("0.95", rows),
    "specificity_at_sensitivity(0.6)": lambda rows: specificity_at_sensitivity("0.6", rows),
    "sensitivity_at_specificity(0.9)": lambda rows: sensitivity_at_specificity("0.9", rows),
    "sensitivity_at_specificity(0.5)": lambda rows: sensitivity_at_specificity("0.5", rows),
    "fpr_at_tpr(0.95)": lambda rows: 1 - specificity_at_sensitivity("0.95", rows),
    "fpr_at_tpr(0.5)": lambda rows: 1 - specificity_at_sensitivity("0.5", rows),
    "precision_at_recall(0.9)": lambda rows: precision_at_recall("0.9", rows),
    "precision_at_recall(0.5)": lambda rows: precision_at_recall("0.5", rows),
    "recall_at_precision(0.9)": lambda rows: recall_at_precision("0.9", rows),
    "recall_at_precision(0.6)": lambda rows: recall_at_precision("0.6", rows),
    "lift_at(0.5)": lambda rows: precision_among(0.5 * len(rows), rows) / mean(float(truth) for truth, _ in rows),
}

# --- probabilities -------------------------------------------------------------------------------------------------


def brier(rows: Rows) -> float:
    return mean((score - truth) ** 2 for truth, score in rows)


def observed_expected_ratio(rows: Rows) -> float:
    return divided(sum(truth for truth, _ in rows), math.fsum(score for _, score in rows))


def log_loss_skill(rows: Rows) -> float:
    prevalence = mean(float(truth) for truth, _ in rows)
    own, stated = (
        mean(-math.log(p if truth else 1 - p) for truth, p in each)
        for each in (rows, [(truth, prevalence) for truth, _ in rows])
    )
    return 1 - own / stated


def brier_skill(rows: Rows) -> float:
    prevalence = mean(float(truth) for truth, _ in rows)
    return 1 - brier(rows) / brier([(truth, prevalence) for truth, _ in rows])


def calibration_gaps(rows: Rows, bin_of: Callable[[float], int], n_bins: int) -> float:
    """Over bins: the share of rows in it times the distance of what was stated from what happened."""
    gaps = []
    for each in range(n_bins):
        inside = [(truth, score) for truth, score in rows if bin_of(score) == each]
        if inside:
            gap = mean(score for _, score in inside) - mean(float(truth) for truth, _ in inside)
            gaps.append(len(inside) / len(rows) * abs(gap))
    return math.fsum(gaps)


def equal_width(n_bins: int) -> Callable[[float], int]:
    """Bins (a, b]; 0 belongs to the first. Exact: a score is the decimal number that was written down."""
    return lambda score: max(math.ceil(Fraction(repr(score)) * n_bins) - 1, 0)


def equal_mass(n_bins: int, rows: Rows) -> Callable[[float], int]:
    """All rows of a score go where the middle of their places lies."""

    def bin_of(score: float) -> int:
        lower, tied = sum(other < score for _, other in rows), sum(other == score for _, other in rows)
        return int(n_bins * Fraction(2 * lower + tied, 2 * len(rows)))

    return bin_of


def log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


def surplus(intercept: float, slope: float, rows: Rows) -> tuple[float, float]:
    """The slopes of the log-likelihood of a recalibration."""
    gaps = [(truth - 1 / (1 + math.exp(-intercept - slope * log_odds(p))), log_odds(p)) for truth, p in rows]
    return math.fsum(gap for gap, _ in gaps), math.fsum(gap * x for gap, x in gaps)


def calibration_intercept(rows: Rows) -> float:
    return float(optimize.brentq(lambda a: surplus(a, 1.0, rows)[0], -30, 30, xtol=1e-15, rtol=1e-15))


def calibration_slope(rows: Rows) -> float:
    if auroc(rows) in (0.0, 1.0):
        return math.nan  # the classes are apart: ever steeper slopes fit ever better
    found = optimize.root(lambda at: surplus(*at, rows), [0.0, 1.0], tol=1e-14)
    assert max(map(abs, surplus(*found.x, rows))) < 1e-10
    return float(found.x[1])


def clipped_log_loss(eps: float, rows: Rows) -> float:
    stated = (max(eps, min(1 - eps, score if truth else 1 - score)) for truth, score in rows)
    return mean(-math.log(each) for each in stated)


OF_PROBABILITIES: dict[str, Callable[[Rows], float]] = {
    "brier": brier,
    "brier_skill": brier_skill,
    "log_loss_skill": log_loss_skill,
    "observed_expected_ratio": observed_expected_ratio,
    "log_loss": lambda rows: mean(-math.log(score if truth else 1 - score) for truth, score in rows),
    "clipped_log_loss()": lambda rows: clipped_log_loss(2.0**-52, rows),
    "clipped_log_loss(0.01)": lambda rows: clipped_log_loss(0.01, rows),
    "ece": lambda rows: calibration_gaps(rows, equal_width(15), 15),
    "ece(4)": lambda rows: calibration_gaps(rows, equal_width(4), 4),
    "ece(5, binning='equal_mass')": lambda rows: calibration_gaps(rows, equal_mass(5, rows), 5),
    "calibration_intercept": calibration_intercept,
    "calibration_slope": calibration_slope,
}
