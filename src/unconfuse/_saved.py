"""Results that are saved as JSON with a format and a version, and read again where they are used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from unconfuse._atomic_files import write_atomically
from unconfuse._errors import InputError
from unconfuse._formatting import plain_json, read_json, short_repr

Result = TypeVar("Result")
_DAMAGES = (KeyError, TypeError, AttributeError, ValueError, OverflowError)


@dataclass(frozen=True)
class SavedKind:
    """What is saved: its mark and version in the file, its name in a sentence, and how to make one, or make it anew."""

    format: str
    version: int
    name: str
    make: str
    again: str

    def text_of(self, content: Mapping[str, Any], path: Any = None) -> str:
        """Return strict JSON; written whole or not at all if a path is given."""
        marked = {"format": self.format, "version": self.version, **content}
        text = json.dumps(plain_json(marked), indent=2, allow_nan=False, ensure_ascii=False) + "\n"
        if path is not None:
            write_atomically(Path(os.fspath(path)), text)
        return text

    def read(self, source: Any, make: Callable[[Mapping[str, Any]], Result]) -> Result:
        """Return what `make` makes of a file, of JSON text or of a mapping, all of which are checked."""
        content = source if isinstance(source, Mapping) else self._parsed(source)
        if content.get("format") != self.format:
            found = short_repr(content.get("format"))
            raise InputError(f"this is not a {self.name}: `format` is {found}. Hint: make one with {self.make}.")
        if content.get("version") != self.version:
            raise InputError(
                f"the {self.name} has version {short_repr(content.get('version'))}; this unconfuse reads version "
                f"{self.version}. Hint: update unconfuse, or {self.again}."
            )
        try:
            return make(content)
        except InputError:
            raise
        except _DAMAGES as error:
            what = f"{type(error).__name__}: {error}"[:200]
            raise InputError(f"the {self.name} is damaged ({what}). Hint: {self.again}.") from None

    def _parsed(self, source: Any) -> Mapping[str, Any]:
        try:
            is_text = isinstance(source, str) and source.lstrip().startswith("{")
            content = read_json(source if is_text else Path(os.fspath(source)).read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            where = f"{error.msg} in line {error.lineno}"
            raise InputError(f"the {self.name} is not JSON: {where}. Hint: {self.again}.") from None
        except RecursionError:
            raise InputError(f"the {self.name} is nested too deep. Hint: {self.again}.") from None
        except (OSError, ValueError, TypeError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"the {self.name} {short_repr(source, 200)} cannot be read: {why}.") from None
        if not isinstance(content, Mapping):
            raise InputError(f"the {self.name} must be a JSON object. Hint: {self.again}.")
        return content
