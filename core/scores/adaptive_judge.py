# SPDX-License-Identifier: AGPL-3.0-or-later
"""What ADAPT chooses by: every candidate chunked and scored alike, then ranked.

Source: `spec/metrics.md` 17; decision 32.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.document.model import Document
from core.errors import ChunkscopeError, ParameterError
from core.scores.inputs import ScoreInputs, inputs_of
from core.scores.options import ScoreOptions
from core.scores.pairs import FoundPairs
from core.scores.pairs_apart import boilerplate_of, find_pairs
from core.scores.score import score
from core.scores.selection import Candidate, select
from core.scores.vector_supply import Policy, VectorSupply
from core.strategies.adaptive_choice import Choice, Judged, set_judge
from core.strategies.recipe import Recipe, parse_recipe
from core.strategies.run import run
from core.strategies.source import Source
from core.strategies.variants import short_name

SPLITTER = "punkt"  # who finds the sentences that ICC compares


def found_pairs(source: Source) -> FoundPairs:
    """The references of a document; found once, which is slow."""
    document = source.document

    def find() -> FoundPairs:
        found: FoundPairs = source.apart(
            find_pairs, document.text, document.language, boilerplate_of(document)
        )
        return found

    return source.units.get(pairs_key(document), find)


def pairs_key(document: Document) -> tuple[str, str, bytes]:
    """What the references of a text depend on: its language, and what is left out of it."""
    return "found pairs", document.language, boilerplate_of(document).tobytes()


def judge(source: Source, words: Sequence[str]) -> Judged:
    """Chunk and score candidates on one document. A candidate that fails cannot win.

    Raises:
        ParameterError: a word is no recipe, or every candidate failed.
    """
    mode = source.options.mode
    recipes = {short_name(r): r for r in (parse_recipe(word, {"mode": mode}) for word in words)}
    judged = _Scoring(source, _inputs(source), ScoreOptions(mode=mode), _supply(source))
    candidates = []
    for number, (name, recipe) in enumerate(recipes.items()):
        source.progress(number, len(recipes), "candidates")
        candidates.append(judged.candidate(name, recipe))
    source.progress(len(recipes), len(recipes), "candidates")
    good = [each for each in candidates if each.scores is not None and each.chunks is not None]
    if not good:
        raise ParameterError(f"no candidate of ADAPT could be scored: {candidates[0].error}")

    def choose(weights: Mapping[str, float]) -> Choice:
        return chosen_by(candidates, good, weights)

    return Judged(
        tuple(each.name for each in good),
        tuple(each.chunks for each in good if each.chunks is not None),
        tuple(each.scores.values for each in good if each.scores is not None),
        choose,
    )


def chosen_by(
    candidates: Sequence[Candidate], good: Sequence[Candidate], weights: Mapping[str, float]
) -> Choice:
    """The winner among `good` at some weights; without weight on anything, the first one.

    Its words are, for example, "STM:size=1100 + REG: 0.912, next PAGE + REG: 0.908".
    """
    selection = select(candidates, weights)
    if selection.winner is None:
        return Choice(0, f"{good[0].name}, the first candidate: {selection.reason}")
    names = [each.name for each in good]
    ranked = [each for each in selection.standings if each.value is not None]
    first = ranked[0]
    said = f"{selection.winner}: {first.value:.3f}"
    if len(selection.ties) > 1:
        said += f", tied with {', '.join(selection.ties[1:])}"
    elif len(ranked) > 1:
        said += f", next {ranked[1].candidate.name}: {ranked[1].value:.3f}"
    if len(first.names) > 1:
        said += f"; the same chunks as {', '.join(first.names[1:])}"
    failed = [each.name for each in candidates if each.error]
    if failed:
        said += f"; failed: {', '.join(failed)}"
    return Choice(names.index(selection.winner), said)


@dataclass(frozen=True, slots=True, eq=False)
class _Scoring:
    source: Source
    inputs: ScoreInputs
    options: ScoreOptions
    supply: VectorSupply | None

    def candidate(self, name: str, recipe: Recipe) -> Candidate:
        """Its chunks and scores, or why it failed."""
        source = self.source
        try:
            chunks = run(
                recipe,
                source.document,
                source.units,
                embedder=source.embedder,
                cancel=source.cancel,
                engine=source.engine,
                allow_many=True,
            )
            scores = score(self.inputs, chunks, self.options, supply=self.supply)
        except ChunkscopeError as error:
            return Candidate(name, recipe.code, recipe.parameters, error=str(error))
        return Candidate(name, recipe.code, recipe.parameters, chunks, scores)


def _inputs(source: Source) -> ScoreInputs:
    pairs = found_pairs(source)
    return inputs_of(source.document, source.sentences(_splitter(source)), pairs)


def _supply(source: Source) -> VectorSupply | None:
    """One kind of vectors for all candidates: late ones, if the model gives any.

    Exact ones would be mixed with pooled ones of chunks that are longer than the model reads,
    and pooled values are higher: long chunks would win.
    """
    embedder = source.embedder
    if embedder is None:
        return None
    policy: Policy = "late" if embedder.has_token_vectors else "exact"
    return VectorSupply(
        source.text,
        embedder,
        policy,
        source.token_vectors,
        source.is_reference,
        source.cancel,
        source.progress,
    )


def _splitter(source: Source) -> str:
    return SPLITTER if source.document.language == "en" else "unicode"


set_judge(judge)
