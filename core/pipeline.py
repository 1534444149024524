# SPDX-License-Identifier: AGPL-3.0-or-later
"""The stages in their order, and what each keeps: units, chunks, pairs, vectors, scores.

The only place that knows the order. The window and the command line both work through it.
"""

from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import core.scores.imported  # noqa: F401 - registers IMPORT
from core.arrays import Indices, Vectors
from core.cancel import NEVER, CancelToken, Progress, silent
from core.document.model import Document
from core.errors import ModelError
from core.scores.adaptive_judge import found_pairs, pairs_key
from core.scores.blame import Item
from core.scores.gains import merge_gain, split_gain
from core.scores.inputs import ScoreInputs, inputs_of
from core.scores.live import LiveScores
from core.scores.options import ScoreOptions
from core.scores.pairs import FoundPairs, no_pairs
from core.scores.results import PAIRS_PENDING, VECTORS_PENDING, Scores
from core.scores.score import NO_EMBEDDER, score
from core.scores.sentence_estimate import sentence_vectors
from core.scores.vector_supply import Policy, VectorSupply
from core.search.rows import Rows, rows_of, searched_chunks
from core.strategies.chunks import Chunks
from core.strategies.recipe import Recipe
from core.strategies.run import is_prepared, run
from core.strategies.source import Source, Units, model_key
from core.vectors.embedder import Embedder, VectorKind
from core.vectors.late import TokenVectors, late_vectors
from core.vectors.remote import Caller
from core.vectors.tail import tails_of_spans
from core.vectors.windows import window_vectors

KEPT_DOCUMENTS = 6  # texts whose units are kept in memory
SCORE_SPLITTER = "punkt"  # who finds the sentences that ICC compares


@dataclass(slots=True, eq=False)
class _Kept:
    """What is kept of one text."""

    units: Units = field(default_factory=Units)
    inputs: ScoreInputs | None = None
    has_pairs: bool = False  # `inputs` have the references
    live: dict[Hashable, LiveScores] = field(default_factory=dict)


class Pipeline:
    """The stages over documents. Each call may be cancelled and tells its progress."""

    def __init__(self, embedder: Embedder | None = None, engine: Caller | None = None) -> None:
        """`engine` is where functions run that import large libraries; None: in this process."""
        self.embedder = embedder
        self.engine = engine
        self._kept: OrderedDict[str, _Kept] = OrderedDict()  # by the key of the document
        self._of_text: OrderedDict[str, dict[Hashable, Any]] = OrderedDict()  # by its characters

    def set_embedder(self, embedder: Embedder | None) -> None:
        """Use another model, or another window of it; units stay, scores are made anew."""
        self.embedder = embedder
        for kept in self._kept.values():
            kept.live.clear()

    def is_prepared(self, recipe: Recipe, document: Document) -> bool:
        """True if chunking needs only the quick stage."""
        return is_prepared(recipe, document, self._of(document).units, embedder=self.embedder)

    def chunk(
        self,
        recipe: Recipe,
        document: Document,
        *,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
        allow_many: bool = False,
        aside: bool = False,
        estimate: bool = False,
    ) -> Chunks:
        """The chunks of a document by a recipe.

        With `aside`, what is prepared for it is not kept: trying many values of a slow parameter
        does not drive out what the values in force need. With `estimate`, contexts have late
        vectors instead of ordinary ones, which must be at hand (`has_token_vectors`).

        Raises:
            ParameterError, ModelError: as `core.strategies.run.run`.
        """
        units = self._of(document).units
        return run(
            recipe,
            document,
            units.aside() if aside else units,
            embedder=self.embedder,
            cancel=cancel,
            progress=progress,
            engine=self.engine,
            allow_many=allow_many,
            estimate=estimate,
        )

    def source(
        self,
        document: Document,
        *,
        splitter: str = SCORE_SPLITTER,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Source:
        """A document's units, for scores and search."""
        return Source(
            document,
            splitter=splitter if document.language == "en" else "unicode",
            embedder=self.embedder,
            units=self._of(document).units,
            cancel=cancel,
            progress=progress,
            engine=self.engine,
        )

    def find_pairs(
        self, document: Document, *, cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> FoundPairs:
        """The references of a document; found once, which is slow."""
        return found_pairs(self.source(document, cancel=cancel, progress=progress))

    def has_pairs(self, document: Document) -> bool:
        """True once references have been looked for."""
        return pairs_key(document) in self._of(document).units

    def inputs(
        self,
        document: Document,
        *,
        splitter: str = SCORE_SPLITTER,
        cancel: CancelToken = NEVER,
    ) -> ScoreInputs:
        """What a scoring needs besides the chunks; without pairs until they have been found."""
        kept, has_pairs = self._of(document), self.has_pairs(document)
        if kept.inputs is None or kept.has_pairs != has_pairs:
            source = self.source(document, splitter=splitter, cancel=cancel)
            pairs = found_pairs(source) if has_pairs else no_pairs("", PAIRS_PENDING)
            kept.inputs, kept.has_pairs = inputs_of(document, source.sentences(), pairs), has_pairs
        return kept.inputs

    def has_token_vectors(self, document: Document) -> bool:
        """True if late vectors of any span are at hand."""
        if self.embedder is None:
            return False
        return ("token vectors", model_key(self.embedder)) in self._of(document).units

    def token_vectors(
        self, document: Document, *, cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> TokenVectors:
        """Prefix sums of the token vectors; made once, which is slow.

        Raises:
            ModelError: no model was chosen, or it gives no token vectors.
        """
        if self.embedder is None:
            raise ModelError(NO_EMBEDDER)
        embedder = self.embedder
        return self._of(document).units.get(
            ("token vectors", model_key(embedder)),
            lambda: late_vectors(document.text, embedder, cancel=cancel, progress=progress),
        )

    def has_sentence_vectors(self, document: Document) -> bool:
        """True if the estimate that stands in for late vectors is at hand."""
        if self.embedder is None:
            return False
        return ("sentence vectors", model_key(self.embedder)) in self._of(document).units

    def sentence_vectors(
        self, document: Document, *, cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> TokenVectors:
        """What stands in for late vectors where the model gives none; made once.

        Raises:
            ModelError: no model was chosen.
        """
        if self.embedder is None:
            raise ModelError(NO_EMBEDDER)
        embedder = self.embedder
        sentences = self.source(document, cancel=cancel).sentences()
        return self._of(document).units.get(
            ("sentence vectors", model_key(embedder)),
            lambda: sentence_vectors(
                document.text, sentences, embedder, cancel=cancel, progress=progress
            ),
        )

    def supply(
        self,
        document: Document,
        policy: Policy = "auto",
        *,
        truncates: bool = False,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> VectorSupply | None:
        """Vectors of passages of a document; None without a model."""
        if self.embedder is None:
            return None

        def late() -> TokenVectors:
            return self.token_vectors(document, cancel=cancel, progress=progress)

        return VectorSupply(document.text, self.embedder, policy, late, truncates, cancel, progress)

    def score(
        self,
        document: Document,
        chunks: Chunks,
        options: ScoreOptions | None = None,
        *,
        policy: Policy = "auto",
        inputs: ScoreInputs | None = None,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Scores:
        """The five scores of a chunking, from nothing."""
        options = options or ScoreOptions()
        supply = self.supply(
            document,
            policy,
            truncates=options.mode == "reference",
            cancel=cancel,
            progress=progress,
        )
        return score(inputs or self.inputs(document, cancel=cancel), chunks, options, supply=supply)

    def follow_scores(
        self,
        document: Document,
        chunks: Chunks,
        options: ScoreOptions,
        *,
        slot: Hashable,
        cancel: CancelToken = NEVER,
    ) -> Scores:
        """The scores of a chunking that changes: only what changed since the last call.

        Uses late vectors, and none while they are not at hand.

        Args:
            document: its text.
            chunks: as they are now.
            options: changing them begins anew.
            slot: which chunking this is; each is followed by itself.
            cancel: stops the call; the next one follows the last that was not stopped.

        Raises:
            Cancelled: `cancel` was set.
        """
        kept = self._of(document)
        has_vectors = self.has_token_vectors(document) or self.has_sentence_vectors(document)
        at_hand = (has_vectors, self.has_pairs(document))
        key = (slot, repr(options), at_hand)
        if key not in kept.live:
            for old in [each for each in kept.live if isinstance(each, tuple) and each[0] == slot]:
                del kept.live[old]
            kept.live[key] = self._live(document, options)
        return kept.live[key].update(chunks, cancel=cancel)

    def score_at_once(self, document: Document, chunks: Chunks, options: ScoreOptions) -> Scores:
        """The scores of a chunking from what is at hand: late vectors, or none."""
        return self._live(document, options).update(chunks)

    def gain_of(
        self,
        document: Document,
        chunks: Chunks,
        options: ScoreOptions,
        *,
        item: Item,
        code: str,
    ) -> float | None:
        """What a score would gain if a cut were taken away, or a chunk mended.

        A chunk is split at its best place or joined with a neighbour, whichever gains more.
        None: there is nothing to try, or the score is not measurable afterwards.
        """
        live = self._live(document, options)
        if item.kind == "cut":
            return merge_gain(live, chunks, *item.chunks).changes[code]
        index = item.chunks[0]
        tried = [
            merge_gain(live, chunks, a, a + 1)
            for a in (index - 1, index)
            if a >= 0 and a + 1 < len(chunks)
        ]
        best = split_gain(self.inputs(document), live, chunks, index, code=code)
        tried += [] if best is None else [best]
        known = [value for each in tried if (value := each.changes[code]) is not None]
        return max(known, default=None)

    def chunk_vectors(
        self,
        document: Document,
        chunks: Chunks,
        chosen: Indices,
        kind: VectorKind,
        *,
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Vectors:
        """Vectors of some chunks, float32 (m, d), of the kind that the index is to hold.

        Args:
            document: its text.
            chunks: all chunks.
            chosen: int64 (m,), those that are wanted.
            kind: `ordinary` (truncated as a user's pipeline would), `late`, or `windows`.
            cancel: asked between batches.
            progress: told vectors.

        Raises:
            ModelError: no model was chosen, or the kind has no meaning for it.
        """
        if self.embedder is None:
            raise ModelError(NO_EMBEDDER)
        if kind == "late":
            tokens = self.token_vectors(document, cancel=cancel, progress=progress)
            return tokens.span_vectors(chunks.spans, chunks.pointers)[chosen]
        texts = chunks.embedded_texts(chosen, document.text)
        if kind == "windows":
            return window_vectors(texts, self.embedder, cancel=cancel, progress=progress)
        return self.embedder.encode(texts, cancel, progress)

    def rows(
        self,
        name: str,
        document: Document,
        chunks: Chunks,
        kind: VectorKind | None,
        *,
        index: object = "children",
        tags: Sequence[str] = (),
        cancel: CancelToken = NEVER,
        progress: Progress = silent,
    ) -> Rows:
        """The rows of an index of one document.

        Args:
            name: what hits name the document by.
            document: its text and pages.
            chunks: its chunks.
            kind: of the vectors; None: full text only.
            index: of a strategy with parents: which level is searched.
            tags: tags of the document.
            cancel: asked between batches.
            progress: told vectors.
        """
        chosen = searched_chunks(chunks, index)
        vectors = (
            None
            if kind is None
            else self.chunk_vectors(
                document, chunks, chosen, kind, cancel=cancel, progress=progress
            )
        )
        return rows_of(name, document, chunks, vectors, chosen=chosen, tags=tags)

    def tails(self, document: Document, chunks: Chunks) -> dict[int, int]:
        """Chunks that the model does not read to their end, and where it stops (offset)."""
        if self.embedder is None or not self.has_token_vectors(document):
            return {}
        if not chunks.is_contiguous:
            return {}
        pieces = self.token_vectors(document).pieces
        cuts = tails_of_spans(chunks.spans, pieces, self.embedder).cuts
        return {int(index): int(cuts[index]) for index in np.flatnonzero(cuts >= 0)}

    def _live(self, document: Document, options: ScoreOptions) -> LiveScores:
        supply = None
        if self.has_token_vectors(document):
            supply = self.supply(document, "late")
        elif self.embedder is not None and self.has_sentence_vectors(document):
            estimate = self.sentence_vectors(document)
            supply = VectorSupply(
                document.text, self.embedder, "late", lambda: estimate, estimates=True
            )
        why = VECTORS_PENDING if self.embedder else NO_EMBEDDER
        return LiveScores(self.inputs(document), options, supply=supply, why_no_vectors=why)

    def _of(self, document: Document) -> _Kept:
        of_text = self._of_text.setdefault(document.text, {})
        if document.key not in self._kept:
            self._kept[document.key] = _Kept(Units(of_text))
        self._kept.move_to_end(document.key)
        self._of_text.move_to_end(document.text)
        for kept in (self._kept, self._of_text):
            while len(kept) > KEPT_DOCUMENTS:
                kept.popitem(last=False)
        return self._kept[document.key]
