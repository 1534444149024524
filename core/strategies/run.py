# SPDX-License-Identifier: AGPL-3.0-or-later
"""Running a recipe on a document: prepare, cut, and what may happen to any chunks.

`prepare` is kept by the slow parameters, so that a drag of a fast one runs `cut` and a few array
expressions only.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from core.arrays import Offsets
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document, Notice
from core.errors import ParameterError
from core.strategies.adjustments import (
    SNAP_WORDS,
    SpaceRuns,
    cuts_of,
    drop_last,
    end_within_words,
    floor_spans,
    invisible_runs,
    join_last,
    moved_out_of,
    replace_by_parts,
    snapped_to_edges,
    space_runs,
    with_spans,
    without_blank,
)
from core.strategies.chunks import Chunks, Rule, one_span_chunks
from core.strategies.hybrids import stages_of
from core.strategies.protection import Protect, ProtectedParts, protected_parts
from core.strategies.recipe import Recipe, make_recipe, parse_recipe
from core.strategies.regularise import regularise
from core.strategies.shared_options import (
    BY_STRATEGY,
    headings_end_sentences,
    splitter_of,
    tokenizer_of,
)
from core.strategies.size_cap import SizeCap
from core.strategies.sizes import Size, declared_size, measure
from core.strategies.source import Options, Source, Units, model_key, renewed
from core.strategies.span_counts import span_counter
from core.units.tokens import unit_words
from core.vectors.embedder import Embedder
from core.vectors.remote import Caller

__all__ = ["Recipe", "is_prepared", "make_recipe", "parse_recipe", "run", "source_for"]

MANY_CHUNKS = 200_000  # more are made only when asked for
KEPT_PREPARED = 4  # values of the slow parameters that are kept for each strategy

# What the released code does with a text of white space only (`spec/strategies.md` 1.4).
_KEEPS_BLANK_TEXT = frozenset({"FCC", "FC", "OFC", "SWC", "LCTS", "DFC", "SEBC", "SBDC", "TBC"})


def source_for(
    recipe: Recipe,
    document: Document,
    units: Units,
    *,
    embedder: Embedder | None = None,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
    engine: Caller | None = None,
    estimate: bool = False,
) -> Source:
    """The document as the recipe's strategy sees it."""
    declaration, shared = recipe.strategy.declaration, recipe.shared
    tokenizer, splitter = shared.text("tokenizer"), shared.text("sentences")
    reads_query = any(parameter.name == "reading" for parameter in declaration.parameters)
    options = Options(
        mode="reference" if shared.is_reference else "default",
        tokenizer=None if tokenizer == BY_STRATEGY else tokenizer,
        sentences=None if splitter == BY_STRATEGY else splitter,
        paragraphs="layout" if shared["paragraphs.rule"] == "layout" else "strict",
        headings_end_sentences=headings_end_sentences(recipe.code, shared),
        # only where it is read: what is kept by options stays when the query changes
        query=shared.text("query") if reads_query else "",
        estimate=estimate,
    )
    return Source(
        document,
        options,
        tokenizer_of(declaration, shared),
        splitter_of(declaration, shared, document.language),
        embedder,
        units,
        cancel,
        progress,
        engine,
    )


def is_prepared(
    recipe: Recipe, document: Document, units: Units, *, embedder: Embedder | None = None
) -> bool:
    """True if `run` needs only `cut`: what is slow has been done with these slow parameters."""
    source = source_for(recipe, document, units, embedder=embedder)
    kept: dict[Any, Any] = source.units.get(("prepared", recipe.code), dict)
    return _prepared_key(recipe, source) in kept


def works_apart(recipe: Recipe, document: Document) -> bool:
    """True if preparing it waits for spaCy or scikit-learn in the engine process."""
    declaration = recipe.strategy.declaration
    return (
        declaration.apart or splitter_of(declaration, recipe.shared, document.language) == "spacy"
    )


def run(
    recipe: Recipe,
    document: Document,
    units: Units,
    *,
    embedder: Embedder | None = None,
    cancel: CancelToken = NEVER,
    progress: Progress = silent,
    engine: Caller | None = None,
    allow_many: bool = False,
    estimate: bool = False,
) -> Chunks:
    """The chunks of a document by a recipe.

    Args:
        recipe: the strategy with all values.
        document: what is chunked.
        units: the cache of this document's units; the same one for all runs on it.
        embedder: needed by the embedding class.
        cancel: asked before each step.
        progress: told by what is slow.
        engine: where functions run that import large libraries; None: in this process.
        allow_many: more than 200,000 chunks may be made.
        estimate: contexts have late vectors instead of ordinary ones.

    Returns:
        Chunks after cuts were snapped and moved out of protected parts, blank ones dropped, the
        tail and the last-resort size seen to, and regularisation, in that order.

    Raises:
        ParameterError: the strategy makes too many chunks.
        ModelError: it needs an embedder and there is none.
    """
    source = source_for(
        recipe,
        document,
        units,
        embedder=embedder,
        cancel=cancel,
        progress=progress,
        engine=engine,
        estimate=estimate,
    )
    if not document.text or _is_skipped(recipe, source):
        return one_span_chunks(np.empty((0, 2), np.int64))
    cancel.check()
    chunks = _cut(recipe, source)
    if len(chunks) > MANY_CHUNKS and not (allow_many or recipe.is_reference):
        raise ParameterError(
            f"{recipe.word} makes {len(chunks):,} chunks, but at most {MANY_CHUNKS:,} are made "
            "without asking: choose larger chunks, or allow it"
        )
    cancel.check()
    chunks = _adjusted(chunks, recipe, source)
    return chunks.with_notices(*_notices(recipe, source))


def _is_skipped(recipe: Recipe, source: Source) -> bool:
    """True for a text of white space, except where the released code makes chunks of it."""
    if source.text[:1].strip() or source.text.strip():
        return False
    code, declaration = recipe.code, recipe.strategy.declaration
    if declaration.family == "hybrids":  # the first stage makes chunks or does not
        code, _ = stages_of(declaration)
    return not (recipe.is_reference and code in _KEEPS_BLANK_TEXT)


def _cut(recipe: Recipe, source: Source) -> Chunks:
    chosen = recipe.strategy
    slow, fast = chosen.split(recipe.parameters)
    prepared: dict[Any, Any] = source.units.get(("prepared", recipe.code), dict)
    key = _prepared_key(recipe, source)
    if key not in prepared:
        value = chosen.prepare(source, **slow)
        while len(prepared) >= KEPT_PREPARED:
            del prepared[next(iter(prepared))]
        prepared[key] = value
    return chosen.cut(renewed(prepared[key], source), **fast)


def _prepared_key(recipe: Recipe, source: Source) -> tuple[Any, ...]:
    slow, _ = recipe.strategy.split(recipe.parameters)
    return (
        tuple(slow.items()),
        source.options,
        source.tokenizer,
        source.splitter,
        model_key(source.embedder) if source.embedder else None,
    )


def _adjusted(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    shared = recipe.shared
    if shared["snap"] != "none":
        chunks = _snapped(chunks, shared.text("snap"), source)
    if shared["protect"] != "off":
        chunks = _protected(chunks, recipe, source)
    # after the cuts are where they stay: what touched a blank chunk has moved along with it
    chunks = _without_blank(chunks, recipe, source)
    if shared["tail.rule"] != "keep":
        chunks = _with_tail(chunks, recipe, source)
    if shared.number("cap.max"):
        chunks = _without_blank(_capped(chunks, recipe, source), recipe, source)
    if shared["reg"]:
        chunks = _regularised(chunks, recipe, source)
    return chunks


def _without_blank(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    """Without chunks that hold nothing to see, except where they are asked for."""
    if recipe.is_reference or recipe.parameters.get("keep_empty", False):
        return chunks
    invisible = source.units.get("invisible runs", lambda: invisible_runs(source.text))
    return without_blank(chunks, invisible)


def _space_runs(source: Source) -> SpaceRuns:
    return source.units.get("space runs", lambda: space_runs(source.text))


# --- snapping and protection ---------------------------------------------------------------------


def _snapped(chunks: Chunks, snap: str, source: Source) -> Chunks:
    """Cuts moved to where `snap` allows them; never inside a visible character."""
    if snap == "character":  # every offset is the start of a character by now
        return chunks
    floor = source.graphemes().floor
    if snap != "grapheme":
        cuts = cuts_of(chunks.spans, _space_runs(source))
        # a word longer than a window is cut all the same
        stay = end_within_words(cuts, _space_runs(source)) if snap == "word" else None
        spans = snapped_to_edges(cuts, _edges(source, snap), floor, stay)
        chunks = with_spans(chunks, spans, "snap", SNAP_WORDS[snap], drops_equal=True)
    return _on_graphemes(chunks, floor)


def _on_graphemes(chunks: Chunks, floor: Callable[[Offsets], Offsets]) -> Chunks:
    return with_spans(chunks, floor_spans(chunks.spans, floor), "snap", SNAP_WORDS["grapheme"])


def _edges(source: Source, snap: str) -> Offsets:
    """The edges that cuts snap to, int64 (e,), ascending."""
    if snap == "word":
        return _space_runs(source).edges_of_words()
    if snap == "block":
        spans = source.document.block_spans if source.document.blocks else source.paragraphs()
    else:
        spans = source.sentences()
    return np.unique(spans)


def _protected(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    what = cast(Protect, recipe.shared.text("protect"))
    parts = source.units.get(("protected", what), lambda: protected_parts(source.document, what))
    if not len(parts.spans):
        return chunks
    size = _size(recipe, source)
    openings = parts.openings if size is None else _openings(parts, size, source)
    if size is None:
        openings = tuple(each[:0] for each in parts.openings)
    spans = moved_out_of(cuts_of(chunks.spans, _space_runs(source)), parts.spans, openings)
    kept = "tables" if what == "tables" else "blocks"
    words = f"moved to the edge of a part of protected {kept}"
    moved = with_spans(chunks, spans, "protect", words, drops_equal=True)
    return moved if recipe.is_reference else _on_graphemes(moved, source.graphemes().floor)


def _openings(parts: ProtectedParts, size: Size, source: Source) -> tuple[Offsets, ...]:
    """Rows and items, for those parts that are larger than a chunk."""
    fits = measure(source, parts.spans, size) <= size.value
    return tuple(
        each[:0] if fit else each for each, fit in zip(parts.openings, fits.tolist(), strict=True)
    )


# --- tail, last-resort size, regularisation ------------------------------------------------------


def _size(recipe: Recipe, source: Source) -> Size | None:
    return declared_size(recipe.strategy.declaration, recipe.parameters, source.tokenizer)


def _with_tail(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    if len(chunks) < 2:
        return chunks
    if not chunks.is_contiguous or chunks.levels.any():
        message = "tail.rule changed nothing: these chunks are nested or of several parts"
        return chunks.with_notices(Notice(None, "tail", message))
    last, before = chunks.spans[-1], chunks.spans[-2]
    size = _size(recipe, source)
    share = recipe.shared.number("tail.min") / 100
    length, least, unit = 0, 0.0, "characters"
    if size is not None:
        length = int(measure(source, chunks.spans[-1:], size)[0])
        least, unit = size.value * share, size.unit
    is_inside = before[0] <= last[0] and last[1] <= before[1]
    if not is_inside and not (size is not None and length < least):
        return chunks
    why = (
        "lay inside the one before"
        if is_inside
        else f"had {{value:,.0f}} {unit}, fewer than {{threshold:,.0f}}"
    )
    if recipe.shared["tail.rule"] == "merge":
        words = f"the last chunk was joined: it {why}"
        return join_last(chunks, words, float(length), least)
    words = f"the last chunk was dropped: it {why}"
    left = drop_last(chunks, words, float(length), least)
    lost = max(0, int(last[1] - max(before[1], last[0])))
    message = f"the last chunk was dropped: {lost:,} characters are in no chunk any more"
    return left.with_notices(Notice(None, "lost text", message)) if lost else left


def _capped(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    """Chunks above the last-resort size cut into parts of it."""
    unit, most = recipe.shared.text("cap.length"), int(recipe.shared.number("cap.max"))
    if not chunks.is_contiguous:
        odd = int((np.diff(chunks.pointers) != 1).sum())
        message = f"cap.max left these chunks whole: {odd:,} of them are not one span"
        return chunks.with_notices(Notice(None, "cap", message))
    counter = span_counter(source, unit)
    sizes = counter.counts(chunks.spans)
    if not (sizes > most).any():
        return chunks
    cap = SizeCap(most, counter, source.tokens(unit), source.graphemes())
    parts, owners = cap.cut(chunks.spans, sizes)
    rule = Rule("cap", f"forced: {{value:,.0f}} {unit_words(unit)} are above {{threshold:,.0f}}")
    return replace_by_parts(chunks, parts, owners, rule=rule, threshold=most, sizes=sizes[owners])


def _regularised(chunks: Chunks, recipe: Recipe, source: Source) -> Chunks:
    shared = recipe.shared
    result = regularise(
        chunks,
        source,
        max=shared.number("reg.max"),
        min=shared.number("reg.min"),
        merged_max=shared.number("reg.merged_max"),
        toward="previous" if shared["reg.toward"] == "previous" else "next",
        length=shared.text("reg.length"),
        split=bool(shared["reg.split"]),
        fill=bool(shared["reg.fill"]),
    )
    if recipe.is_reference or shared["snap"] == "none":
        return result
    return _on_graphemes(result, source.graphemes().floor)


def _notices(recipe: Recipe, source: Source) -> tuple[Notice, ...]:
    """What was chosen otherwise than published."""
    declaration = recipe.strategy.declaration
    published = declaration.sentences
    if published is None or source.options.sentences is not None or source.splitter == published:
        return ()
    message = (
        f"sentences by Unicode rules instead of {published}, because the text is in "
        f"'{source.document.language}'; choose sentences={published} to have it as published"
    )
    return (Notice(None, "sentences", message),)
