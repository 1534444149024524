# SPDX-License-Identifier: AGPL-3.0-or-later
import pytest

from core.document.model import Document
from core.errors import ParameterError
from core.strategies.clusters import find_clusters, join_clusters
from core.strategies.source import Source

TEXT = "Red apples fall. Blue boats sail. Red apples rot. Blue boats sink. Blue boats leak."


def chunks(text, k=2, **options):
    source = Source(Document(text), splitter="punkt")
    return join_clusters(find_clusters(source, k, options.get("seed", 42), options.get("n", "10")))


def test_a_cluster_is_one_chunk_of_its_runs_in_document_order():
    found = chunks(TEXT)
    parts = [[TEXT[a:b] for a, b in spans] for spans in found.rows()]
    assert parts == [
        ["Red apples fall.", "Red apples rot."],
        ["Blue boats sail.", "Blue boats sink. Blue boats leak."],
    ]
    assert not found.is_contiguous
    assert found.labels.tolist() == [0, 1]


def test_reasons_name_the_cluster_beside():
    found = chunks(TEXT)
    assert found.start_reasons[0] is None
    assert found.start_reasons[1].words == "the sentence before belongs to cluster 1"
    assert found.end_reasons[0].words == "the next sentence belongs to cluster 2"
    assert found.end_reasons[1] is None


def test_clusters_are_numbered_by_their_first_sentence():
    text = "Sun shines. Sea swells. Sun shines. Sky clears."
    first_words = [text[spans[0][0] :].split(maxsplit=1)[0] for spans in chunks(text, k=3).rows()]
    assert first_words == ["Sun", "Sea", "Sky"]


def test_what_words_weigh_is_kept_for_another_number_of_clusters():
    source = Source(Document(TEXT), splitter="punkt")
    find_clusters(source, 2, 42, "10")
    kept = source.units.get(("word weights", "punkt", False), lambda: None)
    find_clusters(source, 3, 42, "10")
    assert kept is not None
    assert source.units.get(("word weights", "punkt", False), lambda: None) is kept


def test_with_fewer_sentences_than_clusters_each_is_its_own():
    assert len(chunks("Red apples fall. Blue boats sail.", k=6)) == 2


def test_fewer_different_sentences_than_clusters_are_taken_as_they_come():
    assert len(chunks("Red apples fall. " * 8, k=6)) == 1


def test_a_text_without_a_word_is_one_chunk_with_a_notice():
    found = chunks("A! B! C!")
    assert len(found) == 1
    assert found.notices[0].kind == "vocabulary"


@pytest.mark.parametrize("text", ["", " \n"])
def test_no_sentence_gives_no_chunk(text):
    found = chunks(text)
    assert len(found) == 0
    assert found.notices == ()


@pytest.mark.parametrize("n", ["0", "51", "many", "-1", ""])
def test_starts_out_of_range_are_refused(n):
    with pytest.raises(ParameterError, match=r"n_init is .* at least 1 and at most 50"):
        chunks(TEXT, n=n)


def test_one_start_is_what_auto_means():
    assert chunks(TEXT, n="auto").spans.tolist() == chunks(TEXT, n="1").spans.tolist()
