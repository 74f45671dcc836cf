"""What the verbs return: frozen results that carry their values, their uncertainty and how both were made."""

import lazy_loader

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_RENAMED = {"Confusion": "ConfusionMatrix"}  # old names, which warn


def __getattr__(name: str) -> object:
    """Load a name when it is first used; an old one warns."""
    if name in _RENAMED:
        from unconfuse._deprecated import warn_renamed

        warn_renamed(name, _RENAMED[name])
        name = _RENAMED[name]
    return _load(name)
