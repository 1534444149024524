# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the user should know about the text of pages, said once for the document.

`RawPage.counts` says by kind how many characters were cleaned:
  outside     outside the visible page, left out
  annotation  drawn by annotations, left out
  hidden      invisible, as an OCR layer is; used
  unreadable  of fonts without a character map, left out
  control     control characters, removed or made a space
  shifted     of a font whose codes are 32 too low, mended
  tex         TeX codes of Type3 fonts, made ligatures and quotation marks
  unknown     U+FFFD that stay in the text; `leader`: rows of them, made a space
  private     private-use characters that stay in the text
  guessed     without a Unicode value, for which the glyph's number was taken
  zero_width  without width, left out; `invisible`: format characters, left out
  double      drawn twice, counted once
  tiny        smaller than 2 points
  image       pictures on the page (not characters)
  right_to_left
"""

from core.document.model import Notice
from core.document.pdf_values import PdfInfo

GARBLED_SHARE = 0.3  # of a page's characters: above it, the page is not readable


def page_notices(index: int, glyphs: int, counts: dict[str, int]) -> tuple[Notice, ...]:
    """Notices of one page that hold without the others."""
    unreadable = counts.get("unreadable", 0)
    if unreadable and unreadable > GARBLED_SHARE * (glyphs + unreadable):
        message = f"Text of page {index + 1} is not readable (no character map)"
        return (Notice(index, "garbled", message),)
    return ()


def info_notices(info: PdfInfo) -> tuple[Notice, ...]:
    """Notices of the file that hold before a page is read."""
    found = []
    if info.attachments:
        files = (
            "1 attached file"
            if len(info.attachments) == 1
            else (f"{len(info.attachments)} attached files")
        )
        names = ", ".join(info.attachments[:4]) + (", …" if len(info.attachments) > 4 else "")
        found.append(Notice(None, "attachments", f"{files}: {names}"))
    if not info.may_copy:
        message = "The author does not permit copying of text; reading is not affected"
        found.append(Notice(None, "copying", message))
    found += [
        Notice(index, "page_failed", f"Page {index + 1} cannot be read ({size.error})")
        for index, size in enumerate(info.pages)
        if size.error
    ]
    return tuple(found)
