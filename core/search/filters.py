# SPDX-License-Identifier: AGPL-3.0-or-later
"""Searching only some documents, pages or tags."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from core.arrays import Mask
from core.search.rows import Rows


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must fulfil. Empty: anything goes.

    documents: ids. pages: the first and the last page, from 0, one of which it must touch.
    tags: its document must have one of them.
    """

    documents: tuple[str, ...] = ()
    pages: tuple[int, int] | None = None
    tags: tuple[str, ...] = ()


NO_FILTERS = Filters()


def condition(filters: Filters) -> str:
    """The filter in LanceDB's SQL; an empty string for no filter."""
    parts = []
    if filters.documents:
        parts.append(f"document IN ({_quoted(filters.documents)})")
    if filters.pages is not None:
        first, last = filters.pages
        parts.append(f"first_page <= {int(last)} AND last_page >= {int(first)}")
    if filters.tags:
        parts.append(f"array_has_any(tags, make_array({_quoted(filters.tags)}))")
    return " AND ".join(parts)


def allowed(rows: Rows, filters: Filters) -> Mask:
    """The rows that fulfil the filters, bool (n,)."""
    mask = np.ones(len(rows), np.bool_)
    if filters.documents:
        mask &= np.isin(rows.owners, [rows.documents.index(d) for d in _known(rows, filters)])
    if filters.pages is not None:
        mask &= (rows.first_pages <= filters.pages[1]) & (rows.last_pages >= filters.pages[0])
    if filters.tags:
        has_tag = [bool(set(tags) & set(filters.tags)) for tags in rows.tags]
        mask &= np.array(has_tag, np.bool_)[rows.owners]
    return mask


def _known(rows: Rows, filters: Filters) -> list[str]:
    return [document for document in filters.documents if document in rows.documents]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join("'" + word.replace("'", "''") + "'" for word in words)
