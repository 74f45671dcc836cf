"""The compiled hot loops. They know arrays only; every one has a plain-NumPy twin in tests/kernels."""

from unconfuse._kernels._tables import collapse, merge_tables

__all__ = ["collapse", "merge_tables"]
