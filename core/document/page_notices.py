# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the user should know about the text of pages, said once for the document.

`RawPage.counts` says by kind what was cleaned, in characters unless another unit is named:
  outside        outside the visible page or clipped there, left out
  annotation     drawn by annotations, left out
  hidden         invisible, as an OCR layer is; used
  unreadable     of fonts without a character map, left out
  control        control characters, removed or made a space
  shifted        of a font whose codes are 32 too low, mended
  tex            TeX codes of Type3 fonts, made ligatures and quotation marks
  unknown        U+FFFD that stay in the text; `leader`: rows of them, made a space
  private        private-use characters that stay in the text
  guessed        without a Unicode value, for which the glyph's number was taken
  zero_width     without width, left out; `invisible`: format characters, left out
  double         drawn twice, counted once
  tiny           smaller than `TINY` points
  right_to_left  in words that run from right to left
  image          pictures on the page (pictures)
  repaired       1 when the file is damaged and was repaired
"""

from collections.abc import Iterable, Sequence
from itertools import groupby

from core.document.model import Notice
from core.document.pdf_values import PdfInfo
from core.document.raw import RawPage

TINY = 3.0  # points
MOSTLY = 0.5  # of a page's or a document's characters
GARBLED_SHARE = 0.3  # of a page's characters: above it, the page is not readable
MOST_RANGES = 6  # of pages that are named in a notice


def info_notices(info: PdfInfo) -> tuple[Notice, ...]:
    """Notices of the file that hold before a page is read."""
    found = []
    if info.attachments:
        files = _plural(len(info.attachments), "attached file")
        names = ", ".join(info.attachments[:4]) + (", …" if len(info.attachments) > 4 else "")
        found.append(Notice(None, "attachments", f"{files}: {names}"))
    if not info.may_copy:
        message = "The author does not permit copying of text; reading is not affected"
        found.append(Notice(None, "copying", message))
    return tuple(found)


def page_notices(index: int, glyphs: int, counts: dict[str, int]) -> tuple[Notice, ...]:
    """Notices of one page that hold without the others."""
    unreadable = counts.get("unreadable", 0)
    if unreadable > GARBLED_SHARE * (glyphs + unreadable):
        message = f"Text of page {index + 1} is not readable (no character map)"
        return (Notice(index, "garbled", message),)
    return ()


def collect_notices(pages: Sequence[RawPage]) -> tuple[Notice, ...]:
    """Return the notices of all pages: those of single pages, and sums over the document."""
    failed = [
        Notice(page.index, "page_failed", f"Page {page.index + 1} cannot be read: {page.error}")
        for page in pages
        if page.error
    ]
    single = [notice for page in pages for notice in page.notices]
    whole = [*_no_text(pages), *_damage(pages), *_ocr(pages)]
    characters = sum(len(page.glyphs) for page in pages)
    for kind, what in _SUMS:
        those = [page for page in pages if page.counts.get(kind)]
        total = sum(page.counts[kind] for page in those)
        if total and total >= _LEAST_SHARE.get(kind, 0) * characters:
            where = name_pages(page.index for page in those)
            whole.append(Notice(None, kind, f"{what}: {total:,} ({where})"))
    return (*failed, *whole, *single)


def name_pages(indices: Iterable[int]) -> str:
    """Name pages, which count from 0, as a person does: `pages 2, 12–23`."""
    numbers = sorted({index + 1 for index in indices})
    ranges = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        run = [number for _, number in group]
        ranges.append(str(run[0]) if len(run) == 1 else f"{run[0]}–{run[-1]}")
    text = ", ".join(ranges[:MOST_RANGES]) + (", …" if len(ranges) > MOST_RANGES else "")
    return f"page {text}" if len(numbers) == 1 else f"pages {text}"


def _plural(number: int, thing: str) -> str:
    return f"{number:,} {thing}" + ("" if number == 1 else "s")


_SUMS: tuple[tuple[str, str], ...] = (
    ("outside", "Characters that the page does not show, left out"),
    ("annotation", "Characters drawn by annotations, left out of the text"),
    ("unreadable", "Characters without a character map, left out"),
    ("control", "Control characters, removed"),
    ("shifted", "Characters of a font with shifted codes, mended"),
    ("tex", "Characters of Type3 fonts without a map, mended"),
    ("unknown", "Unknown characters (U+FFFD) in the text"),
    ("private", "Private-use characters without a known meaning"),
    ("guessed", "Characters without a Unicode value in the file, guessed"),
    ("zero_width", "Text layer and picture may differ; characters without width, left out"),
    ("tiny", f"Characters smaller than {TINY:g} points"),
    ("right_to_left", "Text runs from right to left, its order may be wrong; characters"),
)
_LEAST_SHARE = {"tiny": 0.01, "right_to_left": 0.02}  # of the document's characters, to be told


def _no_text(pages: Sequence[RawPage]) -> list[Notice]:
    """Say how many pages are pictures only, or that there is no text at all."""
    empty = [page for page in pages if not len(page.glyphs) and not page.error]
    pictures = [page for page in empty if _is_covered(page)]
    if pictures:
        said = f"No text on {len(pictures)} of {_plural(len(pages), 'page')} (images only)"
    elif empty and len(empty) == len(pages):
        said = f"No text on {len(pages)} of {_plural(len(pages), 'page')}"
    else:
        return []
    return [Notice(None, "no_text", f"{said}. Chunks need text; use OCR before.")]


def _is_covered(page: RawPage) -> bool:
    """Whether pictures cover most of a page."""
    if not len(page.images):
        return False
    sides = page.images[:, 2:] - page.images[:, :2]
    return float((sides[:, 0] * sides[:, 1]).sum()) > MOSTLY * page.width * page.height


def _damage(pages: Sequence[RawPage]) -> list[Notice]:
    """Say which pages of a repaired file are suspicious: they have neither text nor picture."""
    if not any(page.counts.get("repaired") for page in pages):
        return []
    message = "The file is damaged and was repaired"
    empty = [p.index for p in pages if not (len(p.glyphs) or len(p.images) or p.error)]
    if empty:
        message += f"; {name_pages(empty)} {'is' if len(empty) == 1 else 'are'} empty"
    return [Notice(None, "repaired", message)]


def _ocr(pages: Sequence[RawPage]) -> list[Notice]:
    """Say which pages have a text layer that nobody sees, as OCR makes it."""
    those = [p for p in pages if p.counts.get("hidden", 0) > MOSTLY * max(1, len(p.glyphs))]
    if those:
        where = name_pages(page.index for page in those)
        return [Notice(None, "ocr", f"Text comes from OCR ({where})")]
    some = sum(page.counts.get("hidden", 0) for page in pages)
    if not some:
        return []
    return [Notice(None, "hidden", f"{_plural(some, 'invisible character')} in the text")]
