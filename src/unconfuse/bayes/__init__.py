"""Bayes' theorem at work: the twelve quantities, other prevalences, one person's result, usefulness, small samples."""

from unconfuse.bayes._source import Prevalence, prevalence_of
from unconfuse.bayes.expectations import ExpectedRates, expected_rates, expected_rates_of_sample
from unconfuse.bayes.person import PersonalPosterior, posterior
from unconfuse.bayes.prevalences import break_even_prevalence, predictive_value_curve, standardised_predictive_values
from unconfuse.bayes.quantities import TwelveQuantities
from unconfuse.bayes.shift import shift_counts_estimates
from unconfuse.bayes.small_samples import (
    SmallSample,
    binomial_at_least,
    binomial_at_most,
    binomial_exactly,
    small_sample,
    small_sample_statement,
)
from unconfuse.bayes.twelve import bayes
from unconfuse.bayes.usefulness import Condition, Usefulness, usefulness

__all__ = [
    "Condition",
    "ExpectedRates",
    "PersonalPosterior",
    "Prevalence",
    "SmallSample",
    "TwelveQuantities",
    "Usefulness",
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
    "small_sample",
    "small_sample_statement",
    "standardised_predictive_values",
    "usefulness",
]
