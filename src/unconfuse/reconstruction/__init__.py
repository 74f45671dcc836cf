"""Printed results: which 2x2 tables agree with them, how they were rounded, and which number is off."""
