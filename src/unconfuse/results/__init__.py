"""What the verbs return: frozen results that carry their values, their uncertainty and how both were made."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
