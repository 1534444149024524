# SPDX-License-Identifier: AGPL-3.0-or-later
"""Hybrids: the second stage inside what is long in the first."""

from itertools import pairwise

import numpy as np
import pytest

from core.document.model import Document
from core.strategies.run import parse_recipe, run
from core.strategies.source import Units
from core.vectors.toy import ToyEmbedder

SHORT = "A short one."
LONG = "This paragraph has a good many words, so that it is cut again. It goes on for a while."
TEXT = f"{SHORT}\n\n{LONG}\n\nThe end."


def chunks_of(text, word, **settings):
    return run(parse_recipe(word, settings), Document(text), Units(), embedder=ToyEmbedder())


def test_only_chunks_above_the_gate_are_cut_again():
    chunks = chunks_of(TEXT, "HPFC:gate=50,size=8,overlap=0")

    assert chunks.primaries.tolist() == [0, 1, 1, 1, 2]
    assert chunks.all_texts(TEXT)[0] == SHORT
    assert "".join(chunks.all_texts(TEXT)[1:4]) == LONG


def test_a_chunk_of_exactly_the_gate_stays():
    assert len(chunks_of(TEXT, f"HPFC:gate={len(LONG)},size=8,overlap=0")) == 3


def test_a_gate_of_zero_cuts_everything():
    assert set(chunks_of(TEXT, "HPFC:gate=0,size=2,overlap=0").primaries.tolist()) == {0, 1, 2}
    assert len(chunks_of(TEXT, "HPFC:gate=0,size=2,overlap=0")) > 10


def test_inner_boundaries_have_the_reason_of_the_second_stage_outer_ones_of_the_first():
    chunks = chunks_of(TEXT, "HPFC:gate=50,size=8,overlap=0")

    rules = [chunks.end_reasons[k] and chunks.end_reasons[k].rule for k in range(len(chunks))]
    assert rules == ["paragraph end", "window end", "window end", "paragraph end", None]


def test_the_second_stage_reads_its_own_string_not_the_document():
    # "ab" and "abc" are other tokens where the paragraph starts anew
    alone = chunks_of(LONG, "FC:size=8").spans + TEXT.index(LONG)

    chunks = chunks_of(TEXT, "HPFC:gate=50,size=8,overlap=0")

    assert chunks.spans[1:4].tolist() == alone.tolist()


def test_reference_mode_reads_the_joined_string():
    text = "One sentence is here.\n\n\nAnother one follows it. A third one ends."

    word = "HSGC:gate=10,size=1,overlap=0,primary.overlap=0"
    joined = chunks_of(text, word, mode="reference").spans.tolist()
    sliced = chunks_of(text, word).spans.tolist()

    # joined: "." and " Another"; in the slice the line ends belong to the full stop's token
    assert [20, 21] in joined and [24, 31] in joined
    assert [20, 24] in sliced and [24, 31] in sliced


@pytest.mark.parametrize("secondary", ["FC", "RC", "SBC", "PCC", "STM", "SSTC", "DFC", "FCC"])
@pytest.mark.parametrize("primary", ["PBC", "RC", "SEBC", "TBC", "PAGE", "S1", "PCC"])
def test_any_two_strategies_can_be_paired(primary, secondary):
    chunks = chunks_of(TEXT, f"HYB:primary={primary},secondary={secondary},gate=20")

    covered = np.zeros(len(TEXT), bool)
    for start, end in chunks.spans.tolist():
        covered[start:end] = True
    assert not "".join(TEXT[k] for k in np.flatnonzero(~covered)).strip()
    assert (np.diff(chunks.primaries) >= 0).all()


def test_pieces_of_a_cluster_are_spans_of_its_sentences():
    text = "The fox runs far. A train leaves now. The fox hunts far. A train stops now."

    chunks = chunks_of(text, "HYB:primary=K2,secondary=FC,gate=10,primary.k=2,secondary.size=6")

    assert len(chunks) > 2
    covered = sorted(chunks.spans.tolist())
    assert all(before[1] <= after[0] for before, after in pairwise(covered))
    assert "".join("".join(text[a:b] for a, b in covered).split()) == "".join(text.split())


def test_named_pairs_are_the_generic_one():
    named = chunks_of(TEXT, "HPFC:gate=20,size=9,overlap=3")
    generic = chunks_of(
        TEXT, "HYB:primary=PBC,secondary=FC,gate=20,secondary.size=9,secondary.overlap=3"
    )

    assert named.spans.tolist() == generic.spans.tolist()


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        (  # an overlapping group too may end with the empty last sentence
            "HSGC:primary.sentences=2,primary.overlap=1,size=3,overlap=0,gate=0,sentences=regex",
            "A b.\nC d. ",
            [[0, 4], [5, 9], [5, 9], [9, 10], [10, 10]],
        ),
        (  # a piece that ends within the glue takes the gap along, and is trimmed
            "HPGC:primary.paragraphs=2,primary.overlap=0,size=4,overlap=0,gate=0,tokenizer=gpt2",
            "One two.\n\nSix ten.",
            [[0, 8], [10, 18]],
        ),
        ("HRC:primary.size=1,primary.overlap=0,gate=0", " ", []),
        ("HFCF:gate=0", " ", [[0, 1]]),
    ],
)
def test_reference_mode_at_the_edges_of_the_joined_string(word, text, expected):
    assert chunks_of(text, word, mode="reference").spans.tolist() == expected
