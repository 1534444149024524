# SPDX-License-Identifier: AGPL-3.0-or-later
"""Lines into blocks, and what each block is, by the rules of fonts and places.

A block is a paragraph, a heading, one item of a list and so on. Its kind here is a first answer
that needs no model; `core.document.upgrade` takes a better one from the layout model.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.document.hyphens import HYPHENS
from core.document.model import BlockKind, BlockSource
from core.document.raw import BOLD, MONO

# Roles of the structure tree (ISO 32000-1, 14.8.4). "P" and containers say too little.
_TAG_KINDS: dict[str, BlockKind] = {
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
    gutters: tuple[float, ...] = ()  # u between the columns of a table
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


def split_paragraphs(lines: Sequence[TextLine]) -> list[Draft]:
    """Cut the lines of one column into blocks where the page shows a break."""
    if not lines:
        return []
    left = min(line.u0 for line in lines)
    right = max(line.u1 for line in lines)
    leading = _leading(lines)
    drafts = [Draft(page=lines[0].page, lines=[lines[0]], column=(left, right))]
    for index in range(1, len(lines)):
        current = drafts[-1].lines
        following = lines[index + 1] if index + 1 < len(lines) else None
        if _begins(current, lines[index], following, left, right, leading):
            drafts.append(Draft(page=lines[index].page, lines=[], column=(left, right)))
        drafts[-1].lines.append(lines[index])
    return drafts


def _leading(lines: Sequence[TextLine]) -> float:
    """Return the usual distance of baselines, in points."""
    steps = sorted(
        b.v - a.v for a, b in itertools.pairwise(lines) if 0.5 * b.size < b.v - a.v < 2.2 * b.size
    )
    return steps[len(steps) // 2] if steps else 1.25 * lines[0].size


def _begins(
    block: list[TextLine],
    line: TextLine,
    following: TextLine | None,
    left: float,
    right: float,
    leading: float,
) -> bool:
    """Say whether `line` begins a new block after the lines of `block`."""
    last = block[-1]
    step = line.v - last.v
    if step > 1.3 * max(leading, 0.9 * line.size) or step < 0:
        return True
    ratio = line.size / max(last.size, 0.1)
    if _unfinished_word(last, line) and 0.8 < ratio < 1.25:
        return False
    if (ratio > 1.12 or ratio < 0.89) and min(len(line.text), len(last.text)) > 2:
        return True
    if last.bold != line.bold and not (last.mono and line.mono):
        return not _inside_sentence(last, line, right) or not line.text[0].islower()
    if _TAG_KINDS.get(last.tag) != _TAG_KINDS.get(line.tag):
        return True
    if last.mono and line.mono:
        return False
    if last.is_entry:
        return True
    if LIST_MARKER.match(line.text) and not _inside_sentence(last, line, right):
        return True
    if _indent_begins(block, line, following, left):
        return True
    return _ended_early(last, line, right)


def _unfinished_word(last: TextLine, line: TextLine) -> bool:
    """Say whether a word broken at the end of `last` goes on in `line`."""
    text = last.text
    return text[-1] in HYPHENS and len(text) > 1 and text[-2].isalpha() and line.text[0].islower()


def _inside_sentence(last: TextLine, line: TextLine, right: float) -> bool:
    """Say whether a line that looks like a list item only goes on with a sentence."""
    full = right - last.u1 < 2 * line.size
    return full and not ends_sentence(last.text) and bool(re.match(r"[\-–—(\w]", line.text))


def _indent_begins(
    block: list[TextLine], line: TextLine, following: TextLine | None, left: float
) -> bool:
    """Say whether the indent of `line` shows a new paragraph."""
    last, em = block[-1], line.size
    shift = line.u0 - last.u0
    if abs(line.u0 + line.u1 - last.u0 - last.u1) < 0.8 * em and abs(shift) > 0.5 * em:
        return False  # centred lines
    if 0.8 * em < shift < 6 * em or (shift >= 6 * em and ends_sentence(last.text)):
        if len(block) >= 2 and abs(block[-2].u0 - last.u0) < 0.5 * em:
            return True
        returns = following is not None and following.u0 < line.u0 - 0.8 * em
        return returns and not LIST_MARKER.match(block[0].text)
    if shift < -0.6 * em and ends_sentence(last.text):
        marked = len(block) >= 2 or LIST_MARKER.match(block[0].text)
        if marked and line.u0 < min([each.u0 for each in block]) - 0.6 * em:
            return True  # back to the left of an indented block
    hanging = len(block) >= 2 and block[0].u0 < last.u0 - 0.6 * em
    return hanging and abs(line.u0 - block[0].u0) < 0.5 * em and shift < -0.6 * em


def _ended_early(last: TextLine, line: TextLine, right: float) -> bool:
    """Say whether the first word of `line` had room on the line before, after a sentence."""
    word = line.text.split(" ", 1)[0]
    room = right - last.u1
    per_character = (last.u1 - last.u0) / max(1, len(last.text))
    if room < 1.4 * per_character * (len(word) + 1) + 0.5 * line.size:
        return False
    return ends_sentence(last.text) and not line.text[:1].islower()


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
    kind = _TAG_KINDS.get(tag)
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
    first = draft.lines[0]
    if draft.lines[-1].is_entry and len(draft.lines) <= 3:
        draft.kind, draft.level = "list_item", 1
        return
    ratio = first.size / max(fonts.size, 0.1)
    if (
        CAPTION.match(text) and len(text) < 1200 and ratio < 1.3 and _captioned(text, draft, fonts)
    ) or (CJK_CAPTION.match(text) and len(text) < 80):
        draft.kind = "caption"
    elif is_heading(draft, fonts):
        draft.kind = "heading"
        numbered = NUMBERED.match(text)
        draft.level = min(6, numbered[1].count(".") + 1) if numbered else 1
    elif LIST_MARKER.match(text):
        draft.kind, draft.level = "list_item", 1
    elif _is_formula(text):
        draft.kind = "formula"


def _captioned(text: str, draft: Draft, fonts: Fonts) -> bool:
    """Say whether a text that opens like a caption is one, and no sentence about a figure."""
    label = re.match(r"^\S+\s*[A-Z]?\d+(?:[.\-–]\d+)*\s*[.:|–—]", text)
    first = draft.lines[0]
    small = first.size < 0.95 * fonts.size or first.bold != fonts.bold
    return bool(label) or small or (len(text) < 120 and not ends_sentence(text))


def is_heading(draft: Draft, fonts: Fonts) -> bool:
    """Say whether a block is a heading: short, and larger, heavier or numbered."""
    text = draft.text
    if len(draft.lines) > 4 or len(text) > 220 or not _LETTER.search(text):
        return False
    ratio = min(line.size for line in draft.lines) / max(fonts.size, 0.1)
    ends = bool(re.search(r"[.;,:]$", text)) and not NUMBERED.match(text)
    letters = len(_LETTER.findall(text))
    if letters < 0.4 * len(text.replace(" ", "")) or letters < 2:
        return False
    if ratio >= 1.15:
        return not (ends and len(text) > 120)
    bold = all(line.bold for line in draft.lines) and not fonts.bold
    if bold and ratio >= 0.9:
        return len(text) < 160 and not (ends and len(text) > 60) and not LIST_BULLET(text)
    numbered = NUMBERED.match(text)
    if len(draft.lines) == 1 and len(text) < 90 and text.isupper() and letters >= 4:
        return ratio >= 0.75 and not ends  # small capitals are set smaller than the body
    if numbered and len(draft.lines) <= 2 and len(text) < 100 and ratio >= 0.95:
        title = text[numbered.end() :]
        deep = "." in numbered[1] or text.isupper()
        return deep and not ends and (len(title) < 30 or not ends_sentence(text))
    return False


def LIST_BULLET(text: str) -> bool:
    """Say whether the text opens with a bullet."""
    return bool(BULLET.match(text))


def _is_formula(text: str) -> bool:
    """Say whether a short text is mostly mathematics."""
    if len(text) > 160 or not _MATH.search(text):
        return False
    words = re.findall(r"[^\W\d_]{4,}", text)
    return sum(map(len, words)) < 0.3 * len(text)
