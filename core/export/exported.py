# SPDX-License-Identifier: AGPL-3.0-or-later
"""What a file is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.document.model import Document
from core.export.plain_values import chunk_rows
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe

FRAMEWORKS = ("langchain", "llamaindex", "haystack")


@dataclass(frozen=True, slots=True, eq=False)
class Exported:
    """A chunking that is to be written.

    source: the document's own file. page: index of the only page, None for all (pictures: the
    first). framework: of code; None: plain Python. scores: as `score` prints them.
    """

    source: Path
    document: Document
    recipe: Recipe
    chunks: Chunks
    page: int | None = None
    password: str = ""
    framework: str | None = None
    scores: Mapping[str, Any] | None = None

    def rows(self, *, with_boxes: bool = False) -> list[dict[str, Any]]:
        """The chunks as plain values with their text; only those of `page` if there is one."""
        rows = chunk_rows(
            self.document, self.recipe, self.chunks, with_text=True, with_boxes=with_boxes
        )
        return [row for row in rows if self.page is None or self._is_on_page(row)]

    def _is_on_page(self, row: Mapping[str, Any]) -> bool:
        pages = row["pages"]
        return pages is not None and pages[0] <= (self.page or 0) <= pages[1]
