"""Published examples, recomputed from scratch: ours beside theirs.

A further reproduction is one module with a `Reproduction`, and one line here.
"""

from collections.abc import Mapping
from types import MappingProxyType

from unconfuse.reproduce._report import Report, ReproducedValue, Reproduction
from unconfuse.reproduce.beam import BEAM
from unconfuse.reproduce.demortier import DEMORTIER, PREVALENCE
from unconfuse.reproduce.demortier_trends import TRENDS
from unconfuse.reproduce.lectures import CHAPTER, FUND
from unconfuse.reproduce.sumpter import SUMPTER

__all__ = ["REPRODUCTIONS", "Report", "ReproducedValue", "Reproduction"]

REPRODUCTIONS: Mapping[str, Reproduction] = MappingProxyType(
    {reproduction.name: reproduction for reproduction in (CHAPTER, FUND, DEMORTIER, TRENDS, PREVALENCE, SUMPTER, BEAM)}
)
