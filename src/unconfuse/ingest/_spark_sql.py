"""The questions put to Spark, as SQL: the same text for a classic session and for Spark Connect.

The prepared rows have the columns `positive`, `s0`, `s1`, ... (scores), `k0`, ... (what a table is grouped by: the
score, or its bin), and where they are needed `t0`, ... (scores as they were written), `w` (weight), `unit` (the
group or the case, hashed) and `b0`, ... (what divides rows into subgroups). With several classes, `truth` is the number
of the class instead of `positive`, and there is one score for each class.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from unconfuse._row_errors import ColumnProblems, SkipReason
from unconfuse.ingest.column_roles import ColumnRoles

# What is wrong with a row: which column a complaint is about, what it says, and when it holds.
PROBLEMS = (
    ("weight", ColumnProblems.NUMBER, "w IS NULL OR isnan(w)"),
    ("weight", ColumnProblems.INFINITE, "abs(w) = double('Infinity')"),
    ("weight", ColumnProblems.NEGATIVE, "w < 0"),
    ("score", ColumnProblems.TEXT, "{score} IS NULL AND {text} IS NOT NULL"),
    ("score", ColumnProblems.NUMBER, "{score} IS NULL OR isnan({score})"),
    ("score", ColumnProblems.INFINITE, "abs({score}) = double('Infinity')"),
    ("unit", ColumnProblems.GROUP, "unit IS NULL"),
    ("score", ColumnProblems.WHOLE, f"abs({{score}}) >= {2.0**53} AND {{text}} RLIKE '^[+-]?[0-9]+$'"),
)


def quoted(name: str) -> str:
    """Return a column name as Spark reads it.

    >>> quoted("a.b`c")
    '`a.b``c`'
    """
    return "`" + name.replace("`", "``") + "`"


def number(value: float) -> str:
    """Return a number as text that Spark reads back exactly.

    >>> number(0.1)
    "double('0.1')"
    """
    return f"double('{float(value)!r}')"


def weight_of(weighted: bool) -> str:
    """Return the SQL for what a row counts."""
    return "w" if weighted else "1"


def listed(kind: str, count: int, between: str = ", ") -> str:
    """Columns of one kind.

    >>> listed("s", 3)
    's0, s1, s2'
    """
    return between.join(f"{kind}{place}" for place in range(count))


def together(chosen: ColumnRoles, *, text: bool, sampled: bool) -> str:
    """Both classes' weight at each combination of all models' scores, from one pass: every table is a sum of these.

    Only numbers are added up, and as few as can be: Spark sorts all rows, instead of hashing them, where an aggregate
    may be a text, and every further sum is paid once for each distinct score. Rows that cannot be used have no `key0`,
    and `problems` says why. Where weights say how rows were `sampled`, their squares are added up as well.
    """
    models = range(len(chosen.score_columns))
    same = ", ".join([*_divided(chosen), *(f"key{model}" for model in models)])
    right = " AND ".join(f"{_problem(chosen, f's{model}', f't{model}' if text else 'NULL')} = 0" for model in models)
    keys = [f"IF({right}, s0, NULL) AS key0", *(f"s{model} AS key{model}" for model in models[1:])]
    return f"""
    SELECT {same}, {_sums(chosen, sampled)}
    FROM (SELECT *, {", ".join(keys)} FROM {{rows}})
    GROUP BY {same}"""


def tables(chosen: ColumnRoles, *, binned: bool, text: bool, sampled: bool = False, positive: str = "positive") -> str:
    """Every model's table, from one pass, where combinations would be too many; `key` is missing as above.

    `positive` says what a positive is to the model whose number stands for the braces.
    """
    divided = _divided(chosen)
    same = ", ".join(["model", *divided, "key"])
    return f"""
    SELECT {same}, {"min(score) AS low, max(score) AS high," if binned else ""} {_sums(chosen, sampled)}
    FROM (SELECT positive, {"w, " if chosen.weight is not None else ""}score, {", ".join(["model", *divided])},
                 IF({_problem(chosen)} = 0, key, NULL) AS key
          FROM ({_by_model(chosen, text, positive)}))
    GROUP BY {same}"""


def _sums(chosen: ColumnRoles, sampled: bool) -> str:
    count = weight_of(chosen.weight is not None)
    summed = {"positives": f"positive, {count}, 0", "negatives": f"positive, 0, {count}"}
    if sampled:
        summed |= {"squares1": "positive, w * w, 0", "squares0": "positive, 0, w * w"}
    return ", ".join(f"CAST(sum(IF({what})) AS DOUBLE) AS {name}" for name, what in summed.items())


def problems(chosen: ColumnRoles, *, text: bool, positive: str = "positive") -> str:
    """Select what is wrong with unusable rows: for each model and problem, how many there are, and one of them."""
    return f"""
    SELECT model, problem, count(*) AS rows, min(text) AS text,
           min(IF(problem BETWEEN 1 AND 3, {weight_of(chosen.weight is not None)}, score)) AS example
    FROM (SELECT *, {_problem(chosen)} AS problem FROM ({_by_model(chosen, text, positive)}))
    WHERE problem > 0
    GROUP BY model, problem"""


def _by_model(chosen: ColumnRoles, text: bool, positive: str) -> str:
    """Select a row for each model's score of each row."""
    models, written = len(chosen.score_columns), "t{}" if text else "CAST(NULL AS STRING)"
    others = [*(["w"] if chosen.weight is not None else []), *(["unit"] if chosen.unit else []), *_divided(chosen)]
    entries = ", ".join(
        f"{model}, s{model}, k{model}, {written.format(model)}, {positive.format(model)}" for model in range(models)
    )
    return f"""
    SELECT {"".join(f"{name}, " for name in others)} stack({models}, {entries}) AS (model, score, key, text, positive)
    FROM {{rows}}"""


def _divided(chosen: ColumnRoles) -> list[str]:
    return [f"b{place}" for place in range(len(chosen.slices))]


def _problem(chosen: ColumnRoles, score: str = "score", text: str = "text") -> str:
    there = {"weight": chosen.weight, "score": "score", "unit": chosen.unit}
    cases = [
        f"WHEN {bad.format(score=score, text=text)} THEN {code}"
        for code, (role, _, bad) in enumerate(PROBLEMS, 1)
        if there[role] is not None
    ]
    return f"CASE {' '.join(cases)} ELSE 0 END"


def subgroups(by: int) -> str:
    """How many combinations of values divide the rows."""
    return f"SELECT count(*) AS n FROM (SELECT DISTINCT {listed('b', by)} FROM {{rows}})"


def bad_rows(chosen: ColumnRoles) -> str:
    """Why a row cannot be used, by the first reason that holds; an empty text if it can."""
    scores = [f"s{model}" for model in range(len(chosen.score_columns))]
    cases = {
        SkipReason.LABEL: f"{'positive' if chosen.scores else 'truth'} IS NULL",
        SkipReason.PREDICTION: "predicted IS NULL" if chosen.predicted else "false",
        SkipReason.SCORE: " OR ".join(f"{score} IS NULL OR isnan({score})" for score in scores),
        SkipReason.INFINITE: " OR ".join(f"abs({score}) = double('Infinity')" for score in scores),
        SkipReason.WEIGHT: "false" if chosen.weight is None else _bad_weight("w"),
        SkipReason.GROUP: "unit IS NULL" if chosen.unit else "false",
    }
    return f"CASE {' '.join(f'WHEN {bad} THEN {reason!r}' for reason, bad in cases.items())} ELSE '' END"


def _bad_weight(weight: str) -> str:
    return f"{weight} IS NULL OR isnan({weight}) OR {weight} < 0 OR {weight} = double('Infinity')"


def distinct_scores(models: int) -> str:
    """About how many distinct scores each model has; the same for any partitioning."""
    return f"SELECT {', '.join(f'approx_count_distinct(s{k}) AS n{k}' for k in range(models))} FROM {{rows}}"


def sampled_scores(shares: Sequence[int], *, weighted: bool) -> str:
    """One in so many distinct scores of each model, chosen by their hash, with the weight of all their rows."""
    entries = ", ".join(f"{model}, s{model}, {share}" for model, share in enumerate(shares))
    return f"""
    SELECT model, score, CAST(sum({weight_of(weighted)}) AS DOUBLE) AS weight
    FROM (SELECT {"w," if weighted else ""} stack({len(shares)}, {entries}) AS (model, score, share) FROM {{rows}})
    WHERE score > double('-Infinity') AND score < double('Infinity') AND pmod(xxhash64(score), share) = 0
    GROUP BY model, score"""


def label_patterns(thresholds: Sequence[float], *, weighted: bool) -> str:
    """Cases by truth and by the labels of all models, with the squares of their weights."""
    groups = f"positive, {listed('l', len(thresholds))}"
    labelled = ", ".join(f"s{model} >= {number(cut)} AS l{model}" for model, cut in enumerate(thresholds))
    return f"""
    SELECT {groups}, CAST(sum(count) AS DOUBLE) AS weight, CAST(sum(count * count) AS DOUBLE) AS squares
    FROM (SELECT positive, {labelled}, {weight_of(weighted)} AS count FROM {{rows}})
    GROUP BY {groups}"""


def products(models: int, quantities: int, *, weighted: bool, sampled: bool = False) -> str:
    """For each class the sums of products of what two models' scores are worth, after each table is joined back."""
    times = "w * w * " if sampled else "w * " if weighted else ""
    joined = "".join(f" JOIN {{worth{model}}} ON k{model} = key{model}" for model in range(models))
    worth = ", ".join(
        f"IF(positive, p{model}_{index}, n{model}_{index}) AS g{model}_{index}"
        for model in range(models)
        for index in range(quantities)
    )
    sums = ", ".join(
        f"sum({times}g{first}_{index} * g{second}_{index}) AS x{first}_{second}_{index}"
        for index in range(quantities)
        for first in range(models)
        for second in range(first, models)
    )
    return f"""
    SELECT positive, {sums}
    FROM (SELECT positive, {"w," if weighted else ""} {worth} FROM {{rows}}{joined})
    GROUP BY positive"""


def single_cases(models: int, *, weighted: bool, by_content: bool) -> str:
    """One row for each case: a row of weight 2 is two cases, and equal rows are told apart by a running number."""
    same = f"positive, {listed('s', models)}" + ("" if by_content else ", unit")
    copies = "CAST(sum(w) AS BIGINT)" if weighted else "count(*)"
    return f"""
    SELECT {same}, explode(sequence(1L, copies)) AS copy
    FROM (SELECT {same}, {copies} AS copies FROM {{rows}} GROUP BY {same}) WHERE copies > 0"""


def cells(chosen: ColumnRoles) -> str:
    """Rows by the columns of each role: how many, and with what weight."""
    shown = [f"{quoted(name)} AS {quoted(role)}" for role, name in chosen.keys.items()]
    sums = ["count(*) AS rows"]
    if chosen.weight is not None:
        weight = f"CAST({quoted(chosen.weight)} AS DOUBLE)"
        shown.append(f"IF({_bad_weight(weight)}, 1, 0) AS `bad weight`")
        sums.append(f"sum({weight}) AS weight")
    places: Iterable[str] = (str(place + 1) for place in range(len(shown)))
    return f"SELECT {', '.join([*shown, *sums])} FROM {{rows}} GROUP BY {', '.join(places)}"


def range_of_rows(classes: int) -> str:
    """Select the lowest and the highest score, and the sum of a row's scores that is farthest from 1."""
    scores = listed("s", classes)
    return f"""
    SELECT min(least({scores})) AS lowest, max(greatest({scores})) AS highest, max_by(total, abs(total - 1)) AS worst
    FROM (SELECT *, {listed("s", classes, " + ")} AS total FROM {{rows}})"""


def decision(classes: int, are_probabilities: bool) -> str:
    """Pick in SQL the class of the highest score, the first of equals; of two probabilities the second from 0.5 on."""
    if classes == 2 and are_probabilities:
        return "IF(s1 >= 0.5D, 1, 0)"
    return f"array_position(array({listed('s', classes)}), greatest({listed('s', classes)})) - 1"


def decisions(classes: int, decided: str, *, weighted: bool) -> str:
    """Cases by true and decided class, and the sums of their losses and of the squares of these."""
    squares = " + ".join(f"s{index} * s{index}" for index in range(classes))
    count = weight_of(weighted)
    sums = ", ".join(
        f"sum({count} * {loss}) AS {loss}, sum({count} * {loss} * {loss}) AS {loss}_squares"
        for loss in ("log_loss", "brier")
    )
    return f"""
    SELECT truth, decided, CAST(sum({count}) AS DOUBLE) AS weight, {sums}
    FROM (SELECT *, IF(own > 0, -ln(own), double('Infinity')) AS log_loss,
                 (all_squares - own * own + (1 - own) * (1 - own)) {"/ 2" if classes == 2 else ""} AS brier
          FROM (SELECT *, {decided} AS decided, element_at(array({listed("s", classes)}), truth + 1) AS own,
                       {squares} AS all_squares
                FROM {{rows}}))
    GROUP BY truth, decided"""
