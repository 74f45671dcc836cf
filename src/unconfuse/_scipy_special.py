"""SciPy's compiled special functions.

They are all that is used of `scipy.special`. Its Python side, a layer for many array libraries, would take longer to
import than all of unconfuse: a command on a small file would wait for it for nothing.
"""

from __future__ import annotations

import sys
import threading
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scipy.special import (
        bdtr,
        bdtrc,
        betainc,
        betaincc,
        betaincinv,
        betaln,
        chdtrc,
        chdtri,
        entr,
        expit,
        fdtri,
        gammaincinv,
        gammaln,
        logit,
        ndtr,
        ndtri,
        owens_t,
        stdtr,
        stdtrit,
        xlog1py,
        xlogy,
    )

__all__ = ["bdtr", "bdtrc", "betainc", "betaincc", "betaincinv", "betaln", "entr", "expit", "logit", "ndtr", "ndtri"]
__all__ += ["chdtrc", "chdtri", "fdtri", "gammaincinv", "gammaln", "owens_t", "stdtr", "stdtrit", "xlog1py", "xlogy"]
_PACKAGE = "scipy.special"
OWN_THREADS = "unconfuse "  # how the names of threads begin that import nothing


def _functions() -> ModuleType:
    """Return the module that holds the functions; the package itself if loaded already, or built otherwise."""
    if _PACKAGE in sys.modules:
        return sys.modules[_PACKAGE]
    if not _is_alone():
        return import_module(_PACKAGE)
    try:
        module = _compiled()
    except (ImportError, AttributeError):
        module = None
    if module is not None and all(hasattr(module, name) for name in __all__):
        return module
    return import_module(_PACKAGE)


def _is_alone() -> bool:
    """Whether no other thread could import the package in the moment in which it is empty; ours import nothing."""
    others = (thread for thread in threading.enumerate() if thread is not threading.current_thread())
    return all(thread.name.startswith(OWN_THREADS) for thread in others)


def _compiled() -> ModuleType:
    """Import the compiled module below a package that is empty, and take that away again."""
    spec, parent = find_spec(_PACKAGE), import_module("scipy")
    assert spec is not None and spec.submodule_search_locations is not None
    sys.modules[_PACKAGE] = empty = ModuleType(_PACKAGE)
    empty.__path__ = list(spec.submodule_search_locations)
    try:
        return import_module(f"{_PACKAGE}._ufuncs")
    finally:
        del sys.modules[_PACKAGE]
        vars(parent).pop("special", None)


if not TYPE_CHECKING:
    _found = _functions()
    globals().update({name: getattr(_found, name) for name in __all__})
