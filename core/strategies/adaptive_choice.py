# SPDX-License-Identifier: AGPL-3.0-or-later
"""ADAPT: on each document the chunks of the candidate with the best mean of the five scores.

Scores stand above strategies, so this file does not import them: who can score hands in a
function (`set_judge`), which `core/scores/adaptive_judge.py` does.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.declaration import Declaration, Parameter, Preset
from core.document.model import Notice
from core.errors import ParameterError
from core.strategies.chunks import Chunks
from core.strategies.registry import strategy
from core.strategies.source import Source

CODE = "ADAPT"
SCORES = ("RC", "ICC", "DCC", "BI", "SC")
# The candidates of the paper without the one that asks a language model, each with REG.
PAPER = ("PAGE:reg=on", "STM:size=1100,reg=on", "STM:size=600,reg=on")
WIDE = (*PAPER, "RC:size=4000,overlap=0,reg=on", "S1:reg=on", "SGC:reg=on")

# A space, or a comma that no parameter follows: "STM:size=600,reg=on" stays one word.
_BETWEEN_WORDS = re.compile(r"\s+|,(?!\s*[A-Za-z_][\w.]*=)")


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The chunks of each candidate with its scores by code, None where not measurable."""

    names: tuple[str, ...]
    chunks: tuple[Chunks, ...]
    values: tuple[Mapping[str, float | None], ...]
    choose: Callable[[Mapping[str, float]], "Choice"]  # from weights


@dataclass(frozen=True, slots=True)
class Choice:
    """Which candidate won, and the words for it."""

    winner: int
    words: str


Judge = Callable[[Source, Sequence[str]], Judged]
_judges: list[Judge] = []


def set_judge(judge: Judge) -> None:
    """Use `judge` to run and score candidates."""
    _judges[:] = [judge]


def candidate_words(value: Sequence[str]) -> list[str]:
    """One-word recipes from the parameter, in which spaces or commas stand between them.

    Raises:
        ParameterError: there is none, or one is ADAPT itself.
    """
    words = [word for word in _BETWEEN_WORDS.split(",".join(value)) if word]
    if not words:
        raise ParameterError(
            "candidates is empty, but must name at least one strategy: "
            f"write for example {' '.join(PAPER)}"
        )
    if any(word.partition(":")[0].upper() == CODE for word in words):
        raise ParameterError("ADAPT cannot be a candidate of itself: leave it out of candidates")
    return words


def prepare(source: Source, candidates: tuple[str, ...]) -> Judged:
    """Chunk and score every candidate."""
    words = candidate_words(candidates)
    if not _judges:
        raise ParameterError("ADAPT needs scores, which are not loaded: use it through Pipeline")
    return _judges[0](source, words)


ADAPT = Declaration(
    CODE,
    "Adaptive chunking: the best candidate for each document",
    "adaptive chunking",
    "embedding",
    "de Moura Júnior, Lelong and Blangero 2026, arXiv 2603.25333, section 3",
    "Scores the candidates on the document and takes the chunks of the one with the best mean. "
    "Candidates are one-word recipes with spaces between them, such as STM:size=600,reg=on PAGE.",
    parameters=(
        Parameter(
            "candidates",
            PAPER,
            "Strategies to choose from, as one-word recipes",
            type="words",
            slow=True,
        ),
        *(
            Parameter(
                f"weight.{code}",
                1.0,
                f"Weight of {code} in the mean; 0 leaves it out",
                type="number",
                minimum=0,
                maximum=10,
                step=0.1,
            )
            for code in SCORES
        ),
    ),
    presets=(
        Preset("AC paper, without a language model", {"candidates": PAPER}),
        Preset("Six candidates", {"candidates": WIDE}),
    ),
)


@strategy(ADAPT, prepare=prepare)
def cut(prepared: Judged, **weights: float) -> Chunks:
    """The chunks of the winner at these weights, with the reason in words as a notice."""
    choice = prepared.choose({name.partition(".")[2]: value for name, value in weights.items()})
    return prepared.chunks[choice.winner].with_notices(Notice(None, "adaptive", choice.words))
