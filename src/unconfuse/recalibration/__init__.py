"""Maps that mend stated probabilities: fitted, chosen by a closed test, cross-fitted, applied. Tables only."""
