"""Results on a page: a payload of plain values, and one HTML file that draws it."""

from unconfuse.report.document import Explorer, drawn, explore, read_payload, render, write_report
from unconfuse.report.payload import SCHEMA, Page, payload_of

__all__ = ["SCHEMA", "Explorer", "Page", "drawn", "explore", "payload_of", "read_payload", "render", "write_report"]
