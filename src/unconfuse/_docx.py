"""Word documents of paragraphs and tables: a zip archive of WordprocessingML, the same bytes for the same content."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WORDS = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest date that a zip archive can hold: the same table is the same file
_WIDTH = 9000  # twentieths of a point between the margins of a sheet, A4 or letter
_SMALL = 18  # half points: footnotes
_TYPES = (
    f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Override PartName="/word/document.xml" '
    'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
_RELATIONS = (
    f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)


@dataclass(frozen=True)
class Run:
    """Words of one look."""

    text: str
    bold: bool = False
    raised: bool = False
    size: int | None = None  # half points

    def xml(self) -> str:
        """Return the run as WordprocessingML, with its text escaped."""
        look = "<w:b/>" if self.bold else ""
        look += f'<w:sz w:val="{self.size}"/>' if self.size else ""
        look += '<w:vertAlign w:val="superscript"/>' if self.raised else ""
        style = f"<w:rPr>{look}</w:rPr>" if look else ""
        return f'<w:r>{style}<w:t xml:space="preserve">{escape(self.text)}</w:t></w:r>'


def paragraph(runs: Iterable[Run], *, right: bool = False, keep: bool = False) -> str:
    """Return one paragraph; `keep` holds it on the page of what follows."""
    look = "<w:keepNext/>" if keep else ""
    look += '<w:jc w:val="right"/>' if right else ""
    style = f"<w:pPr>{look}</w:pPr>" if look else ""
    return f"<w:p>{style}{''.join(run.xml() for run in runs)}</w:p>"


def small(text: str, mark: str = "") -> str:
    """Return a footnote: a raised mark and small words."""
    raised = [Run(mark, raised=True, size=_SMALL)] if mark else []
    return paragraph([*raised, Run(text, size=_SMALL)])


def table(heads: Sequence[str], rows: Iterable[Sequence[Sequence[Run]]], right: Sequence[bool]) -> str:
    """Return a table with rules above, below and under its head, as papers have them; the head is repeated on pages."""
    widths = [max(_WIDTH // max(len(heads), 1), 1)] * len(heads)
    rules = "".join(f'<w:{side} w:val="single" w:sz="8" w:space="0" w:color="auto"/>' for side in ("top", "bottom"))
    inner = '<w:insideH w:val="single" w:sz="2" w:space="0" w:color="BFBFBF"/>'
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    lines = [_row([[Run(head, bold=True)] for head in heads], widths, right, head=True)]
    lines += [_row(row, widths, right) for row in rows]
    return (
        f'<w:tbl><w:tblPr><w:tblW w:w="0" w:type="auto"/><w:tblBorders>{rules}{inner}</w:tblBorders></w:tblPr>'
        f"<w:tblGrid>{grid}</w:tblGrid>{''.join(lines)}</w:tbl>"
    )


def _row(cells: Sequence[Sequence[Run]], widths: Sequence[int], right: Sequence[bool], *, head: bool = False) -> str:
    kept = "<w:trPr><w:cantSplit/>" + ("<w:tblHeader/>" if head else "") + "</w:trPr>"
    made = (
        f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/></w:tcPr>{paragraph(runs, right=side)}</w:tc>'
        for runs, width, side in zip(cells, widths, right, strict=True)
    )
    return f"<w:tr>{kept}{''.join(made)}</w:tr>"


def document(blocks: Iterable[str]) -> bytes:
    """Return a whole document of paragraphs and tables.

    >>> made = document([paragraph([Run("a < b")])])
    >>> made == document([paragraph([Run("a < b")])]), made[:2]
    (True, b'PK')
    """
    sheet = '<w:sectPr><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"/></w:sectPr>'
    body = f'{_HEAD}<w:document xmlns:w="{_WORDS}"><w:body>{"".join(blocks)}{sheet}</w:body></w:document>'
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("[Content_Types].xml", _TYPES), ("_rels/.rels", _RELATIONS), ("word/document.xml", body)):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            archive.writestr(entry, text.encode())
    return file.getvalue()
