"""Maps that mend stated probabilities: fitted, chosen by a closed test, cross-fitted, applied. Arrays and tables only."""
