"""Bayes' theorem at work: the twelve quantities, other prevalences, one person's result, usefulness, small samples."""

from typing import TYPE_CHECKING

from unconfuse._deprecated import renamed_names
from unconfuse.bayesian._inputs import PrevalenceEstimate, prevalence_of
from unconfuse.bayesian.informativeness import usefulness
from unconfuse.bayesian.post_test import posterior
from unconfuse.bayesian.prevalence_shift import (
    break_even_prevalence,
    predictive_value_curve,
    shift_counts_estimates,
    standardised_predictive_values,
)
from unconfuse.bayesian.quantities import BinaryQuantities, bayes
from unconfuse.bayesian.small_samples import (
    binomial_at_least,
    binomial_at_most,
    binomial_exactly,
    expected_rates,
    expected_rates_of_sample,
    small_sample_statement,
)

__all__ = [
    "BinaryQuantities",
    "PrevalenceEstimate",
    "bayes",
    "binomial_at_least",
    "binomial_at_most",
    "binomial_exactly",
    "break_even_prevalence",
    "expected_rates",
    "expected_rates_of_sample",
    "posterior",
    "predictive_value_curve",
    "prevalence_of",
    "shift_counts_estimates",
    "small_sample_statement",
    "standardised_predictive_values",
    "usefulness",
]

if not TYPE_CHECKING:  # there, every name would seem to exist
    __getattr__ = renamed_names(__name__, Prevalence="PrevalenceEstimate", TwelveQuantities="BinaryQuantities")
