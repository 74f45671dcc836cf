"""What labels may be, in the words that every surface uses."""

BETTER, NO_BETTER, MISLEADING = "better than guessing", "no better than guessing", "misleading"
CANNOT_TELL = "cannot tell at this sample size"
RULE = "Labels are better than guessing if sensitivity and specificity add up to more than 1 (Youden's J above 0)."
