"""What to expect of a batch whose labels have not come yet: formulas over arrays."""
