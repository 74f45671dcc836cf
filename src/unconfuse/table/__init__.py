"""The one idea: every quantity is a function of a score table.

A `Sample` is what was read, `ScoreTable` is what remains of its rows for judging a classifier, `Counts` is one 2x2
table for each threshold, replicate or subgroup, `Cells` the table of several classes. Arrays may carry leading axes, so
one piece of code serves them all.
"""

from unconfuse.table.apart import Apart
from unconfuse.table.cells import Cells, Codes, Margins
from unconfuse.table.counts import Array, Counts, summed, summed_by, sums_of_first, sums_of_others
from unconfuse.table.distant import DistantSample
from unconfuse.table.judged import JudgedSample
from unconfuse.table.near import NearSample
from unconfuse.table.sample import Design, Division, Patterns, Sample
from unconfuse.table.sampling import INTERVAL, Feature, Question, Sampling, SamplingKind, parse_design
from unconfuse.table.scores import AT_A_TIME, ScoreTable, check_table, fractions, kish, remembered

__all__ = [
    "AT_A_TIME",
    "INTERVAL",
    "Apart",
    "Array",
    "Cells",
    "Codes",
    "Counts",
    "Design",
    "DistantSample",
    "Division",
    "Feature",
    "JudgedSample",
    "Margins",
    "NearSample",
    "Patterns",
    "Question",
    "Sample",
    "Sampling",
    "SamplingKind",
    "ScoreTable",
    "check_table",
    "fractions",
    "kish",
    "parse_design",
    "remembered",
    "summed",
    "summed_by",
    "sums_of_first",
    "sums_of_others",
]
