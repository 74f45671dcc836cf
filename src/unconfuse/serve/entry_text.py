"""What people write on a saved evaluation: its name, a note and tags."""

from __future__ import annotations

from typing import Any

from unconfuse.serve.questions import FieldError

LONGEST_NAME, LONGEST_NOTE, MOST_TAGS, LONGEST_TAG = 200, 10_000, 20, 40


def checked_words(given: dict[str, Any]) -> dict[str, Any]:
    """Check a name, a note and tags as people write them."""
    for key, longest in (("name", LONGEST_NAME), ("note", LONGEST_NOTE)):
        value = given.get(key, "")
        if not isinstance(value, str) or len(value) > longest or "\0" in value:
            raise FieldError(key, f"a {key} is a text of at most {longest:,} characters.")
    tags = given.get("tags", [])
    right = isinstance(tags, list) and len(tags) <= MOST_TAGS
    if not right or not all(isinstance(each, str) and 0 < len(each.strip()) <= LONGEST_TAG for each in tags):
        raise FieldError("tags", f"tags are at most {MOST_TAGS} texts of at most {LONGEST_TAG} characters.")
    return {key: [each.strip() for each in value] if key == "tags" else value.strip() for key, value in given.items()}
