"""Bayes' theorem at work: the twelve quantities, other prevalences, one person's result, usefulness, small samples."""

from unconfuse.bayesian._source import Prevalence, prevalence_of
from unconfuse.bayesian.chance import (
    binomial_at_least,
    binomial_at_most,
    binomial_exactly,
    expected_rates,
    expected_rates_of_sample,
    small_sample_statement,
)
from unconfuse.bayesian.person import posterior
from unconfuse.bayesian.shift import (
    break_even_prevalence,
    predictive_value_curve,
    shift_counts_estimates,
    standardised_predictive_values,
)
from unconfuse.bayesian.twelve import TwelveQuantities, bayes
from unconfuse.bayesian.usefulness import usefulness

__all__ = [
    "Prevalence",
    "TwelveQuantities",
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
