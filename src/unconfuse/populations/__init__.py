"""Score distributions of both classes, known exactly: what samples of any size aim at."""

from unconfuse.populations.normal import NormalMixtures
from unconfuse.populations.roc import Population, PopulationCrossing

__all__ = ["NormalMixtures", "Population", "PopulationCrossing"]
