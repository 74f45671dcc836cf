"""Variation at several levels: places, data sets, items and runs. Arrays only; the user says which level is new."""
