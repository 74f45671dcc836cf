"""Results on a page: a payload of plain values, and one HTML file that draws it."""

from unconfuse.report.document import (
    NotebookPage,
    check_page_name,
    check_payload,
    drawn,
    embed,
    explore,
    read_payload,
    render,
    schema,
    snippet,
    write_report,
)
from unconfuse.report.payload import SCHEMA, PageOptions, payload_of

__all__ = [
    "SCHEMA",
    "NotebookPage",
    "PageOptions",
    "check_page_name",
    "check_payload",
    "drawn",
    "embed",
    "explore",
    "payload_of",
    "read_payload",
    "render",
    "schema",
    "snippet",
    "write_report",
]
