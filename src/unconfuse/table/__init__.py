"""The one idea: every quantity is a function of a score table.

A `Sample` is what was read, `ScoreTable` is what remains of its rows for judging a classifier, `Counts` is one 2x2
table for each threshold, replicate or subgroup, `ConfusionCells` the table of several classes. Arrays may carry leading
axes, so one piece of code serves them all.
"""

from unconfuse.table.aggregated import AggregatedSample
from unconfuse.table.cells import ClassMargins, Codes, ConfusionCells
from unconfuse.table.counts import Array, Counts, summed, summed_by, sums_of_first, sums_of_others
from unconfuse.table.double_sample import DoubleSample
from unconfuse.table.in_memory import InMemorySample
from unconfuse.table.independent_samples import IndependentSamples
from unconfuse.table.sample import Grouping, JointCounts, Sample, Settings
from unconfuse.table.sampling import INTERVAL, Feature, Question, Sampling, SamplingKind, parse_design
from unconfuse.table.score_table import AT_A_TIME, ScoreTable, check_table, effective_sample_size, fractions, remembered

__all__ = [
    "AT_A_TIME",
    "INTERVAL",
    "AggregatedSample",
    "Array",
    "ClassMargins",
    "Codes",
    "ConfusionCells",
    "Counts",
    "DoubleSample",
    "Feature",
    "Grouping",
    "InMemorySample",
    "IndependentSamples",
    "JointCounts",
    "Question",
    "Sample",
    "Sampling",
    "SamplingKind",
    "ScoreTable",
    "Settings",
    "check_table",
    "effective_sample_size",
    "fractions",
    "parse_design",
    "remembered",
    "summed",
    "summed_by",
    "sums_of_first",
    "sums_of_others",
]
