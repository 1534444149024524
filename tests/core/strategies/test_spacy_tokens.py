# SPDX-License-Identifier: AGPL-3.0-or-later
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.arrays import as_spans
from core.strategies import spacy_tokens as module
from core.strategies.spacy_tokens import K1B, cut_spacy_windows, spacy_tokens
from core.units.sentences import parser
from tests.strategies import texts


@given(texts)
def test_tokens_are_spacys_without_white_space(text):
    expected = [(t.idx, t.idx + len(t)) for t in parser().tokenizer(text) if not t.is_space]
    assert spacy_tokens(text).tolist() == as_spans(expected).tolist()


def test_a_text_read_in_parts_has_the_same_tokens(monkeypatch):
    text = "Don't give 2.5 mg (i.v.),\n\n unless  the level's known…  " * 40
    whole = spacy_tokens(text).tolist()
    for size in (1, 7, 64, 1_000):
        monkeypatch.setattr(module, "CHARACTERS_AT_ONCE", size)
        assert spacy_tokens(text).tolist() == whole


@given(n=st.integers(0, 50), size=st.integers(1, 20), data=st.data())
def test_windows_have_the_size_and_share_the_overlap(n, size, data):
    overlap = data.draw(st.integers(0, size - 1))
    tokens = as_spans([(3 * k, 3 * k + 2) for k in range(n)])
    chunks = cut_spacy_windows(tokens, size=size, overlap=overlap)
    step = size - overlap
    expected = [[3 * s, 3 * min(s + size, n) - 1] for s in range(0, n, step)]
    assert chunks.spans.tolist() == expected


def test_the_three_published_sizes_are_presets():
    sizes = [preset.parameters["size"] for preset in K1B.presets]
    assert sizes == [250, 400, 600]


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_no_token_gives_no_chunk(text):
    assert len(cut_spacy_windows(spacy_tokens(text), size=3, overlap=0)) == 0
