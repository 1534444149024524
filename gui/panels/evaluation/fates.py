# SPDX-License-Identifier: AGPL-3.0-or-later
"""What became of a gold passage with one strategy, as a mark and in words."""

from dataclasses import dataclass
from typing import Literal

from core.search.evaluation import GoldFate, QuestionRecord, RankedChunk, StrategyResult

WHOLE = 0.99  # share of the passage
Tone = Literal["ok", "warn", "bad", "muted"]


@dataclass(frozen=True, slots=True)
class Mark:
    """A cell of the matrix: `● 2`, in which colour, and in words."""

    text: str
    tone: Tone
    words: str
    is_missed: bool


def ranks_of(gold: GoldFate, question: QuestionRecord, k: int) -> list[int]:
    """Ranks, from 1 to k, of the chunks that hold something of a passage."""
    return [rank for rank, _ in holders(gold, question, k)]


def holders(gold: GoldFate, question: QuestionRecord, k: int) -> list[tuple[int, RankedChunk]]:
    """The chunks among the first k that hold something of a passage, with their ranks."""
    return [
        (rank + 1, chunk)
        for rank, chunk in enumerate(question.top[:k])
        if chunk.document == gold.document
        and min(chunk.end, gold.end) > max(chunk.start, gold.start)
    ]


def mark_of(gold: GoldFate, question: QuestionRecord, k: int) -> Mark:
    """The mark of a passage: whole, saved by overlap, cut, in the tail, lost; and its ranks."""
    ranks = ranks_of(gold, question, k)
    found = "+".join(map(str, ranks))
    if gold.fate == "lost":
        return Mark("? –", "muted", "lost: no chunk has all of its text", is_missed=True)
    if gold.fate == "split":
        return _cut_mark(gold, ranks, found)
    is_found = gold.fate == "fine"
    rank = gold.rank if gold.rank is not None and gold.rank <= k else None
    if gold.seen < WHOLE:
        words = f"whole, but the model reads only {gold.seen:.0%} of it"
        return Mark(f"▽ {rank or '–'}", "bad", words, is_missed=not is_found)
    if gold.by_overlap:
        return _overlap_mark(gold, rank, k, is_found=is_found)
    if is_found:
        return Mark(f"● {rank or found or '–'}", "ok", f"whole, rank {rank or found}", False)
    later = f", rank {gold.rank}" if gold.rank is not None else ""
    return Mark(f"○ {'>' + str(k)}", "warn", f"whole, not in the top {k}{later}", is_missed=True)


def _overlap_mark(gold: GoldFate, rank: int | None, k: int, *, is_found: bool) -> Mark:
    words = "whole only because neighbouring chunks overlap"
    if is_found:
        return Mark(f"◍ {rank or '–'}", "ok", f"{words}, rank {rank or '–'}", is_missed=False)
    later = f", rank {gold.rank}" if gold.rank is not None else ""
    return Mark(f"◍ >{k}", "warn", f"{words}, not in the top {k}{later}", is_missed=True)


def _cut_mark(gold: GoldFate, ranks: list[int], found: str) -> Mark:
    pieces = f"{gold.pieces} pieces" if gold.pieces else "pieces"
    if not ranks:
        return Mark("✕ –", "bad", f"cut into {pieces}, none retrieved", is_missed=True)
    if gold.pieces is not None and len(ranks) >= gold.pieces:
        words = f"cut into {pieces}, retrieved at ranks {found}"
        return Mark(f"◐ {found}", "warn", words, is_missed=True)
    words = f"cut into {pieces}, some retrieved at ranks {found}"
    return Mark(f"◔ {found}+–", "warn", words, is_missed=True)


def gold_rows(result: StrategyResult) -> list[tuple[QuestionRecord, int]]:
    """The gold passages of a result, by question: the question and the passage's number."""
    return [(each, row) for each in result.record.questions for row in range(len(each.gold))]
