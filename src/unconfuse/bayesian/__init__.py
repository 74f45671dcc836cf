"""Bayes' theorem at work: the twelve quantities, other prevalences, one person's result, usefulness, small samples."""

import lazy_loader

from unconfuse._deprecated import renamed_names

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__getattr__ = renamed_names(__name__, _load, Prevalence="PrevalenceEstimate", TwelveQuantities="BinaryQuantities")
