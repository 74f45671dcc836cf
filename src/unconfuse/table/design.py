"""How cases came to be drawn, and how that is repeated: the settings behind every interval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from unconfuse._validate import check_choice, check_probability, check_whole

Progress = Callable[[int, int], object]
KINDS = ("cohort", "case-control")


@dataclass(frozen=True)
class Design:
    """One set of settings for all numbers of a result.

    Attributes
    ----------
    kind : {"cohort", "case-control"}
        Whether the shares of the classes came about by themselves, or were chosen by the study.
    confidence_level : float
    n_resamples, seed : int
        Size and seed of the bootstrap, where one is needed.
    progress : callable or None
        Called with (done, total) resamples.

    Examples
    --------
    >>> Design("case-control").is_cohort
    False
    """

    kind: str = "cohort"
    confidence_level: float = 0.95
    n_resamples: int = 2000
    seed: int = 0
    progress: Progress | None = None

    @classmethod
    def checked(
        cls, kind: str, confidence_level: float, n_resamples: int, rng: int, progress: Progress | None = None
    ) -> Design:
        """Settings as a user gives them, or a refusal."""
        return cls(
            check_choice(kind, "design", KINDS),
            check_probability(confidence_level, "confidence_level", open_interval=True),
            check_whole(n_resamples, "n_resamples", at_least=100),
            check_whole(rng, "rng", at_least=0),
            progress,
        )

    @property
    def is_cohort(self) -> bool:
        """Whether the shares of the classes vary from sample to sample."""
        return self.kind == "cohort"

    def at(self, confidence_level: float) -> Design:
        """The same at another level."""
        return replace(self, confidence_level=confidence_level)

    def finished(self) -> None:
        """Say that all is done, also where nothing had to be resampled."""
        if self.progress is not None:
            self.progress(self.n_resamples, self.n_resamples)

    def quietly(self) -> Design:
        """The same, without saying how far it is."""
        return replace(self, progress=None)
