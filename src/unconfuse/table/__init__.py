"""The one idea: every quantity is a function of a score table.

`Scores` are rows, `ScoreTable` is what remains of them for judging a classifier, `Counts` is one 2x2 table for each
threshold, replicate or subgroup. Arrays may carry leading axes, so one piece of code serves them all.
"""

from unconfuse.table.counts import Array, Counts
from unconfuse.table.rows import Division, Scores
from unconfuse.table.scores import ScoreTable, remembered

__all__ = ["Array", "Counts", "Division", "ScoreTable", "Scores", "remembered"]
