"""An evaluation of several classes: what it answers otherwise than that of a yes-or-no question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unconfuse._errors import ArgumentError
from unconfuse._formatting import short_repr
from unconfuse._phrases import counted
from unconfuse._validate import public_api
from unconfuse.policy import SHOWN_FIRST_OF_CLASSES
from unconfuse.results.evaluation import Evaluation
from unconfuse.results.multiclass_findings import class_findings
from unconfuse.table import InMemorySample, Sample, ScoreTable
from unconfuse.uncertainty import Estimate, Finding

if TYPE_CHECKING:
    from unconfuse.results.class_calibration import ClassCalibration


@public_api
class MulticlassEvaluation(Evaluation):
    """Every metric of one classifier of several classes, by name, with what the numbers rest on."""

    shown_first = SHOWN_FIRST_OF_CLASSES
    cases_of_a_class = "cases of a class"

    @property
    def has_decisions(self) -> bool:
        """Whether cases are labelled: a class is always named."""
        return True

    @property
    def score_table(self) -> None:
        """The score table of a yes-or-no question: each class has one of its own, `table_of`."""

    @property
    def n_resamples(self) -> int:
        """Size of the bootstrap."""
        return self.settings.n_resamples

    @property
    def seed(self) -> int:
        """Of the bootstrap."""
        return self.settings.seed

    @property
    def size_fields(self) -> dict[str, float]:
        """How many cases there are, for a row of a table."""
        return {"n": self.n}

    @property
    def size_text(self) -> str:
        """How many cases there are, in words."""
        return f"{self.n:g} cases"

    @property
    def class_sizes_text(self) -> str:
        """How many cases of the rarest class there are, in words."""
        return f"{counted(self.sample.sizes.min(), 'case')} of the rarest class"

    def _two_classes(self, what: str) -> None:
        raise ArgumentError(
            f"{what} {'are' if what.endswith('s') else 'is'} for a yes-or-no question, and there are "
            f"{len(self.classes)} classes. Hint: ask one of them, ev.of_class({short_repr(self.classes[0])})."
        )

    def _several_classes(self, problem: str) -> None:
        """Refuse nothing: there are several."""

    def _against_rest(self, k: int) -> Sample:
        return self.sample.one_vs_rest(k)

    def _scores_of_question(self, what: str) -> ScoreTable:
        raise ArgumentError(
            "which class is it about? A threshold parts one class from the rest. Hint: "
            f"result.threshold_card({short_repr(self.classes[0])}), or result.threshold_cards() for all."
        )

    def _by_confidence(self, what: str) -> InMemorySample:
        return self._rows(what)

    def _own_findings(self) -> tuple[Finding, ...]:
        return class_findings(self)

    def _own_calibration(self) -> ClassCalibration:
        from unconfuse.results.class_calibration import ClassCalibration

        rows = self._rows("calibration")
        if why := rows.probability_problem():
            raise ArgumentError(f"calibration requires probabilities: {why}.")
        return ClassCalibration(rows.without_subgroups(), self.settings.without_progress())

    def _size_line(self) -> str:
        return f"{len(self.classes)} classes, {self.n:g} cases"

    def _small_pictures(self) -> list[str]:
        return [self.confusion.table_html()]

    def _plain_fields(self) -> dict[str, Any]:
        return {
            "classes": list(self.classes),
            "confusion": self.confusion.counts.tolist(),
            "per_class": self.per_class().rows(),
            "worst_confusions": [
                largest_confusion.as_dict() for largest_confusion in self.confusion.largest_confusions(10)
            ],
        }

    def _plain_context(self, each: Estimate) -> dict[str, str]:
        """Return what an average over classes rests on; a yes-or-no question says it once for all."""
        return {"context": each.conditions}
