# SPDX-License-Identifier: AGPL-3.0-or-later
"""Faults that users reported of other splitters: each kind, on inputs of our own.

The letters are those of the project's list of such reports: A positions, B lost or changed text,
C size, D endless loops and time, E Unicode, F sentences and structure, G semantic splitters,
H special input. I1 to I9 are what must hold for every result.
"""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.model import Block, Document, Page
from core.errors import ParameterError
from core.strategies.headers import find_headings
from core.strategies.run import parse_recipe, run
from core.strategies.source import Units
from core.units.tokens import piece_counter
from core.vectors.toy import ToyEmbedder

TEN_WORDS = "one two three four five six seven eight nine ten"
TABLE = "| drug | dose |\n|---|---|\n" + "".join(f"| d{k} | {k} mg |\n" for k in range(1, 7))
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff\u00ad"


def chunks_of(text, word, **settings):
    document = text if isinstance(text, Document) else Document(text)
    return run(parse_recipe(word, settings), document, Units(), embedder=ToyEmbedder())


def spans_of(text, word, **settings):
    """Spans of the chunks, after the invariants were checked."""
    chunks = chunks_of(text, word, **settings)
    assert_invariants(text, chunks)
    return chunks.spans.tolist()


def texts_of(text, word, **settings):
    return [text[a:b] for a, b in spans_of(text, word, **settings)]


def assert_invariants(text, chunks):
    spans = chunks.spans
    assert (
        (spans[:, 0] >= 0) & (spans[:, 0] < spans[:, 1]) & (spans[:, 1] <= len(text))
    ).all()  # I1
    assert (np.diff(spans[:, 0]) >= 0).all()  # I3, as far as a strategy may repeat an end
    covered = np.zeros(len(text), bool)
    for start, end in spans.tolist():
        covered[start:end] = True
    lost = "".join(text[k] for k in np.flatnonzero(~covered).tolist())
    assert not "".join(mark for mark in lost if mark not in INVISIBLE).strip()  # I4
    assert len(chunks) <= max(1, len(text))  # I8
    for piece in chunks.all_texts(text):
        assert "".join(mark for mark in piece if mark not in INVISIBLE).strip()  # I6
        piece.encode()  # I9
        assert "\ufffd" not in piece or "\ufffd" in text


# --- A. Positions --------------------------------------------------------------------------------


def test_a1_token_windows_start_at_characters_not_at_tokens():
    spans = spans_of(TEN_WORDS, "FC:size=6,overlap=3", **{"tail.rule": "merge"})

    assert [start for start, _ in spans] == [0, 13, 27]


def test_a2_starts_of_word_windows_do_not_drift():
    text = "S one. S two. S three. S four."

    texts = texts_of(text, "FC:size=4,overlap=1", tokenizer="words")

    assert texts == ["S one. S two.", "two. S three. S", "S four."]


@pytest.mark.parametrize("word", ["FCC:size=10,overlap=0", "RC:size=10,overlap=0"])
def test_a3_a_repeated_passage_has_its_own_position(word):
    starts = [start for start, _ in spans_of("Stop. Go. Stop. Go. Stop. Go. ", word)]

    assert starts in ([0, 10, 20], [0, 9, 19])  # RC begins with the space


def test_a3_repeated_lines_with_overlap_move_on():
    starts = [start for start, _ in spans_of("abc\n" * 10, "RC:size=10,overlap=7")]

    assert len(set(starts)) == len(starts)


def test_a4_offsets_are_characters_not_bytes():
    text = "é—é—é—é—é—" * 20

    spans = spans_of(text, "FCC:size=7,overlap=0")

    assert [start for start, _ in spans] == list(range(0, 200, 7))
    assert spans[-1][1] == 200


def test_a5_a_chunk_of_sentences_keeps_the_line_end_between_them():
    text = "Alpha beta.\nGamma delta."

    assert spans_of(text, "SGC:sentences=2,overlap=0") == [[0, 24]]
    assert spans_of(text, "SSTC:threshold=-1") == [[0, 24]]


def test_a6_the_page_of_a_chunk_is_that_of_its_first_character():
    text = "a b c\fd e f\fg h i"
    pages = tuple(Page(k, 1, 1, 0, *span) for k, span in enumerate([(0, 6), (6, 12), (12, 17)]))
    document = Document(text, pages=pages)

    spans = chunks_of(document, "FC:size=4,overlap=2", tokenizer="words").spans

    assert [document.page_of(start) for start in spans[:, 0].tolist()] == [0, 0, 1, 2, 2]


@pytest.mark.parametrize("word", ["FCC:size=10,overlap=2", "RC:size=10,overlap=2"])
def test_a7_pieces_of_one_long_word_have_their_own_starts(word):
    spans = spans_of("x" * 35, word)

    assert [start for start, _ in spans][:4] == [0, 8, 16, 24]
    assert spans[-1][1] == 35


# --- B. Lost, doubled or changed text ------------------------------------------------------------


def test_b1_code_keeps_its_indent():
    code = "def f():\n    x = 1\n    return x"

    for start, end in spans_of(code, "RC:size=14,overlap=0"):
        assert code[start:end] in code
        assert not code[start:end].startswith("\n")


def test_b2_an_expression_is_never_put_into_the_text():
    text = "AAA  BBB\tCCC"

    assert texts_of(text, "K1:size=9,overlap=0,separators=clinical")[0] == "AAA  BBB"
    assert texts_of(text, r"RGX:pattern=\s+,min_chars=0") == ["AAA", "  BBB", "\tCCC"]


def test_b3_a_last_chunk_that_the_one_before_holds_can_be_joined():
    text = "S one. S two. S three."

    spans = spans_of(text, "SGC:sentences=3,overlap=1", **{"tail.rule": "merge"})

    assert spans == [[0, len(text)]]


def test_b4_a_short_last_chunk_is_joined_without_repeating_its_overlap():
    settings = {"tokenizer": "words", "tail.rule": "merge", "tail.min": 99}

    assert texts_of("a b c d e f", "FC:size=3,overlap=1", **settings) == ["a b c", "c d e f"]


def test_b5_overlap_of_nested_splits_is_text_of_the_document():
    text = "Head\nBody text one.\n\nHead2\nBody two."

    assert all(len(piece) <= 12 for piece in texts_of(text, "RC:size=12,overlap=4"))


@pytest.mark.parametrize(
    "word", ["STM:merging=small_only", "PBC:reg=on", "PGC", "K1:size=60,overlap=9"]
)
def test_b6_the_last_paragraph_stays(word):
    text = "A paragraph of some length.\n\nAnother one, as long.\n\nEnd."

    assert spans_of(text, word)[-1][1] == len(text)


def test_b7_the_overlap_is_what_the_spans_share():
    (_, first_end), (second_start, _) = spans_of("AAAAAAAA\n\nBBBB", "RC:size=10,overlap=4")

    assert first_end <= second_start  # whole pieces only: none is small enough here


def test_b8_tabs_and_no_break_spaces_of_a_fence_stay():
    text = "# A\n\n```\n\tx\u00a0=\u00a01\n```\n"

    assert "\tx\u00a0=\u00a01" in texts_of(text, "S1")[0]


def test_b9_a_section_keeps_its_blank_lines():
    text = "# H\n\nP one.\n\nP two."

    assert texts_of(text, "S1") == [text]


def test_b10_text_before_an_inner_heading_stays():
    assert "Intro." in texts_of("# A\nIntro.\n## B\nMore.", "S1:level=1")[0]


@pytest.mark.parametrize("word", ["RC:size=100,overlap=0", "FCC:size=100,overlap=0"])
def test_b11_what_is_too_long_is_split_not_cut_off(word):
    spans = spans_of("y" * 250, word)

    assert [end - start for start, end in spans] == [100, 100, 50]


# --- C. Size -------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["FC:size=400,overlap=0", "STM:size=400,length=cl100k_base"])
def test_c1_no_chunk_is_above_its_tokens_when_counted_again(word):
    text = "".join(f"Line {k} of many.\n" for k in range(600))
    counter = piece_counter("cl100k")

    assert max(counter.count(piece) for piece in texts_of(text, word)) <= 400


@pytest.mark.parametrize("word", ["FCC:size=4,overlap=2", "RC:size=4,overlap=2"])
def test_c2_overlap_never_makes_a_chunk_too_long(word):
    assert all(len(piece) <= 4 for piece in texts_of("aa  bb  cc  dd", word))


def test_c3_a_sentence_above_the_limit_is_cut_as_a_last_resort():
    settings = {"cap.max": 10, "cap.length": "characters"}

    chunks = chunks_of("x" * 35, "LAC:target=10,tolerance=0", **settings)

    assert chunks.spans.tolist() == [[0, 10], [10, 20], [20, 30], [30, 35]]
    assert chunks.end_reasons[0].words == "forced: 35 characters are above 10"


def test_c4_a_heading_counts_toward_the_limit():
    text = "# A heading of some words to be counted with it\n\n" + TABLE

    assert max(piece_counter("cl100k").counts(texts_of(text, "S1:cap=64,overlap=0"))) <= 64


def test_c5_a_limit_holds_without_a_tokenizer_named():
    text = "The dose is halved in renal failure. " * 40

    assert max(piece_counter("cl100k").counts(texts_of(text, "FC:size=128"))) <= 128


def test_c6_what_would_fill_a_chunk_alone_is_refused_before_splitting():
    with pytest.raises(ParameterError, match="overlap"):
        chunks_of("# A\n\n" + "word " * 2_000, "S1:cap=50,overlap=5000")


# --- D. Endless loops, recursion, time -----------------------------------------------------------


@pytest.mark.parametrize("overlap", [5, 6])
@pytest.mark.parametrize("code", ["FCC", "FC", "OFC", "RC", "RTF", "K1", "STM"])
def test_d1_an_overlap_as_large_as_the_size_is_refused_with_the_bound(code, overlap):
    with pytest.raises(ParameterError, match=rf"overlap is {overlap} .*at most 4 \(size - 1\)"):
        parse_recipe(f"{code}:size=5,overlap={overlap}")


def test_d2_every_chunk_starts_further_on():
    starts = [start for start, _ in spans_of("ab\n" * 40, "RC:size=10,overlap=7")]

    assert (np.diff(starts) >= 1).all()


def test_d3_the_last_window_is_made_once():
    spans = spans_of("abcdefgh", "FCC:size=5,overlap=2", **{"tail.rule": "merge"})

    assert spans == [[0, 5], [3, 8]]


@pytest.mark.parametrize("word", ["FC:size=2", "RTF:size=2,overlap=0", "STM:size=2,min_tokens=0"])
def test_d4_a_character_of_many_tokens_stays_whole(word):
    assert "".join(texts_of("ok 🧪🧬 ok", word)).replace(" ", "") == "ok🧪🧬ok"


@pytest.mark.parametrize("word", ["FC:size=3", "RTF:size=3,overlap=0", "STM:size=3,min_tokens=0"])
def test_d5_double_spaces_end(word):
    assert "".join("".join(texts_of("foo  bar baz", word)).split()) == "foobarbaz"


@pytest.mark.slow
@pytest.mark.parametrize("word", ["RC", "RTF", "STM", "SBC", "LAC", "S1", "PGC", "DFC"])
def test_d6_time_grows_with_the_length_not_with_its_square(word):
    def seconds(lines):
        document = Document("A short line.\n" * lines + "\n\nEND.")
        started = time.process_time()
        run(parse_recipe(word), document, Units())
        return time.process_time() - started

    seconds(100)  # loads what is loaded once
    # a square would be 16 times; the margin is for a busy machine
    long = min(seconds(16_000) for _ in range(2))
    assert long < 10 * max(seconds(4_000), 0.05)


# --- E. Unicode ----------------------------------------------------------------------------------


def test_e1_a_token_window_never_cuts_a_character():
    spans = spans_of("ok 🧪🧬 ok", "FC:size=2")

    assert spans[-1][1] == 8


def test_e2_a_character_beyond_the_basic_plane_is_one():
    assert texts_of("ab🙂cd🙂ef", "FCC:size=3,overlap=0") == ["ab🙂", "cd🙂", "ef"]


def test_e3_a_joined_emoji_and_a_combining_mark_stay_whole():
    assert texts_of("a👩‍👩‍👧b", "FCC:size=6,overlap=0") == ["a👩‍👩‍👧", "b"]
    assert all(piece.startswith("e") for piece in texts_of("e\u0301" * 10, "FCC:size=3,overlap=0"))


def test_e4_sentences_end_at_the_marks_of_other_scripts():
    document = Document("猫が好き。犬も好き。鳥は？はい！", language="ja")

    assert chunks_of(document, "LAC:target=10,tolerance=0").spans.tolist() == [[0, 10], [10, 16]]


def test_e5_a_separator_of_several_bytes_is_one_character():
    text = "猫が好き。犬も好き。鳥は？はい！"

    texts = texts_of(text, "RGX:pattern=。,attach=end,min_chars=0")

    assert texts == ["猫が好き。", "犬も好き。", "鳥は？はい！"]


@pytest.mark.parametrize("word", ["FCC:size=4,overlap=0", "RC:size=4,overlap=0", "FC:size=4"])
def test_e6_no_chunk_looks_empty(word):
    assert texts_of("\ufeffA\u200bB\u00a0C \u200b\u200b ", word)


def test_e7_a_blank_line_of_carriage_returns_can_separate_and_is_never_cut():
    text = "Alpha.\r\n\r\nBeta.\r\n\r\nGam."

    assert texts_of(text, "SBC:sentences=blank") == ["Alpha.", "Beta.", "Gam."]
    for size in range(1, 12):
        for start, end in spans_of(text, f"FCC:size={size},overlap=0"):
            assert not (text[end - 1] == "\r" and text[end : end + 1] == "\n")
            assert not (start and text[start - 1] == "\r" and text[start] == "\n")


# --- F. Sentences and structure ------------------------------------------------------------------


def test_f1_an_abbreviation_ends_no_sentence():
    text = "Dr. Lee et al. met e.g. Prof. Kim. Then they left."

    assert len(spans_of(text, "SBC:sentences=unicode")) == 2


@pytest.mark.parametrize("sentences", ["punkt", "unicode", "spacy"])
def test_f2_a_decimal_number_is_not_cut(sentences):
    assert spans_of("Dr. Lee paid 3.5 USD.", f"SBC:sentences={sentences}") == [[0, 21]]


def test_f3_a_table_is_cut_between_its_rows_and_each_part_knows_its_heading():
    chunks = chunks_of("# T\n\n" + TABLE, "S1:cap=50,overlap=0")
    text = "# T\n\n" + TABLE

    assert len(chunks) > 1
    for index in range(1, len(chunks)):
        start, _ = chunks.spans[index].tolist()
        assert text[start - 1] == "\n" and text[start] == "|"
        assert chunks.headers and "| drug | dose |" in chunks.headers[index]


def test_f4_a_repeated_heading_is_no_text_of_the_document():
    text = "# T\n\n" + TABLE

    assert sum(piece.count("| drug |") for piece in texts_of(text, "S1:cap=50,overlap=0")) == 1


def test_f5_a_part_of_a_table_is_described_by_itself():
    chunks = chunks_of("# T\n\n" + TABLE, "S1:cap=50,overlap=0")

    assert all("6 mg" not in header for header in chunks.headers or ())


def test_f6_a_hash_in_a_fence_opens_no_section():
    text = "# A\n```\n# not a head\n```\n## B\ntext"

    assert [piece.split("\n")[0] for piece in texts_of(text, "S1:join_title=off")] == [
        "# A",
        "## B",
    ]


@pytest.mark.parametrize(("line", "title"), [("## B ##", "B"), ("# C#", "C#"), ("# D # ", "D")])
def test_f7_the_marks_that_close_a_heading_are_no_part_of_it(line, title):
    assert find_headings(Document(f"{line}\n\nText.")).paths == [(title,)]


def test_f8_a_heading_is_under_the_nearest_higher_one_and_no_other():
    found = find_headings(Document("# T\n\n### S\n\nx\n\n## N\n\ny"))

    assert found.paths == [("T",), ("T", "S"), ("T", "N")]


def test_f9_a_heading_goes_with_its_first_paragraph():
    assert texts_of("# Title\n\n## Part\n\nBody text.", "S1") == [
        "# Title\n\n## Part\n\nBody text."
    ]


def test_a_table_is_not_cut_while_it_fits():
    text = "Before the table.\n" + TABLE + "After it."
    block = Block(18, 18 + len(TABLE) - 1, "table", 0, 0, rows=((18, 33), (34, 43)))
    document = Document(text, blocks=(block,))

    chunks = chunks_of(document, "FCC:size=60,overlap=0", protect="tables")

    inside = [end for end in chunks.ends.tolist() if block.start < end < block.end]
    assert all(end == 34 for end in inside), "larger than a chunk: at its rows only"
    assert chunks_of(document, "FCC:size=300,overlap=0", protect="tables").spans.tolist() == [
        [0, len(text)]
    ]


# --- G. Semantic splitters -----------------------------------------------------------------------

RULES = ("percentile", "standard_deviation", "interquartile", "gradient")
SEMANTIC = ("SEBC", "SBDC", "SSTC", "SVAC", "TBC", "K4", "K2")


@pytest.mark.parametrize("code", SEMANTIC)
def test_g1_one_sentence_is_one_chunk(code):
    assert spans_of("Only one.", code) == [[0, 9]]


@pytest.mark.parametrize("rule", RULES)
def test_g2_two_sentences_have_one_distance_and_no_exception(rule):
    assert 1 <= len(spans_of("One. Two.", f"SEBC:rule={rule}")) <= 2


def test_g3_as_many_clusters_as_sentences_are_possible():
    assert len(spans_of("One apple. Two pears.", "K2:k=2")) == 2


@pytest.mark.parametrize("code", SEMANTIC)
def test_g4_an_empty_sentence_is_no_fault(code):
    assert spans_of("A bee.\n\n\n\nA bird. ", code)


@pytest.mark.parametrize("code", SEMANTIC)
def test_g5_a_vector_of_zeros_is_no_fault(code):
    assert spans_of("Real words. !!! ??? More words. ...", code)  # marks alone have no vector


@pytest.mark.parametrize("code", SEMANTIC)
@pytest.mark.parametrize("text", ["* * *", "#", "# "])
def test_g6_marks_alone_are_no_fault(code, text):
    assert len(spans_of(text, code)) <= 3


# --- H. Special input ----------------------------------------------------------------------------


@pytest.mark.parametrize("tokenizer", ["cl100k", "o200k", "gpt2", "wordpiece"])
def test_h1_text_that_spells_a_special_token_is_text(tokenizer):
    assert spans_of("a <|endoftext|> b [SEP] c", "FC:size=5", tokenizer=tokenizer)


@pytest.mark.parametrize("code", ["FCC", "FC", "SBC", "PBC", "RC", "STM", "SEBC", "PAGE", "S1"])
def test_h2_no_text_gives_no_chunk(code):
    assert spans_of("", code) == []


@pytest.mark.parametrize("word", ["FCC:size=10,overlap=0", "RC:size=10,overlap=0", "SBC", "PBC"])
def test_h3_no_chunk_is_white_space(word):
    assert len(spans_of("One two.\n\n   \n", word)) == 1


@pytest.mark.parametrize("word", ["FCC:size=10,overlap=0", "RC:size=10,overlap=0", "FC:size=2"])
def test_h4_white_space_longer_than_the_limit_is_no_chunk(word):
    assert "".join("".join(texts_of("A" + " " * 25 + "B", word)).split()) == "AB"


@pytest.mark.parametrize("word", ["STM:size=50,min_tokens=5,merging=small_only", "RGX:min_chars=5"])
def test_h5_pieces_below_the_least_size_are_joined(word):
    assert spans_of("a\nb\nc\nd\n", word) == [[0, 8]]


PIECES = ("a", "word ", " ", "\n", "\r\n", ".", "。", "👩‍👧", "e\u0301", "<|endoftext|>", "\n\n")


@given(
    text=st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    code=st.sampled_from(["FCC", "FC", "OFC", "RC", "RTF", "K1", "STM"]),
    size=st.integers(1, 50),
    data=st.data(),
)
def test_all_invariants_hold_at_any_size_and_overlap(text, code, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    more = ",min_tokens=0" if code == "STM" else ""

    first = chunks_of(text, f"{code}:size={size},overlap={overlap}{more}")

    assert_invariants(text, first)
    again = chunks_of("".join(list(text)), f"{code}:size={size},overlap={overlap}{more}")
    assert again.key == first.key  # I7
