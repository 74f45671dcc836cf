"""Bayes' theorem at work: the twelve quantities, other prevalences, one person's result, usefulness, small samples."""

from unconfuse.bayesian._source import Prevalence, prevalence_of
from unconfuse.bayesian.binomial import binomial_at_least, binomial_at_most, binomial_exactly
from unconfuse.bayesian.expectations import ExpectedRates, expected_rates, expected_rates_of_sample
from unconfuse.bayesian.person import PersonalPosterior, posterior
from unconfuse.bayesian.prevalences import break_even_prevalence, predictive_value_curve, standardised_predictive_values
from unconfuse.bayesian.quantities import TwelveQuantities
from unconfuse.bayesian.shift import shift_counts_estimates
from unconfuse.bayesian.small_samples import SmallSample, small_sample, small_sample_statement
from unconfuse.bayesian.twelve import bayes
from unconfuse.bayesian.usefulness import Condition, Usefulness, usefulness

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
