# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a PDF holds besides pages of text: outline, labels, links, tags, forms, attachments."""

import re
from typing import Any

import numpy as np
import pymupdf
from numpy.typing import NDArray
from pymupdf import mupdf

from core.document.model import OutlineItem
from core.document.pdf_characters import Characters, Roles
from core.document.pdf_values import Annotation, Box, FormField, Link, PageSize

_PDF_NAMES = {
    "LIST": "L",
    "LISTITEM": "LI",
    "LABEL": "Lbl",
    "LISTBODY": "LBody",
    "TABLE": "Table",
    "TOC": "TOC",
    "TOCI": "TOCI",
    "P": "P",
    "H": "H",
    "TR": "TR",
    "TH": "TH",
    "TD": "TD",
    "THEAD": "THead",
    "TBODY": "TBody",
    "TFOOT": "TFoot",
    "BLOCKQUOTE": "BlockQuote",
    "BIBENTRY": "BibEntry",
    "FENOTE": "FENote",
} | {f"H{level}": f"H{level}" for level in range(1, 7)}
ROLE_NAMES: dict[int, str] = {
    getattr(mupdf, name): _PDF_NAMES.get(role, role.capitalize())
    for name in dir(mupdf)
    if name.startswith("FZ_STRUCTURE_") and (role := name.removeprefix("FZ_STRUCTURE_"))
}
MOST_OUTLINE_LEVELS = 64  # deeper than any real outline


# --- tags --------------------------------------------------------------------------------------


def roles_of(found: Characters, tagged: Roles | None) -> NDArray[np.int32]:
    """int32 (n,): MuPDF's number of the role (`ROLE_NAMES`) of each character, −1 without.

    The tags bring the characters in another order, so they are matched by code and place, which
    are the same to the last bit.
    """
    if tagged is None or not (tagged.role >= 0).any():
        return np.full(len(found), -1, np.int32)
    keys, first = np.unique(_place_keys(tagged.code, tagged.origin), return_index=True)
    wanted = _place_keys(found.code, found.origin)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    matched: NDArray[np.int32] = np.where(keys[at] == wanted, tagged.role[first[at]], -1)
    return matched


def _place_keys(code: NDArray[np.int32], origin: NDArray[np.float32]) -> NDArray[np.uint64]:
    """uint64 (n,): one number for code and origin of each character."""
    bits = np.ascontiguousarray(origin).view(np.uint32).astype(np.uint64)
    place: NDArray[np.uint64] = (bits[:, 0] << np.uint64(32)) | bits[:, 1]
    return place * np.uint64(0x9E3779B97F4A7C15) + code.astype(np.uint64)


def has_tags(document: Any) -> bool:
    """Whether the document has a structure tree, whatever /MarkInfo says."""
    try:
        return bool(document.xref_get_key(document.pdf_catalog(), "StructTreeRoot")[0] != "null")
    except (RuntimeError, ValueError):
        return False


def language(document: Any) -> str:
    """Return the language that the file declares, "" without."""
    try:
        kind, value = document.xref_get_key(document.pdf_catalog(), "Lang")
    except (RuntimeError, ValueError):
        return ""
    return str(value) if kind == "string" else ""


# --- pages -------------------------------------------------------------------------------------


def page_sizes(document: Any) -> tuple[PageSize, ...]:
    """Return the size of each page as shown. A page that cannot be loaded has the last one's."""
    labels = page_labels(document)
    sizes: list[PageSize] = []
    for index in range(document.page_count):
        label = labels[index] if index < len(labels) else ""
        try:
            page = document.load_page(index)
            box = page.rect
            sizes.append(PageSize(box.width, box.height, int(page.rotation), label))
        except Exception as error:  # MuPDF's errors share no base but Exception
            width, height = (sizes[-1].width, sizes[-1].height) if sizes else (612.0, 792.0)
            sizes.append(PageSize(width, height, 0, label, reason_of(error)))
    return tuple(sizes)


def reason_of(error: BaseException) -> str:
    """Say in a few words what the library complains about."""
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    return re.sub(r"^code=\d+: *", "", text)


_HEX_PREFIX = re.compile(r"^<FEFF((?:[0-9A-Fa-f]{4})*)>")


def page_labels(document: Any) -> tuple[str, ...]:
    """Return the printed labels of the pages; empty when the file has none."""
    try:
        rules = document.get_page_labels()
        if not rules:
            return ()
        found = [document.load_page(i).get_label() for i in range(document.page_count)]
    except Exception:  # a damaged label tree is as good as none
        return ()
    return tuple(_decoded(label) for label in found)


def _decoded(label: str) -> str:
    """Decode a prefix that PyMuPDF leaves as a hexadecimal UTF-16 string."""
    match = _HEX_PREFIX.match(label)
    if not match:
        return label
    return bytes.fromhex(match[1]).decode("utf-16-be", "replace") + label[match.end() :]


# --- outline and links -------------------------------------------------------------------------


def outline(document: Any) -> tuple[OutlineItem, ...]:
    """Return the outline in order; entries that lead nowhere in this document have no page."""
    try:
        entries = document.get_toc(simple=False)
    except Exception:  # a damaged outline is as good as none
        return ()
    return tuple(
        OutlineItem(
            title=_one_line(title),
            level=min(max(1, int(level)), MOST_OUTLINE_LEVELS),
            page=(page := _page_of_entry(document, number, target)),
            y=_top(target) if page is not None else 0.0,
        )
        for level, title, number, target in entries
    )


def _one_line(title: str) -> str:
    return " ".join(title.replace("\0", "").split())


def _page_of_entry(document: Any, number: int, target: dict[str, Any]) -> int | None:
    inside = target.get("kind") in (pymupdf.LINK_GOTO, pymupdf.LINK_NAMED)
    return number - 1 if inside and 1 <= number <= document.page_count else None


def _top(target: dict[str, Any]) -> float:
    """Points from the top of the target page as shown, as PyMuPDF gives them."""
    to = target.get("to")
    return max(0.0, float(to.y)) if isinstance(to, pymupdf.Point) else 0.0


def links(document: Any, page: Any) -> tuple[Link, ...]:
    """Return the active areas of a page; named destinations are resolved."""
    found = []
    for link in page.get_links():
        box = _box(link["from"])  # in the display frame already
        kind = link["kind"]
        if kind == pymupdf.LINK_URI:
            found.append(Link(box, None, uri=link.get("uri", "")))
        elif kind in (pymupdf.LINK_GOTO, pymupdf.LINK_NAMED):
            target = int(link.get("page", -1))
            page_index = target if 0 <= target < document.page_count else None
            y = _top(link) if page_index is not None else 0.0
            name = str(link.get("nameddest", link.get("name", "")) or "")
            found.append(Link(box, page_index, y=y, name=name))
        else:  # another file or program: shown, never followed
            found.append(Link(box, None, name=str(link.get("file", ""))))
    return tuple(found)


def shown_box(box: Any, page: Any) -> Box:
    """Box of the unrotated page in the display frame, corners sorted."""
    return _box(pymupdf.Rect(box) * page.rotation_matrix)


def _box(box: Any) -> Box:
    x0, y0, x1, y1 = pymupdf.Rect(box).normalize()
    return (x0, y0, x1, y1)


# --- annotations, forms, attachments -----------------------------------------------------------


def annotations(page: Any) -> tuple[Annotation, ...]:
    """Return the page's annotations as plain values."""
    found = []
    for annotation in page.annots():  # `page` is held: an annotation without its page crashes
        contents = annotation.info.get("content", "")
        found.append(Annotation(annotation.type[1], shown_box(annotation.rect, page), contents))
    return tuple(found)


def form_fields(page: Any) -> tuple[FormField, ...]:
    """Return the form fields of a page that hold a value. Scripts are never run."""
    found = []
    for widget in page.widgets():
        value = widget.field_value
        if value in (None, "", False) or widget.field_type_string in ("Button", "RadioButton"):
            continue
        text = str(value)
        drawn = page.get_textbox(widget.rect + (-1, -1, 1, 1))  # noqa: RUF005 - a sum of rectangles
        shown = "".join(text.split()) in "".join(drawn.split())
        box = shown_box(widget.rect, page)
        found.append(
            FormField(
                page.number, widget.field_name or "", widget.field_type_string, text, box, shown
            )
        )
    return tuple(found)


def attachments(document: Any) -> tuple[str, ...]:
    """Return the names of the embedded files; they are never opened."""
    try:
        names = document.embfile_names()
        infos = [document.embfile_info(name) for name in names]
    except Exception:  # a damaged name tree is as good as none
        return ()
    return tuple(
        str(info.get("ufilename") or info.get("filename") or name)
        for name, info in zip(names, infos, strict=True)
    )
