"""Map stated probabilities to mended ones, by the parameters of one of a few kinds of map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from unconfuse._scipy_special import expit
from unconfuse.table import Array

Parameters = tuple[float, ...]
# What each kind is called by its parameters; those of several classes have an intercept for each class.
OF_TWO = {
    "none": (),
    "intercept": ("intercept",),
    "logistic": ("intercept", "slope"),
    "beta": ("intercept", "power", "power_of_complement"),
    "isotonic": (),
}
_MOST_DEALT = 10**9  # cases, beyond which NumPy does not draw without replacement; folds are then nearly equal
OF_SEVERAL = ("none", "temperature", "bias", "temperature+bias")


@dataclass(frozen=True)
class Knots:
    """Where an isotonic map is known; between them it is straight, beyond them level."""

    stated: tuple[float, ...]
    mended: tuple[float, ...]


@dataclass(frozen=True)
class Form:
    """A kind of map with its parameters.

    Examples
    --------
    >>> Form("intercept", (0.0,)).of_two(np.array([.25, 0., 1.]))
    array([0.25, 0.  , 1.  ])
    >>> Form("logistic", (0.0, 2.0)).of_two(np.array([.5, .75])).round(3)
    array([0.5, 0.9])
    """

    kind: str
    parameters: Parameters = ()
    knots: Knots | None = None

    def of_two(self, p: Array) -> Array:
        """Mend probabilities of the positive class; 0 and 1 stay what they are, unless the map is level there."""
        if self.kind == "none":
            return p
        if self.knots is not None:
            return np.interp(p, self.knots.stated, self.knots.mended)
        with np.errstate(divide="ignore"):
            high, low = np.log(p), np.log1p(-p)
        return np.asarray(expit(self._log_odds(high, low)))

    def _log_odds(self, high: Array, low: Array) -> Array:
        first, *others = self.parameters
        powers = {"intercept": (1.0, 1.0), "logistic": 2 * tuple(others), "beta": tuple(others)}[self.kind]
        return first + _times(powers[0], high) - _times(powers[1], low)

    def of_several(self, p: Array) -> Array:
        """Mend rows of probabilities of several classes; a probability of 0 stays 0 unless the slope is 0."""
        if self.kind == "none":
            return p
        slope, intercepts = self.slope_and_intercepts(p.shape[1])
        with np.errstate(divide="ignore"):
            return softmax(_times(slope, np.log(p)) + intercepts)

    def slope_and_intercepts(self, n_classes: int) -> tuple[float, Array]:
        """Of log probabilities of several classes."""
        has_slope = self.kind.startswith("temperature")
        slope = self.parameters[0] if has_slope else 1.0
        others = self.parameters[1:] if has_slope else self.parameters
        return slope, np.array(others) if others else np.zeros(n_classes)

    def named(self, classes: Sequence[str]) -> dict[str, float | dict[str, float]]:
        """Return the parameters by name."""
        if self.kind in OF_TWO:
            return dict(zip(OF_TWO[self.kind], self.parameters, strict=True))
        slope, intercepts = self.slope_and_intercepts(len(classes))
        own: dict[str, float | dict[str, float]] = {"slope": slope} if self.kind.startswith("temperature") else {}
        if self.kind.endswith("bias"):
            own["intercepts"] = dict(zip(classes, intercepts.tolist(), strict=True))
        return own


def softmax(log_weights: Array) -> Array:
    """Return rows of probabilities in proportion to the exponentials."""
    shifted = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def _times(factor: float, logarithms: Array) -> Array:
    """Multiply logarithms, those of 0 too: a factor of 0 leaves nothing of them."""
    return factor * logarithms if factor else np.zeros_like(logarithms)


def assign_map_folds(weight: Array, folds: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Deal whole cases to folds at random: how many of each row go to each fold, shape (folds, rows).

    The rows are in an order of their own, so the folds do not depend on the one they came in, and a row of weight 2 is
    two cases. Dealing sorted cases in turn would not do: each fold would repeat what chance did to the others.

    >>> assign_map_folds(np.array([1., 3., 0., 2.]), 2, np.random.default_rng(0)).sum(axis=0)
    array([1, 3, 0, 2])
    """
    left = weight.astype(np.int64)
    if left.sum() >= _MOST_DEALT:
        return np.asarray(rng.multinomial(left, np.full(folds, 1 / folds)).T)
    found = []
    for others in range(folds, 1, -1):
        own = rng.multivariate_hypergeometric(left, int(left.sum()) // others, method="marginals")
        left = left - own
        found.append(own)
    return np.array([*found, left])
