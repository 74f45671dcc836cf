"""The questions put to Spark, as SQL: the same text for a classic session and for Spark Connect.

The prepared rows have the columns `positive`, `s0`, `s1`, ... (scores), `k0`, ... (what a table is grouped by: the
score, or its bin), and where they are needed `t0`, ... (scores as they were written), `w` (weight), `unit` (the
group or the case, hashed) and `b0`, ... (what divides rows into subgroups). With several classes, `truth` is the number
of the class instead of `positive`, and there is one score for each class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unconfuse._validate import (
    BAD_WEIGHT,
    INFINITE,
    INFINITE_SCORE,
    MISSING_GROUP,
    MISSING_LABEL,
    MISSING_PREDICTION,
    MISSING_SCORE,
    NEGATIVE,
    NO_GROUP,
    NO_NUMBER,
    NOT_NUMBERS,
    Fault,
)

# Which column a complaint is about, and what it says.
PROBLEMS: dict[int, tuple[str, Fault]] = {
    1: ("weight", NO_NUMBER),
    2: ("weight", INFINITE),
    3: ("weight", NEGATIVE),
    4: ("score", NOT_NUMBERS),
    5: ("score", NO_NUMBER),
    6: ("score", INFINITE),
    7: ("unit", NO_GROUP),
}


def quoted(name: str) -> str:
    """A column name as Spark reads it.

    >>> quoted("a.b`c")
    '`a.b``c`'
    """
    return "`" + name.replace("`", "``") + "`"


def tables(
    models: int, *, weighted: bool, has_units: bool, binned: bool, text: bool, by: int = 0, positive: str = "positive"
) -> str:
    """Every model's table and every complaint about a row, from one pass: a complaint is a group of its own.

    `positive` says what a positive is to the model whose number stands for the braces.
    """
    written = "t{}" if text else "CAST(NULL AS STRING)"
    entries = ", ".join(
        f"{model}, s{model}, k{model}, {written.format(model)}, {positive.format(model)}" for model in range(models)
    )
    divided = [f"b{place}" for place in range(by)]
    others = [*(name for name, kept in (("w", weighted), ("unit", has_units)) if kept), *divided]
    groups = ", ".join(["model", "problem", "key", *divided])
    shown = ", ".join(["model", "problem", *divided])
    count = "w" if weighted else "1"
    return f"""
    SELECT {shown}, min(IF(problem BETWEEN 1 AND 3, {count}, score)) AS low,
           {"max(score) AS high," if binned else ""} min(IF(problem = 4, text, NULL)) AS text,
           CAST(IF(problem > 0, count(*), sum(IF(positive, {count}, 0))) AS DOUBLE) AS positives,
           CAST(IF(problem > 0, 0, sum(IF(positive, 0, {count}))) AS DOUBLE) AS negatives
    FROM (
        SELECT positive, {"w," if weighted else ""} score, text, {shown}, IF(problem > 0, NULL, key) AS key
        FROM (
            SELECT *, {_problem(weighted, has_units)} AS problem
            FROM (SELECT {"".join(f"{name}, " for name in others)}
                         stack({models}, {entries}) AS (model, score, key, text, positive)
                  FROM {{rows}})
        )
    )
    GROUP BY {groups}"""


def subgroups(by: int) -> str:
    """How many combinations of values divide the rows."""
    divided = ", ".join(f"b{place}" for place in range(by))
    return f"SELECT count(*) AS n FROM (SELECT DISTINCT {divided} FROM {{rows}})"


def _problem(weighted: bool, has_units: bool) -> str:
    cases = []
    if weighted:
        cases += ["WHEN w IS NULL OR isnan(w) THEN 1", "WHEN abs(w) = double('Infinity') THEN 2", "WHEN w < 0 THEN 3"]
    cases += [
        "WHEN score IS NULL AND text IS NOT NULL THEN 4",
        "WHEN score IS NULL OR isnan(score) THEN 5",
        "WHEN abs(score) = double('Infinity') THEN 6",
    ]
    if has_units:
        cases.append("WHEN unit IS NULL THEN 7")
    return f"CASE {' '.join(cases)} ELSE 0 END"


def bad_rows(models: int, *, weighted: bool, has_units: bool, truth: str, predicted: bool) -> str:
    """Why a row cannot be used, by the first reason that holds; an empty text if it can."""
    scores = [f"s{model}" for model in range(models)]
    cases = {
        MISSING_LABEL: f"{truth} IS NULL",
        MISSING_PREDICTION: "predicted IS NULL" if predicted else "false",
        MISSING_SCORE: " OR ".join(f"{score} IS NULL OR isnan({score})" for score in scores),
        INFINITE_SCORE: " OR ".join(f"abs({score}) = double('Infinity')" for score in scores),
        BAD_WEIGHT: "w IS NULL OR isnan(w) OR w < 0 OR w = double('Infinity')" if weighted else "false",
        MISSING_GROUP: "unit IS NULL" if has_units else "false",
    }
    return f"CASE {' '.join(f'WHEN {bad} THEN {reason!r}' for reason, bad in cases.items())} ELSE '' END"


def distinct_scores(models: int) -> str:
    """About how many distinct scores each model has; the same for any partitioning."""
    return (
        "SELECT "
        + ", ".join(f"approx_count_distinct(s{model}) AS n{model}" for model in range(models))
        + (" FROM {rows}")
    )


def sampled_scores(models: int, shares: Sequence[int], *, weighted: bool) -> str:
    """One in so many distinct scores of each model, chosen by their hash, with the weight of all their rows."""
    entries = ", ".join(f"{model}, s{model}, {share}" for model, share in enumerate(shares))
    count = "w" if weighted else "1"
    return f"""
    SELECT model, score, CAST(sum({count}) AS DOUBLE) AS weight
    FROM (SELECT {"w," if weighted else ""} stack({models}, {entries}) AS (model, score, share) FROM {{rows}})
    WHERE score > double('-Infinity') AND score < double('Infinity') AND pmod(xxhash64(score), share) = 0
    GROUP BY model, score"""


def label_patterns(thresholds: Sequence[float], *, weighted: bool) -> str:
    """Cases by truth and by the labels of all models."""
    groups = ", ".join(["positive", *(f"l{model}" for model in range(len(thresholds)))])
    labelled = ", ".join(f"s{model} >= {number(cut)} AS l{model}" for model, cut in enumerate(thresholds))
    return f"""
    SELECT {groups}, CAST(sum(count) AS DOUBLE) AS weight
    FROM (SELECT positive, {labelled}, {"w" if weighted else "1"} AS count FROM {{rows}})
    GROUP BY {groups}"""


def products(models: int, quantities: int, *, weighted: bool) -> str:
    """For each class the sums of products of what two models' scores are worth, after each table is joined back."""
    joined = "".join(f" JOIN {{worth{model}}} ON k{model} = key{model}" for model in range(models))
    worth = ", ".join(
        f"IF(positive, p{model}_{each}, n{model}_{each}) AS g{model}_{each}"
        for model in range(models)
        for each in range(quantities)
    )
    count = "w * " if weighted else ""
    sums = ", ".join(
        f"sum({count}g{first}_{each} * g{second}_{each}) AS x{first}_{second}_{each}"
        for each in range(quantities)
        for first in range(models)
        for second in range(first, models)
    )
    return f"""
    SELECT positive, {sums}
    FROM (SELECT positive, {"w," if weighted else ""} {worth} FROM {{rows}}{joined})
    GROUP BY positive"""


def single_cases(models: int, *, weighted: bool, by_content: bool) -> str:
    """One row for each case: a row of weight 2 is two cases, and equal rows are told apart by a running number."""
    scores = ", ".join(f"s{model}" for model in range(models))
    same = f"positive, {scores}" + ("" if by_content else ", unit")
    copies = "CAST(sum(w) AS BIGINT)" if weighted else "count(*)"
    return f"""
    SELECT {same}, explode(sequence(1L, copies)) AS copy
    FROM (SELECT {same}, {copies} AS copies FROM {{rows}} GROUP BY {same}) WHERE copies > 0"""


def cells(keys: Mapping[str, str], weight: str | None) -> str:
    """Rows by the columns of each role: how many, and with what weight."""
    number = None if weight is None else f"CAST({quoted(weight)} AS DOUBLE)"
    shown = [f"{quoted(name)} AS {quoted(role)}" for role, name in keys.items()]
    sums = ["count(*) AS rows"]
    if number is not None:
        is_bad = f"{number} IS NULL OR isnan({number}) OR {number} < 0 OR {number} = double('Infinity')"
        shown.append(f"IF({is_bad}, 1, 0) AS `bad weight`")
        sums.append(f"sum({number}) AS weight")
    places = ", ".join(str(place + 1) for place in range(len(shown)))
    return f"SELECT {', '.join([*shown, *sums])} FROM {{rows}} GROUP BY {places}"


def range_of_rows(classes: int) -> str:
    """The lowest and the highest score, and the sum of a row's scores that is farthest from 1."""
    scores = [f"s{each}" for each in range(classes)]
    listed, total = ", ".join(scores), " + ".join(scores)
    return f"""
    SELECT min(least({listed})) AS lowest, max(greatest({listed})) AS highest, max_by(total, abs(total - 1)) AS worst
    FROM (SELECT *, {total} AS total FROM {{rows}})"""


def decision(classes: int, are_probabilities: bool) -> str:
    """The class of the highest score, the first of equals; of two probabilities the second from 0.5 on."""
    if classes == 2 and are_probabilities:
        return "IF(s1 >= 0.5D, 1, 0)"
    listed = ", ".join(f"s{each}" for each in range(classes))
    return f"array_position(array({listed}), greatest({listed})) - 1"


def decisions(classes: int, decided: str, *, weighted: bool) -> str:
    """Cases by true and decided class, and the sums of their losses and of the squares of these."""
    scores = [f"s{each}" for each in range(classes)]
    squares = " + ".join(f"{each} * {each}" for each in scores)
    half = "/ 2" if classes == 2 else ""
    losses = ("log_loss", "brier")
    count = "w" if weighted else "1"
    sums = ", ".join(
        f"sum({count} * {loss}) AS {loss}, sum({count} * {loss} * {loss}) AS {loss}_squares" for loss in losses
    )
    return f"""
    SELECT truth, decided, CAST(sum({count}) AS DOUBLE) AS weight, {sums}
    FROM (SELECT *, IF(own > 0, -ln(own), double('Infinity')) AS log_loss,
                 (all_squares - own * own + (1 - own) * (1 - own)) {half} AS brier
          FROM (SELECT *, {decided} AS decided, element_at(array({", ".join(scores)}), truth + 1) AS own,
                       {squares} AS all_squares
                FROM {{rows}}))
    GROUP BY truth, decided"""


def number(value: float) -> str:
    """A number that Spark reads back exactly.

    >>> number(0.1)
    "double('0.1')"
    """
    return f"double('{float(value)!r}')"
