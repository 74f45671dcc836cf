"""Old spellings of public names: parameters, and methods and fields of results. Some warn and will go; those that
checks and habits rely on stay for good, in silence."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

from unconfuse._errors import CallError, RenamedWarning, warn

UNTIL = "0.4"  # the version in which old spellings that warn are gone
T = TypeVar("T", bound=Callable[..., Any])


def warn_renamed(old: str, new: str) -> None:
    """Warn at the caller's line that `old` is called `new` now."""
    warn(f"`{old}` was renamed `{new}`; the old name works until {UNTIL}.", RenamedWarning)


def renamed_parameters(**names: str) -> Callable[[T], T]:
    """Return a decorator by which a function takes old names of its parameters as well, with a warning.

    >>> @renamed_parameters(share="fraction")
    ... def best(fraction):
    ...     return fraction
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     best(share=0.1), str(said[0].message)
    (0.1, '`share` was renamed `fraction`; the old name works until 0.4.')
    >>> best(share=0.1, fraction=0.2)
    Traceback (most recent call last):
    unconfuse._errors.CallError: `share` and `fraction` are one parameter in two spellings. Hint: give `fraction` alone.
    """
    return _taking(names, warn_renamed)


def parameter_aliases(**names: str) -> Callable[[T], T]:
    """Return a decorator by which a function takes other names of its parameters for good, in silence.

    >>> @parameter_aliases(at="threshold_rule")
    ... def cut(threshold_rule=None):
    ...     return threshold_rule
    >>> cut(at="youden")
    'youden'
    """
    return _taking(names, lambda old, new: None)


def _taking(names: Mapping[str, str], tell: Callable[[str, str], None]) -> Callable[[T], T]:
    def decorate(function: T) -> T:
        positions = list(inspect.signature(function).parameters)

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            for old in names.keys() & kwargs.keys():
                new = names[old]
                if new in kwargs or new in positions[: len(args)]:
                    both = f"`{old}` and `{new}` are one parameter in two spellings"
                    raise CallError(f"{both}. Hint: give `{new}` alone.")
                tell(old, new)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return call  # type: ignore[return-value]

    return decorate


def renamed_names(module: str, otherwise: Callable[[str], Any] | None = None, /, **names: str) -> Callable[[str], Any]:
    """Return a `__getattr__` for a module: old names of its classes and functions give the new ones, with a warning.

    `otherwise` answers all other names; without it they do not exist.
    """

    def find(name: str) -> Any:
        if name not in names and otherwise is not None:
            return otherwise(name)
        if name not in names:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        warn_renamed(name, names[name])
        return getattr(import_module(module), names[name])

    return find


class renamed:  # noqa: N801 - stands in a class where a method would
    """The old name of a method, a property or a field: the same, with a warning unless it stays for good.

    >>> class Table:
    ...     def scaled(self, by):
    ...         return 3 * by
    ...     times = renamed("scaled", permanent=True)
    >>> Table().times(2)
    6
    """

    def __init__(self, new: str, *, permanent: bool = False) -> None:
        self.new, self.permanent, self.old = new, permanent, ""
        self.__doc__ = f"Another name of `{new}`."

    def __set_name__(self, owner: type, name: str) -> None:
        self.old = name

    def __get__(self, instance: Any, owner: type) -> Any:
        """Return what the new name gives; of a class only its constructors, as a property does."""
        made = inspect.getattr_static(owner, self.new, None)
        if instance is None and not isinstance(made, classmethod | staticmethod):
            return self
        if not self.permanent:
            warn_renamed(self.old, self.new)
        return getattr(owner if instance is None else instance, self.new)
