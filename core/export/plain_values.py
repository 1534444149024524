# SPDX-License-Identifier: AGPL-3.0-or-later
"""Documents, chunks and reasons as plain values, in the words of the command line's contract."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from core.document.geometry import boxes_of
from core.document.model import Document, Notice
from core.strategies.chunks import LEVELS, Chunks, Reason
from core.strategies.recipe import Recipe
from core.strategies.shared_options import tokenizer_of
from core.units.tokens import piece_counter


def document_json(document: Document, file: str) -> dict[str, object]:
    """The "document" of every answer."""
    return {
        "file": file,
        "sha256": document.sha256,
        "source_sha256": document.source_sha256,
        "pages": len(document.pages),
        "characters": len(document.text),
        "form": document.settings.form,
        "layout": document.settings.layout,
    }


def notices_json(notices: Sequence[Notice]) -> list[dict[str, object]]:
    """Notices as plain values."""
    return [{"page": n.page, "kind": n.kind, "message": n.message} for n in notices]


def chunks_json(
    document: Document,
    recipe: Recipe,
    chunks: Chunks,
    *,
    with_text: bool = False,
    with_boxes: bool = False,
) -> dict[str, Any]:
    """Chunks with what made them."""
    rows = chunk_rows(document, recipe, chunks, with_text=with_text, with_boxes=with_boxes)
    return {
        "strategy": recipe.code,
        "parameters": plain(recipe.settings),
        "mode": "reference" if recipe.is_reference else "default",
        "tokenizer": tokenizer_name(recipe),
        "chunks": list(rows),
        "notices": notices_json((*document.notices, *chunks.notices)),
    }


def chunk_rows(
    document: Document,
    recipe: Recipe,
    chunks: Chunks,
    *,
    with_text: bool = False,
    with_boxes: bool = False,
) -> Iterator[dict[str, Any]]:
    """A row for each chunk."""
    counts = token_counts(document, chunks, tokenizer_name(recipe))
    for index, count in enumerate(counts):
        row = _chunk_json(document, chunks, index)
        row["tokens"] = count
        if row["spans"] is None or with_text:
            row["text"] = chunks.text_of(index, document.text)
        if with_boxes:
            spans = row["spans"] or ()
            row["boxes"] = [box for a, b in spans for box in boxes_of(document, a, b)]
        yield row


def _chunk_json(document: Document, chunks: Chunks, index: int) -> dict[str, Any]:
    spans = chunks.spans_of(index).tolist()
    is_lost = index in chunks.texts or not spans
    level = LEVELS[chunks.levels[index]]
    last = 0 if is_lost else max(spans[0][0], spans[-1][1] - 1)
    return {
        "index": index,
        "spans": None if is_lost else spans,
        "pages": None if is_lost else [document.page_of(spans[0][0]), document.page_of(last)],
        "level": None if level == "chunk" else level,
        "parent": _index(int(chunks.parents[index])),
        "primary": _index(int(chunks.primaries[index])),
        "label": _index(int(chunks.labels[index])),
        "header": (chunks.headers[index] or None) if chunks.headers else None,
        "locked": False,
        "start_reason": reason_json(chunks.start_reasons[index]),
        "end_reason": reason_json(chunks.end_reasons[index]),
    }


def reason_json(reason: Reason | None) -> dict[str, object] | None:
    """A reason as plain values, None at the document's ends."""
    if reason is None:
        return None
    return {
        "rule": reason.rule,
        "value": reason.value,
        "threshold": reason.threshold,
        "margin": reason.margin,
        "step": reason.step,
        "words": reason.words,
    }


def tokenizer_name(recipe: Recipe) -> str:
    """Full name of the unit in which the recipe counts tokens."""
    return tokenizer_of(recipe.strategy.declaration, recipe.shared)


def token_counts(document: Document, chunks: Chunks, tokenizer: str) -> list[int]:
    """Tokens of each chunk's text, encoded by itself."""
    counts: list[int] = piece_counter(tokenizer).counts(chunks.all_texts(document.text)).tolist()
    return counts


def plain(settings: Mapping[str, object]) -> dict[str, object]:
    """Settings as JSON knows them: tuples become lists."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in settings.items()}


def _index(value: int) -> int | None:
    return None if value < 0 else value
