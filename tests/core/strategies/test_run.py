# SPDX-License-Identifier: AGPL-3.0-or-later
"""The runner: snapping, protection, tails, the last-resort size, REG, and what is kept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Block, Document
from core.errors import ModelError, ParameterError
from core.strategies.run import make_recipe, parse_recipe, run
from core.strategies.source import Units, model_key
from core.vectors.models import load_embedder
from core.vectors.toy import ToyEmbedder
from tests.strategies import texts

INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
PROSE = (
    "Store the vials at 2 to 8 °C. Do not freeze them! Has a vial been frozen? Discard it.\n\nEnd."
)


def chunks_of(text, word, **settings):
    document = text if isinstance(text, Document) else Document(text)
    return run(parse_recipe(word, settings), document, Units(), embedder=ToyEmbedder())


def texts_of(text, word, **settings):
    return chunks_of(text, word, **settings).all_texts(text)


# --- blank chunks --------------------------------------------------------------------------------


def test_blank_chunks_are_left_out_and_counted():
    chunks = chunks_of("ab" + " " * 8 + "cd", "FCC:size=2,overlap=0")

    assert chunks.spans.tolist() == [[0, 2], [10, 12]]
    assert [notice.message for notice in chunks.notices] == [
        "4 chunks of white space or zero-width characters only left out"
    ]


def test_reference_mode_keeps_blank_chunks_inside_a_text():
    chunks = chunks_of("ab" + " " * 4 + "cd", "FCC:size=2,overlap=0", mode="reference")

    assert len(chunks) == 4


@pytest.mark.parametrize(
    ("code", "n"),
    [("FCC", 1), ("FC", 1), ("SWC", 1), ("LCTS", 1), ("DFC", 1), ("TBC", 1), ("SBC", 0)],
)
def test_a_blank_text_in_reference_mode_is_as_the_released_code_has_it(code, n):
    assert len(chunks_of("   ", code, mode="reference")) == n


# --- snapping ------------------------------------------------------------------------------------


def test_a_cut_inside_a_character_has_no_span_in_reference_mode():
    chunks = chunks_of("ok 🧪🧬 ok", "FC:size=3", mode="reference")

    assert next(chunks.rows()) == []
    assert chunks.texts[0].startswith("ok ") and chunks.texts[0].endswith("\ufffd")


def test_a_cut_inside_a_character_moves_back_and_says_so():
    chunks = chunks_of("ok 👩‍👩‍👧 yes", "FCC:size=5,overlap=0")

    assert chunks.spans.tolist() == [[0, 3], [3, 10], [10, 12]]
    reason = chunks.end_reasons[0]
    assert reason.step == "snap"
    assert reason.words == (
        "the window has its 5 characters; moved back to the start of a visible character"
    )


def test_windows_that_become_the_same_stay_as_their_definition_makes_them():
    # an emoji of four tokens, and windows of two of them: two reach its end
    assert chunks_of("🧬", "FC:size=2,overlap=1").spans.tolist() == [[0, 1], [0, 1]]
    assert len(chunks_of("e\u0301" * 4, "FCC:size=4,overlap=3")) == 8


def test_windows_that_snap_to_one_word_are_one_chunk_and_starts_ascend():
    chunks = chunks_of("a aaa", "FCC:size=4,overlap=3", snap="word")
    assert chunks.spans.tolist() == [[0, 5], [1, 5], [2, 5]]


def test_words_are_not_cut_where_they_need_not_be():
    texts = texts_of("one two three four", "FCC:size=6,overlap=0", snap="word")

    assert texts == ["one two", " three", " four"]


def test_a_word_longer_than_the_size_is_cut_at_characters():
    texts = texts_of("abcdefghij kl", "FCC:size=4,overlap=0", snap="word")

    assert texts == ["abcd", "efgh", "ij ", "kl"]


def test_cuts_move_to_the_nearest_sentence_edge():
    chunks = chunks_of(PROSE, "FCC:size=40,overlap=0", snap="sentence")

    assert chunks.all_texts(PROSE)[0] == "Store the vials at 2 to 8 °C. Do not freeze them!"
    assert chunks.end_reasons[0].step == "snap"
    assert "nearest sentence edge" in chunks.end_reasons[0].words


def test_cuts_move_to_the_nearest_block_edge():
    blocks = (Block(0, 85, "paragraph", 0, 0), Block(87, 91, "paragraph", 0, 0))

    chunks = chunks_of(Document(PROSE, blocks=blocks), "FCC:size=80,overlap=0", snap="block")

    assert chunks.spans.tolist() == [[0, 85], [85, 91]]


@given(
    text=texts,
    size=st.integers(1, 30),
    snap=st.sampled_from(["character", "grapheme", "word", "sentence", "block"]),
)
def test_chunks_that_touched_still_touch_and_nothing_is_lost(text, size, snap):
    chunks = chunks_of(text, f"FCC:size={size},overlap=0", snap=snap)

    spans = chunks.spans
    assert (spans[:, 0] < spans[:, 1]).all()
    assert (spans[1:, 0] >= spans[:-1, 1]).all()
    between = [text[a:b] for a, b in zip(spans[:-1, 1], spans[1:, 0], strict=True)]
    assert_nothing_to_see("".join(between))


def assert_nothing_to_see(lost):
    """White space and zero-width characters between chunks are in none."""
    assert not "".join(mark for mark in lost if mark not in INVISIBLE).strip()


# --- protection ----------------------------------------------------------------------------------

LIST = "Before.\n\n- one item\n- two item\n- three item\n\nAfter the list."
ITEMS = tuple(Block(a, b, "list_item", 1, 0) for a, b in [(9, 19), (20, 30), (31, 43)])


def test_a_list_stays_whole_while_it_fits():
    chunks = chunks_of(Document(LIST, blocks=ITEMS), "FCC:size=40,overlap=0", protect="blocks")

    assert chunks.spans.tolist() == [[0, 43], [43, 60]]
    assert chunks.end_reasons[0].step == "protect"


def test_a_list_larger_than_a_chunk_is_cut_at_its_items():
    chunks = chunks_of(Document(LIST, blocks=ITEMS), "FCC:size=25,overlap=0", protect="blocks")

    assert {int(end) for end in chunks.ends if 9 < end < 43} <= {20, 31}


def test_a_list_is_not_lost_between_chunks_with_white_space_between_them():
    chunks = chunks_of(Document(LIST, blocks=ITEMS), "SBC:sentences=blank", protect="blocks")
    words = run(
        parse_recipe("FC:size=3", {"tokenizer": "words", "protect": "blocks"}),
        Document(LIST, blocks=ITEMS),
        Units(),
    )

    for found in (chunks, words):
        assert "".join("".join(found.all_texts(LIST)).split()) == "".join(LIST.split())


@given(
    data=st.data(), text=texts, size=st.integers(1, 30), code=st.sampled_from(["FC", "FCC", "SGC"])
)
def test_protection_loses_nothing_and_cuts_no_protected_part(data, text, size, code):
    edges = data.draw(st.lists(st.integers(0, len(text)), max_size=6, unique=True).map(sorted))
    parts = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=False) if text[a:b].strip()]
    document = Document(text, blocks=tuple(Block(a, b, "table", 0, 0) for a, b in parts))
    name = "sentences" if code == "SGC" else "size"
    unit = data.draw(st.sampled_from(["cl100k", "words"]))

    chunks = chunks_of(document, f"{code}:{name}={size},overlap=0,tokenizer={unit},protect=tables")

    covered = np.zeros(len(text), bool)
    for start, end in chunks.spans.tolist():
        covered[start:end] = True
    assert_nothing_to_see("".join(text[k] for k in np.flatnonzero(~covered)))


def test_a_caption_belongs_to_its_figure():
    text = "A figure.\nFigure 1: a caption of it.\nText after."
    blocks = (Block(0, 9, "figure", 0, 0), Block(10, 36, "caption", 0, 0))

    chunks = chunks_of(Document(text, blocks=blocks), "SBC", protect="blocks")

    assert not [end for end in chunks.ends.tolist() if 0 < end < 36]


# --- tails ---------------------------------------------------------------------------------------


def test_a_short_last_chunk_is_joined_with_the_one_before():
    chunks = chunks_of("a" * 21, "FCC:size=10,overlap=0", **{"tail.rule": "merge"})

    assert chunks.spans.tolist() == [[0, 10], [10, 21]]
    assert chunks.end_reasons[1].words == (
        "the last chunk was joined: it had 1 characters, fewer than 2"
    )


def test_the_least_share_of_a_last_chunk_can_be_set():
    settings = {"tail.rule": "merge", "tail.min": 60}

    assert len(chunks_of("a" * 25, "FCC:size=10,overlap=0", **settings)) == 2


def test_a_dropped_last_chunk_names_what_is_lost():
    chunks = chunks_of("a" * 21, "FCC:size=10,overlap=0", **{"tail.rule": "drop"})

    assert chunks.spans.tolist() == [[0, 10], [10, 20]]
    assert chunks.notices[-1].message.endswith("1 characters are in no chunk any more")


def test_tails_are_measured_in_the_strategys_own_unit():
    text = "One. Two. Three. Four. Five. "
    settings = {"tail.rule": "merge", "tail.min": 50}

    assert len(chunks_of(text, "SGC:sentences=4,overlap=0", **settings)) == 1
    assert len(chunks_of(text, "SGC:sentences=3,overlap=0", **settings)) == 2


@pytest.mark.parametrize(
    ("word", "text", "least"),
    [
        ("RTF:size=100,overlap=0,tokenizer=cl100k_base", "word " * 124 + "word", 25),
        ("LAC:target=3,tolerance=0,length_unit=cl100k_base", "e.g. ok?", 50),
        ("K1b:size=400,overlap=0", "w " * 400 + "a, " * 50, 25),
        ("FC:size=4,overlap=0", "one two three four five six seven", 75),
    ],
)
def test_a_tail_of_just_the_least_length_stays(word, text, least):
    for share, stays in ((least, True), (least + 25, False)):
        settings = {"tail.rule": "drop", "tail.min": min(share, 99)}
        chunks = chunks_of(text, word, **settings)
        assert (chunks.ends[-1] == len(text.rstrip())) == stays


@pytest.mark.parametrize("word", ["PCC:parent=9,child=4,overlap=0", "K2:k=2"])
def test_a_tail_rule_that_changes_nothing_says_so(word):
    chunks = chunks_of(PROSE, word, **{"tail.rule": "drop"})

    assert any("tail.rule changed nothing" in notice.message for notice in chunks.notices)


# --- the last-resort size, and regularisation ----------------------------------------------------


def test_the_last_resort_cuts_only_what_is_too_long():
    chunks = chunks_of(
        "One two three four five. Six.", "SBC", **{"cap.max": 3, "cap.length": "words"}
    )

    assert chunks.all_texts("One two three four five. Six.") == [
        "One two three ",
        "four five.",
        "Six.",
    ]
    assert [chunks.end_reasons[k].step for k in (0, 1)] == ["cap", "strategy"]


def test_regularisation_follows_any_strategy():
    settings = {"reg": "on", "reg.max": 20, "reg.min": 5, "reg.merged_max": 25}

    chunks = chunks_of(PROSE, "SBC", **settings)

    assert chunks.spans[0, 0] == 0 and chunks.spans[-1, 1] == len(PROSE)
    assert (chunks.spans[1:, 0] == chunks.spans[:-1, 1]).all()


# --- limits, models, languages -------------------------------------------------------------------


def test_very_many_chunks_are_made_only_when_asked_for():
    document, recipe = Document("ab" * 110_000), make_recipe("FCC", {"size": 1, "overlap": 0})

    with pytest.raises(ParameterError, match="220,000 chunks, but at most 200,000"):
        run(recipe, document, Units())

    assert len(run(recipe, document, Units(), allow_many=True)) == 220_000


def test_an_embedding_strategy_without_a_model_says_so():
    with pytest.raises(ModelError, match="embedding model"):
        run(make_recipe("SSTC"), Document("One. Two."), Units())


def test_another_language_is_split_by_unicode_rules_and_the_notice_says_so():
    document = Document("猫が好き。犬も好き。", language="ja")

    chunks = run(make_recipe("SBC"), document, Units())

    assert len(chunks) == 2
    assert "sentences by Unicode rules instead of punkt" in chunks.notices[0].message
    assert len(run(make_recipe("SBC", {"sentences": "punkt"}), document, Units())) == 1
    assert len(run(make_recipe("SBC", {"mode": "reference"}), document, Units())) == 1


# --- what is kept --------------------------------------------------------------------------------


class CountingEmbedder(ToyEmbedder):
    """The toy embedder, counting the texts that it is given."""

    __slots__ = ("counted",)

    def encode(self, texts, *more):
        object.__setattr__(self, "counted", getattr(self, "counted", 0) + len(texts))
        return super().encode(texts, *more)


def test_a_fast_parameter_makes_no_new_vectors():
    document, units, embedder = Document(PROSE), Units(), CountingEmbedder()
    run(make_recipe("SSTC"), document, units, embedder=embedder)
    before = embedder.counted

    for threshold in np.linspace(-1, 1, 9):
        run(make_recipe("SSTC", {"threshold": threshold}), document, units, embedder=embedder)

    assert embedder.counted == before


@given(text=texts, low=st.floats(-1, 1), high=st.floats(-1, 1))
def test_a_larger_threshold_never_removes_a_boundary(text, low, high):
    low, high = sorted((low, high))
    few = chunks_of(text, f"SSTC:threshold={low}", mode="reference")
    many = chunks_of(text, f"SSTC:threshold={high}", mode="reference")

    # ends: a start may lose its white space where the slice is not the joined string
    assert set(few.ends.tolist()) <= set(many.ends.tolist())


@given(text=texts, size=st.integers(1, 20))
def test_pairs_that_always_coincide_do(text, size):
    sliding = chunks_of(text, f"SWC:window={size},step={size}").spans.tolist()

    assert chunks_of(text, f"FC:size={size}").spans.tolist() == sliding
    assert chunks_of(text, f"OFC:size={size},overlap=0").spans.tolist() == sliding
    assert chunks_of(text, f"LCTS:window={size},step={size}").spans.tolist() == sliding
    assert chunks_of(text, "LCSI").spans.tolist() == chunks_of(text, "SBC").spans.tolist()
    assert chunks_of(text, "LCPI").spans.tolist() == chunks_of(text, "PBC").spans.tolist()
    assert chunks_of(text, "HFCF").spans.tolist() == chunks_of(text, "FCC").spans.tolist()
    assert chunks_of(text, "HRC").spans.tolist() == chunks_of(text, "RC").spans.tolist()


def test_vectors_of_another_window_of_the_same_model_are_made_anew():
    narrow, wide = load_embedder("minilm", window=128), load_embedder("minilm", window=512)

    assert narrow.id == wide.id
    assert model_key(narrow) != model_key(wide)
