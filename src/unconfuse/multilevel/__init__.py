"""To whom a number speaks: new cases, or new places, data sets and studies too. Arrays only.

Every question is one of units (sites, data sets, readers, runs), each with a value, and of the covariance of their
sampling errors: `pool`. Rates of small units need their binomial likelihood: `binomial` and `bivariate`.
"""
