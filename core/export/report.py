# SPDX-License-Identifier: AGPL-3.0-or-later
"""The report: one HTML file with the text in the chunks' colours, the chunks and the scores."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from core import VERSION
from core.export.exported import Exported
from core.export.plain_values import tokenizer_name

SCORES = ("RC", "ICC", "DCC", "BI", "SC")
FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the text that lies in the same chunks from its start to its end.

    kind: "outside", "even", "odd", or "shared" by several chunks. begins: numbers of the chunks
    that begin here, from 1.
    """

    text: str
    kind: str
    begins: tuple[int, ...]


def report_bytes(exported: Exported) -> bytes:
    """The report; it needs no other file."""
    rows = exported.rows()
    html = _template().render(
        version=VERSION,
        title=exported.source.name,
        document=exported.document,
        recipe=exported.recipe,
        tokenizer=tokenizer_name(exported.recipe),
        stretches=list(stretches(exported)),
        rows=rows,
        codes=SCORES,
        scores=exported.scores,
    )
    return html.encode("utf-8", "replace")


def stretches(exported: Exported) -> Iterator[Stretch]:
    """The text, or its page, in parts between the edges of chunks."""
    text, chunks = exported.document.text, exported.chunks
    low, high = 0, len(text)
    if exported.page is not None and exported.page < len(exported.document.pages):
        page = exported.document.pages[exported.page]
        low, high = page.start, page.end
    starts, ends = chunks.spans[:, 0], chunks.spans[:, 1]
    edges = np.unique(np.clip(np.concatenate([starts, ends, [low, high]]), low, high))
    waiting = sorted(range(len(starts)), key=lambda row: -int(starts[row]))
    open_rows: set[int] = set()
    firsts: dict[int, list[int]] = {}
    for chunk, start in enumerate(chunks.starts.tolist()):
        firsts.setdefault(start, []).append(chunk + 1)
    for start, end in pairwise(edges.tolist()):
        while waiting and starts[waiting[-1]] <= start:
            open_rows.add(waiting.pop())
        open_rows = {row for row in open_rows if ends[row] > start}
        owners = [int(chunks.owners[row]) for row in open_rows]
        kind = "outside" if not owners else "shared"
        if len(owners) == 1:
            kind = ("even", "odd")[owners[0] % 2]
        yield Stretch(text[start:end], kind, tuple(firsts.get(start, ())))


@lru_cache(maxsize=1)
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.jinja")
