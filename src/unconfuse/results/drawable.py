"""What any result that has a page can do."""

from __future__ import annotations

from os import PathLike
from typing import Any


class Drawable:
    """A result that can be shown as an interactive page: in a file, in a notebook, or as the data behind it."""

    def report(self, path: str | PathLike[str], *, title: str = "", prevalence: float | None = None) -> Any:
        """Write one self-contained HTML file that opens offline, with live threshold and prevalence sliders.

        Parameters
        ----------
        path : str or path
        title : str
            Of the page; the model's name by default.
        prevalence : float, optional
            Where the prevalence slider stands at first; that of the data by default.
        """
        from unconfuse.report import Page, write_report

        return write_report(self, path, Page(title=title, prevalence=prevalence))

    def explore(self, *, height: int = 760) -> Any:
        """The same page inside a notebook; it stays alive in the notebook's HTML export."""
        from unconfuse.report import explore

        return explore(self, height=height)

    def payload(self) -> dict[str, Any]:
        """Everything that the page shows, as plain values for strict JSON; `unconfuse render` draws it."""
        from unconfuse.report import payload_of

        return payload_of(self)
