# SPDX-License-Identifier: AGPL-3.0-or-later
"""Blocks before the text is made, and what each is, by tags and the rules of fonts.

A block is a paragraph, a heading, one item of a list and so on. Its kind here is a first answer
that needs no model; `core.document.upgrade` takes a better one from the layout model.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.document.model import BlockKind, BlockSource
from core.document.raw import BOLD, MONO

# Roles of the structure tree (ISO 32000-1, 14.8.4). "P" and containers say too little.
TAG_KINDS: dict[str, BlockKind] = {
    **{f"H{level}": "heading" for level in range(1, 7)},
    "H": "heading",
    "Title": "heading",
    "LI": "list_item",
    "Lbl": "list_item",
    "LBody": "list_item",
    "TOCI": "list_item",
    "Caption": "caption",
    "Note": "footnote",
    "FENote": "footnote",
    "Formula": "formula",
}
_LONGEST_HEADING = 300  # characters


@dataclass(slots=True, eq=False)
class TextLine:
    """A line of text of one column: its fragments in reading order and its place.

    u runs along the text and v across it, points, in the frame of `angle`.
    """

    page: int
    fragments: tuple[int, ...]  # of its page
    gaps: tuple[str, ...]  # what stands between them
    text: str
    u0: float
    u1: float
    v: float
    top: float
    bottom: float
    size: float
    flags: int
    angle: int
    direction: tuple[float, float] = (1.0, 0.0)
    sign: int = 1  # −1: v, top and bottom count against the frame, as in mirrored text
    tag: str = ""
    widest_gap: float = 0.0  # between two of its fragments, ems

    @property
    def bold(self) -> bool:
        """Whether most of the line is bold."""
        return bool(self.flags & BOLD)

    @property
    def is_entry(self) -> bool:
        """Whether the line is an entry of a table of contents: a title and a page number."""
        if not (self.text[-1].isdigit() or self.text[-1] in "ivxlc"):
            return False
        if _LEADERS.search(self.text):
            return True
        return self.widest_gap > 2 and bool(_ENTRY.search(self.text))

    @property
    def mono(self) -> bool:
        """Whether most of the line is in a font of one width."""
        return bool(self.flags & MONO)


@dataclass(slots=True, eq=False)
class Draft:
    """A block before the text is made. A table has rows of cells of lines, others have lines."""

    page: int
    lines: list[TextLine]
    kind: BlockKind = "paragraph"
    level: int = 0
    source: BlockSource = "fonts"
    rows: list[list[list[TextLine]]] = field(default_factory=list)
    header_rows: int = 0
    column: tuple[float, float] = (0.0, 0.0)  # u of the column's sides
    part: int = -1  # of its page's layout
    gutters: tuple[tuple[float, float], ...] = ()  # strips between columns of a table, u
    is_turned: bool = False  # not in the page's main direction
    is_drawn: bool = False  # a table with drawn lines around and between its cells
    pieces: list[list[TextLine]] = field(default_factory=list)  # the labels of a figure
    area: tuple[float, float, float, float] | None = None  # of a figure, x0, y0, x1, y1

    @property
    def text(self) -> str:
        """The lines, joined by spaces, as rules look at them."""
        return " ".join(line.text for line in self.lines)


@dataclass(frozen=True, slots=True)
class Fonts:
    """What most of a document is set in."""

    size: float = 10.0
    bold: bool = False


LIST_MARKER = re.compile(
    r"^(?:[•·▪▫◦‣●○■□◆◇►▶➢➤✓✔❖∙]|[\-–—*](?=\s)|\(?\d{1,2}[.)](?=\s)|\(?[a-zA-Z][.)](?=\s)"
    r"|\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|[ivx]{1,5}[.)](?=\s))\s*(?=\S)"
)
BULLET = re.compile(r"^[•·▪▫◦‣●○■□◆◇►▶➢➤✓✔❖∙\-–—*]\s*")
CAPTION = re.compile(
    r"^(?:fig(?:ure|\.)?|table|tab\.|abb(?:ildung|\.)|tabelle|chart|plate|scheme|exhibit|box"
    r"|algorithm|listing|tableau|figura|tabla|tabella)\s*[A-Z]?\d+(?:[.\-–]\d+)*\s*(?:[.:|–—]|$|\s)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^\S+\s*[A-Z]?\d+(?:[.\-–]\d+)*\s*[.:|–—](?!\d)")
CJK_CAPTION = re.compile(r"^[图圖図表]\s*\d+")
NUMBERED = re.compile(
    r"^(?:(?:chapter|section|part|annex|appendix|article|kapitel|abschnitt|chapitre)\s+)?"
    r"((?:\d{1,2}|[A-Z]|[IVX]{1,5})(?:\.\d{1,2})*)\.?\s+(?=[^\W\d_])",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?:;。！？：；…][\"'”’»)\]]*\W?$|[.!?][\"'”’»)\]]*[\d¹²³⁴-⁹⁰]{1,3}$")
_LEADERS = re.compile(r"(?:\. ?|… ?|· ?|_){4,}\s*(?:\d{1,4}|[ivxlc]{1,7})$")
_ENTRY = re.compile(r"^(?=.*[^\W\d_]{2}).+\s(?:\d{1,4}|[ivxlc]{1,7})$")
_LETTER = re.compile(r"[^\W\d_]")
_MATH = re.compile(r"[=+−×÷∑∏∫√≤≥≈≠∈∀∃→∞∂α-ωΑ-Ω]|[\U0001D400-\U0001D7FF]")


def ends_sentence(text: str) -> bool:
    """Say whether `text` ends with the end of a sentence, or with a mark that opens a list."""
    return bool(_SENTENCE_END.search(text[-12:]))


def measure_fonts(lines: Iterable[TextLine]) -> Fonts:
    """Return size and weight of most characters of `lines`."""
    sizes: Counter[float] = Counter()
    bold: Counter[bool] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
        bold[line.bold] += len(line.text)
    if not sizes:
        return Fonts()
    return Fonts(size=sizes.most_common(1)[0][0] or 10.0, bold=bold[True] > bold[False])


def name_kind(draft: Draft, fonts: Fonts) -> None:
    """Set the kind and level of a block of text: from its tag, or else from words and fonts."""
    if not _take_tag(draft):
        _name_by_fonts(draft, fonts)
        if draft.kind == "paragraph" and draft.lines[0].tag == "P":
            draft.source = "tags"


def _take_tag(draft: Draft) -> bool:
    """Set kind and level from the role of most lines in the structure tree, if it has one."""
    tags = Counter(line.tag for line in draft.lines)
    tag = tags.most_common(1)[0][0]
    kind = TAG_KINDS.get(tag)
    if kind is None or (kind == "heading" and len(draft.text) > _LONGEST_HEADING):
        return False
    draft.kind, draft.source = kind, "tags"
    if kind == "heading":
        draft.level = int(tag[1]) if tag[1:2].isdigit() else 1
    elif kind == "list_item":
        draft.level = 1
    return True


def _name_by_fonts(draft: Draft, fonts: Fonts) -> None:
    text = draft.text
    if draft.lines[-1].is_entry and len(draft.lines) <= 3:
        draft.kind, draft.level = "list_item", 1
        return
    if _is_caption(draft, fonts):
        draft.kind = "caption"
    elif is_heading(draft, fonts):
        draft.kind = "heading"
        numbered = NUMBERED.match(text)
        draft.level = min(6, numbered[1].count(".") + 1) if numbered else 1
    elif LIST_MARKER.match(text):
        draft.kind, draft.level = "list_item", 1
    elif _is_formula(text):
        draft.kind = "formula"


def _is_caption(draft: Draft, fonts: Fonts) -> bool:
    """Say whether a block opens like a caption and is one, and no sentence about a figure."""
    text, first = draft.text, draft.lines[0]
    if CJK_CAPTION.match(text):
        return len(text) < 80
    if not CAPTION.match(text) or len(text) >= 1200 or first.size >= 1.3 * fonts.size:
        return False
    small = first.size < 0.95 * fonts.size or first.bold != fonts.bold
    return bool(_LABEL.match(text)) or small or (len(text) < 120 and not ends_sentence(text))


def is_heading(draft: Draft, fonts: Fonts) -> bool:
    """Say whether a block is a heading: short, and larger, heavier, in capitals or numbered."""
    text = draft.text
    if len(draft.lines) > 4 or len(text) > 220:
        return False
    return _is_set_as_heading(draft, text, fonts) and _is_worded(text)


def _is_set_as_heading(draft: Draft, text: str, fonts: Fonts) -> bool:
    """Say whether size, weight, capitals or a number set a short block apart."""
    ratio = min(line.size for line in draft.lines) / max(fonts.size, 0.1)
    numbered = NUMBERED.match(text)
    ends = text[-1] in ".;,:" and not numbered
    if ratio >= 1.15:
        return not (ends and len(text) > 120)
    if all(line.bold for line in draft.lines) and not fonts.bold and ratio >= 0.9:
        return len(text) < 160 and not (ends and len(text) > 60) and not BULLET.match(text)
    if len(draft.lines) == 1 and len(text) < 90 and text.isupper():
        return ratio >= 0.75 and not ends  # small capitals are set smaller than the body
    if not numbered or len(draft.lines) > 2 or len(text) >= 100 or ratio < 0.95:
        return False
    brief = len(text) - numbered.end() < 30 or not ends_sentence(text)
    return brief and ("." in numbered[1] or text.isupper())


def _is_worded(text: str) -> bool:
    """Say whether letters make a good part of a text, as in a heading."""
    letters = len(_LETTER.findall(text))
    fewest = 4 if text.isupper() and len(text.split()) == 1 else 2
    return letters >= max(fewest, 0.4 * len(text.replace(" ", "")))


def _is_formula(text: str) -> bool:
    """Say whether a short text is mostly mathematics."""
    if len(text) > 160 or not _MATH.search(text):
        return False
    words = re.findall(r"[^\W\d_]{4,}", text)
    return sum(map(len, words)) < 0.3 * len(text)
