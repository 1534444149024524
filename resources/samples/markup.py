# SPDX-License-Identifier: AGPL-3.0-or-later
"""The small markup of the sample sources: text to blocks with styled runs.

One source file is a run of blocks separated by blank lines:

    # Heading {#label}      levels 1 to 3, numbered; {-} after it: not numbered
    - item / 1. item        bullet and numbered lists; two spaces deeper: a sub-list
    > text                  a recommendation box, blocks inside
    Table label: caption | widths=2,3 | align=lr | header=repeat
    | cell | cell |         rows follow the Table line; a row with one filled cell spans
    Figure label: caption   label names a drawing in `figures.py`
    Note: text              small print under a table or figure
    [^id]: text             a footnote; [^id] in a text is its mark
    @columns 2              the flow from here on has two columns
    @title text, @subtitle text, @space 150, @page, @toc

Inside a text: **bold**, *italic*, ^raised^, ~lowered~ and {label}, which becomes
"Table 2", "Figure 1" or "section 3.2" of the thing so labelled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

_HEADING = re.compile(r"(#{1,3}) (.+?)(?: \{(#[\w-]+|-)\})?$")
_LIST_ITEM = re.compile(r"( *)(-|\d+\.) (.+)$", re.DOTALL)
_FLOAT = re.compile(r"(Table|Figure) ([\w-]+): (.+)$")
_FOOTNOTE = re.compile(r"\[\^([\w-]+)\]: (.+)$", re.DOTALL)
_APPENDIX = re.compile(r"Appendix (\w+):")
_REFERENCE = re.compile(r"\{([\w-]+)\}")
_INLINE = re.compile(r"(\*\*|\*|\^|~|\[\^[\w-]+\])")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text in one style; `note` is the label of a footnote mark."""

    text: str
    bold: bool = False
    italic: bool = False
    script: int = 0  # 1 raised, -1 lowered
    note: str = ""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a source: its kind, its text and what the kind needs."""

    kind: str  # heading, paragraph, item, table, figure, note, columns, or another command
    text: str = ""
    level: int = 0  # of a heading; of a list item, 1 or 2; columns of a region
    mark: str = ""  # number of a heading, bullet of an item, "Table 2" of a float
    label: str = ""
    boxed: bool = False
    rows: tuple[tuple[str, ...], ...] = ()
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Source:
    """A whole document: its blocks in order and its footnotes by label."""

    blocks: tuple[Block, ...]
    footnotes: dict[str, str]


def parse(text: str, *, numbering: str = "document") -> Source:
    """Blocks of a source text, numbered, with references resolved.

    `numbering` is "document" (Table 1, Table 2, ...) or "chapter" (Table 3.1, ...).

    Raises:
        ValueError: a reference or a footnote mark has no target.
    """
    raw, footnotes = _split_blocks(text, boxed=False)
    blocks, names = _number(raw, numbering)
    resolved = tuple(_resolve(block, names) for block in blocks)
    notes = {label: _refer(note, names) for label, note in footnotes.items()}
    for label in re.findall(r"\[\^([\w-]+)\](?!:)", " ".join(_all_text(resolved))):
        if label not in notes:
            raise ValueError(f"footnote mark [^{label}] has no text: add a line '[^{label}]: ...'")
    return Source(resolved, notes)


def runs(text: str) -> list[Run]:
    """Styled runs of one text, markup removed."""
    result: list[Run] = []
    style = Run("")
    for part in _INLINE.split(text):
        if part == "**":
            style = replace(style, bold=not style.bold)
        elif part == "*":
            style = replace(style, italic=not style.italic)
        elif part == "^":
            style = replace(style, script=0 if style.script else 1)
        elif part == "~":
            style = replace(style, script=0 if style.script else -1)
        elif part.startswith("[^"):
            result.append(replace(style, text="", script=1, note=part[2:-1]))
        elif part:
            result.append(replace(style, text=part))
    return result


def plain(text: str) -> str:
    """The text without markup and footnote marks."""
    return "".join(run.text for run in runs(text))


def _split_blocks(text: str, *, boxed: bool) -> tuple[list[Block], dict[str, str]]:
    blocks: list[Block] = []
    footnotes: dict[str, str] = {}
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if part.startswith(">"):
            inner = "\n".join(line[1:].removeprefix(" ") for line in part.split("\n"))
            blocks += _split_blocks(inner, boxed=True)[0]
        elif match := _FOOTNOTE.match(part):
            footnotes[match[1]] = _join(match[2])
        else:
            blocks += [replace(block, boxed=boxed) for block in _read_block(part)]
    return blocks, footnotes


def _read_block(part: str) -> list[Block]:
    first = part.split("\n", 1)[0]
    if _LIST_ITEM.match(first):
        return _read_items(part)
    if first.startswith("@"):
        block = _read_command(part)
    elif match := _HEADING.match(first):
        block = _read_heading(match)
    elif match := _FLOAT.match(first):
        block = _read_float(match, part)
    elif part.startswith("Note: "):
        block = Block("note", text=_join(part[6:]))
    else:
        block = Block("paragraph", text=_join(part))
    return [block]


def _read_command(part: str) -> Block:
    command, _, rest = part[1:].partition(" ")
    if command == "columns":
        return Block("columns", level=int(rest))
    return Block(command, text=_join(rest))


def _read_heading(match: re.Match[str]) -> Block:
    label = match[3] or ""
    return Block(
        "heading",
        text=match[2],
        level=len(match[1]),
        mark="-" if label == "-" else "",
        label=label.removeprefix("#"),
    )


def _read_float(match: re.Match[str], part: str) -> Block:
    kind, label = match[1].lower(), match[2]
    caption, *settings = (piece.strip() for piece in match[3].split(" | "))
    options = dict(setting.split("=", 1) for setting in settings)
    rows = tuple(
        tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
        for line in part.split("\n")[1:]
    )
    return Block(kind, text=caption, label=label, rows=rows, options=options)


def _read_items(part: str) -> list[Block]:
    items: list[str] = []
    for line in part.split("\n"):
        if _LIST_ITEM.match(line):
            items.append(line)
        else:
            items[-1] += " " + line.strip()
    blocks = []
    for item in items:
        match = _LIST_ITEM.match(item)
        assert match
        level = 2 if match[1] else 1
        blocks.append(
            Block("item", text=match[3], level=level, mark="•" if match[2] == "-" else match[2])
        )
    return blocks


def _number(blocks: list[Block], numbering: str) -> tuple[list[Block], dict[str, str]]:
    """Give headings, tables and figures their numbers; also what each label stands for."""
    by_chapter = numbering == "chapter"
    counters = [0, 0, 0]
    floats = {"table": 0, "figure": 0}
    chapter = ""  # number, or the letter of an appendix
    names: dict[str, str] = {}
    marks: list[str] = []
    for block in blocks:
        mark = block.mark
        if block.kind == "heading" and mark != "-":
            counters[block.level - 1] += 1
            counters[block.level :] = [0] * (3 - block.level)
            mark = ".".join(str(count) for count in counters[: block.level])
            names[block.label] = (
                f"{'chapter' if '.' not in mark and by_chapter else 'section'} {mark}"
            )
        elif block.kind in floats:
            floats[block.kind] += 1
            place = f"{chapter}." if by_chapter else ""
            mark = names[block.label] = f"{block.kind.capitalize()} {place}{floats[block.kind]}"
        if block.kind == "heading" and block.level == 1 and by_chapter:
            appendix = _APPENDIX.match(block.text)
            chapter = appendix[1] if appendix else mark
            floats = dict.fromkeys(floats, 0)
        marks.append(mark)
    return [replace(b, mark=mark) for b, mark in zip(blocks, marks, strict=True)], names


def _resolve(block: Block, names: dict[str, str]) -> Block:
    rows = tuple(tuple(_refer(cell, names) for cell in row) for row in block.rows)
    return replace(block, text=_refer(block.text, names), rows=rows)


def _refer(text: str, names: dict[str, str]) -> str:
    def target(match: re.Match[str]) -> str:
        if match[1] not in names:
            raise ValueError(f"reference {{{match[1]}}} has no target: label a heading or float so")
        name = names[match[1]].replace(" ", "\u00a0")
        opens = match.start() == 0 or text[: match.start()].endswith((". ", "? "))
        return name[0].upper() + name[1:] if opens else name

    return _REFERENCE.sub(target, text)


def _all_text(blocks: tuple[Block, ...]) -> list[str]:
    return [text for block in blocks for text in (block.text, *(c for r in block.rows for c in r))]


def _join(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text).strip()
