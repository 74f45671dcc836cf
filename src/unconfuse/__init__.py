"""unconfuse: takes the confusion out of judging classifiers.

Give it labels and scores, or just four counts, and it says how good a classifier is, how sure that is, and whether it
is better than guessing.

>>> import unconfuse as uc
>>> test = uc.evaluate_counts(tp=141, fp=0, fn=67, tn=31)
>>> print(test["sensitivity"])
sensitivity 0.678 [0.612, 0.739] 95% mid-p, 208 positives of 239
"""

import lazy_loader

__version__ = "0.2.0"
# The public names are listed in __init__.pyi alone; importing unconfuse costs nothing before one of them is used.
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_RENAMED = {"Confusion": "ConfusionMatrix", "Path": "ModelSequence", "explain": "definitions"}  # old names, which warn


def __getattr__(name: str) -> object:
    """Load a public name when it is first used; an unknown one is answered with what was probably meant."""
    if name in _RENAMED:
        from unconfuse._deprecated import warn_renamed

        warn_renamed(name, _RENAMED[name])
        name = _RENAMED[name]
    try:
        return _load(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        from unconfuse._name_hints import unknown_name
        from unconfuse._render_mixins import lazy_import

        if name == "plots":  # a room; loaded when it is asked for, as matplotlib is slow
            return lazy_import(name)

        raise AttributeError(unknown_name(name, __all__)) from None
