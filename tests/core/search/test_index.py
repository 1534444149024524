# SPDX-License-Identifier: AGPL-3.0-or-later
"""The LanceDB index, on real folders: states, searches, damage."""

from dataclasses import replace

import numpy as np
import pytest

from core.document.model import Document
from core.errors import SearchError
from core.search import index as index_module
from core.search import serve
from core.search.bm25 import index_texts
from core.search.filters import Filters, allowed
from core.search.index import TIDY_AFTER, ChunkIndex, Space, VectorIndex, plain_words
from core.search.place import Place, corpus_place, remove_corpus, stored_corpora
from core.search.rows import rows_of
from core.search.serve import Question, Where, exact_hits, update_and_search
from core.strategies.chunks import one_span_chunks
from tests.core.search.pools import rows_at, two_documents, unit_vectors

SPACE = Space("toy", "late")
QUERY = unit_vectors(1, 99)[0]


@pytest.fixture
def index(tmp_path):
    return ChunkIndex(Place(str(tmp_path), tmp_path), SPACE)


def reopened(index: ChunkIndex) -> ChunkIndex:
    other = ChunkIndex(index.place, index.space)
    assert other.open()
    return other


def test_a_table_that_is_not_there_cannot_be_opened(index):
    assert not index.open()


def test_an_update_writes_only_the_rows_that_changed(index):
    index.update(rows_at(range(0, 4000, 20)))

    written = index.update(rows_at([*range(0, 3980, 20), 3985]))

    assert (written.added, written.removed, written.total) == (1, 1, 200)


def test_an_update_without_changes_writes_nothing(index):
    index.update(rows_at(range(0, 400, 20)))

    written = index.update(rows_at(range(0, 400, 20)))

    assert (written.added, written.removed) == (0, 0)


@pytest.mark.parametrize("step", [20, 21, 25, 40])
def test_after_any_update_the_table_holds_exactly_the_rows(index, step):
    index.update(rows_at(range(0, 4000, 20)))
    rows = rows_at([*range(0, 2000, 20), *range(2000, 4000, step)])

    index.update(rows)

    assert reopened(index).chunking_key == index.chunking_key
    assert len(reopened(index)) == len(rows)


def test_removing_rows_only_is_one_update(index):
    index.update(rows_at(range(0, 4000, 20)))

    index.update(rows_at(range(0, 3960, 20)))

    assert len(reopened(index)) == 198


def test_an_empty_pool_is_a_state_like_others(index):
    index.update(rows_at(range(0, 400, 20)))
    index.update(rows_at([]))

    assert len(index) == 0 and len(index.nearest(QUERY, 5)) == 0


def test_two_processes_that_write_one_table_never_mix_their_rows(index):
    other = ChunkIndex(index.place, index.space)
    ours, theirs = (
        rows_at(range(0, 4000, 20)),
        rows_at([*range(0, 3900, 20), *range(3900, 3990, 9)]),
    )
    index.update(ours)
    other.update(theirs)

    index.update(ours)

    assert reopened(other).chunking_key == index.chunking_key
    assert len(index) == len(ours)


def test_many_updates_do_not_heap_up_versions(index):
    for shift in range(TIDY_AFTER + 2):
        index.update(rows_at([*range(0, 2000, 20), 2000 + shift]))

    assert len(reopened(index)) == 101
    assert index.nearest(QUERY, 3).keys.tolist() == reopened(index).nearest(QUERY, 3).keys.tolist()


def test_nearest_rows_equal_those_of_the_exact_product(index):
    rows = two_documents()
    index.update(rows)

    found = index.nearest(QUERY, 7)

    expected = exact_hits(rows, Question("", QUERY, 7))
    assert found.starts.tolist() == [hit.start for hit in expected]
    assert found.documents == tuple(hit.document for hit in expected)
    assert found.scores == pytest.approx([hit.score for hit in expected], abs=2e-6)


@pytest.mark.parametrize(
    "filters",
    [
        pytest.param(Filters(documents=("a",)), id="document"),
        pytest.param(Filters(pages=(2, 3)), id="pages"),
        pytest.param(Filters(tags=("law", "other")), id="tag"),
        pytest.param(Filters(("b",), (1, 1), ("long",)), id="all of them"),
    ],
)
def test_filters_leave_the_rows_that_they_allow(index, filters):
    rows = two_documents()
    index.update(rows)

    found = index.nearest(QUERY, 1000, filters)

    assert sorted(found.keys.tolist()) == sorted(rows.keys[allowed(rows, filters)].tolist())


def test_a_document_name_with_quotes_can_be_filtered(index):
    index.update(rows_at([0, 20], name='it\'s "a" name'))

    assert len(index.nearest(QUERY, 5, Filters(documents=('it\'s "a" name',)))) == 2


@pytest.mark.parametrize(
    "question", ["river", 'AND (river) "', "field:river +x^2 -y ~1 \\", "RIVER?"]
)
def test_full_text_takes_a_question_as_text(index, question):
    index.update(rows_at(range(0, 400, 20)))

    found = index.full_text(question, 3)

    assert len(found) == 3
    assert all("river" in text for text in index.texts(found.keys))


def test_full_text_of_unknown_words_finds_nothing(index):
    index.update(rows_at(range(0, 400, 20)))

    assert len(index.full_text("zebra", 3)) == len(index.full_text("  ", 3)) == 0


def test_full_text_sees_rows_that_were_written_after_its_index(index):
    index.update(rows_at(range(0, 4000, 20)))
    index.full_text("river", 3)

    index.update(rows_at([*range(0, 4000, 20), 4020]))

    assert index.full_text("00201", 3).starts.tolist() == [4020]


def test_damage_is_mended_with_a_notice(index, tmp_path):
    rows = rows_at(range(0, 400, 20))
    index.update(rows)
    for path in tmp_path.rglob("*.manifest"):
        path.write_bytes(b"not a manifest")

    again = ChunkIndex(index.place, SPACE)
    written = again.update(rows)

    assert "damaged" in written.notices[0].message
    assert len(again.nearest(QUERY, 3)) == 3


def test_lost_data_behind_a_good_manifest_is_mended_by_the_search(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))
    rows, where = rows_at(range(0, 400, 20)), Where("corpus", SPACE)
    update_and_search(where, rows, Question("", QUERY))
    serve.forget()
    for path in tmp_path.rglob("*.lance"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:50])

    found = update_and_search(where, rows, Question("", QUERY, 3))

    assert len(found.hits) == 3
    assert any("damaged" in notice.message for notice in found.notices)


def test_a_database_of_the_user_that_cannot_be_reached_is_said_plainly(tmp_path):
    (tmp_path / "file").write_text("x")
    table = ChunkIndex(corpus_place("x", str(tmp_path / "file" / "below")), SPACE)

    with pytest.raises(SearchError, match="search index at"):
        table.update(rows_at([0]))


def test_a_folder_given_by_the_user_holds_the_index(tmp_path):
    where = Where("corpus", SPACE, str(tmp_path / "mine"))

    found = update_and_search(where, rows_at(range(0, 400, 20)), Question("", QUERY, 2))

    assert len(found.hits) == 2 and list((tmp_path / "mine").glob("*.lance"))


def test_hits_name_the_chunks_of_their_documents(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))
    rows = two_documents()

    found = update_and_search(Where("c", SPACE), rows, Question("river stone", QUERY, 5))

    for hit in found.hits:
        row = next(i for i in range(len(rows)) if rows.names[i] == hit.document
                   and rows.chunks[i] == hit.chunk)  # fmt: skip
        assert (rows.starts[row], rows.ends[row]) == (hit.start, hit.end)
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4, 5]


def test_hybrid_search_fuses_both_lists(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))
    rows, where = two_documents(), Where("c", SPACE)
    dense = update_and_search(where, rows, Question("letter 00004", QUERY, 50)).hits
    text = update_and_search(where, rows, Question("letter 00004", None, 50, "text")).hits

    fused = update_and_search(where, rows, Question("letter 00004", QUERY, 5, "hybrid")).hits

    ranks = {}
    for hits in (dense, text):
        for hit in hits:
            key = (hit.document, hit.start)
            ranks[key] = ranks.get(key, 0) + 1 / (60 + hit.rank)
    expected = sorted(ranks, key=lambda key: (-round(ranks[key], 12), key))[:5]
    assert [(hit.document, hit.start) for hit in fused] == expected


def test_a_small_pool_is_searched_exactly_and_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))

    found = update_and_search(Where("c", SPACE), two_documents(), Question("", QUERY, 5, "index"))

    assert found.index_recall is None
    assert "searched exactly" in found.notices[0].message


def test_indexes_are_listed_with_their_size_and_can_be_cleared(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))
    update_and_search(Where("mine", SPACE), two_documents(), Question("", QUERY))

    (corpus,) = stored_corpora()
    remove_corpus("mine")

    assert corpus.name == "mine" and corpus.size > 1000
    assert stored_corpora() == []
    with pytest.raises(SearchError, match="no index 'mine'"):
        remove_corpus("mine")


def test_the_index_of_a_corpus_is_under_the_data_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_DATA_DIR", str(tmp_path))

    assert corpus_place("x").folder.is_relative_to(tmp_path)
    assert corpus_place("x", "s3://bucket/path").folder is None
    assert not corpus_place("x", str(tmp_path)).is_ours


def test_a_damaged_table_of_the_user_is_never_deleted(tmp_path):
    table = ChunkIndex(corpus_place("x", str(tmp_path)), SPACE)
    table.update(two_documents())
    for path in tmp_path.rglob("*.manifest"):
        path.write_bytes(b"not a manifest")

    with pytest.raises(SearchError, match="failed"):
        ChunkIndex(table.place, SPACE).update(two_documents())
    assert list(tmp_path.rglob("*.manifest"))


def test_rows_come_back_after_a_change_of_the_dimension(index):
    index.update(rows_at(range(0, 400, 20)))
    rows = rows_at(range(0, 400, 20))
    smaller = replace(rows, vectors=np.ascontiguousarray(rows.vectors[:, :8]))

    index.update(smaller)

    assert len(index.nearest(unit_vectors(1, 5, 8)[0], 3)) == 3


def test_an_update_of_one_document_leaves_the_others(index):
    index.update(two_documents())

    written = index.update(rows_at([0, 20, 45], name="a", tags=("health",)), within=["a"])

    assert (written.added, written.removed, written.total) == (1, 48, 103)
    assert len(index.nearest(QUERY, 1000, Filters(documents=("a",)))) == 3
    assert len(index.nearest(QUERY, 1000, Filters(documents=("b",)))) == 100


@pytest.fixture
def large(index, monkeypatch):
    """A table that counts as large enough for a vector index."""
    monkeypatch.setattr(index_module, "INDEXED_FROM", 2_000)
    rows = rows_at(range(0, 4_800, 2), length=2)
    index.update(replace(rows, vectors=unit_vectors(len(rows), 3)))
    return index


def test_a_pool_below_the_limit_has_no_vector_index(index):
    index.update(two_documents())

    assert not index.index_vectors(VectorIndex())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["IVF_PQ", "IVF_HNSW_SQ"])
def test_a_vector_index_finds_most_of_what_exact_search_finds(large, kind):
    index = VectorIndex(kind, refine=50)  # with 16 components a row is only two bytes

    assert large.index_vectors(index)

    assert large.index_recall(index) > 0.9
    assert reopened(large)._state.vector_index == kind


@pytest.mark.slow
def test_a_search_through_the_index_tells_its_recall(large):
    found, recall = serve.ask(large, Question("", QUERY, 10, "index"))

    assert len(found) == 10 and 0.5 <= recall <= 1


def test_a_removed_table_is_made_again_by_an_update(index):
    index.update(two_documents())

    index.remove()

    assert not ChunkIndex(index.place, index.space).open()
    assert index.update(two_documents()).added == 150


def test_full_text_ranks_as_the_definition_of_bm25_does(index):
    generator = np.random.default_rng(4)
    words = [f"w{i}" for i in range(60)]
    texts = [" ".join(generator.choice(words, generator.integers(5, 60))) for _ in range(80)]
    edges = np.concatenate([[0], np.cumsum([len(text) + 1 for text in texts])])
    spans = np.column_stack([edges[:-1], edges[1:] - 1])
    rows = rows_of("a", Document(" ".join(texts)), one_span_chunks(spans), None)
    index.update(rows)
    reference = index_texts(rows.texts)

    for question in ("w1 w2", "w7", "w30 w31 w32 w33"):
        found = index.full_text(question, 5)

        expected = reference.search(question, 5)
        scores = dict(zip(rows.keys.tolist(), reference.scores(question).tolist(), strict=True))
        assert len(found) == len(expected)
        # lengths are kept in a byte by the index: near scores may change places
        assert [scores[key] for key in found.keys.tolist()] == pytest.approx(
            expected.scores.tolist(), rel=0.05
        )


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("東京", id="Japanese"),
        pytest.param("เมืองหลวง", id="Thai"),
        pytest.param("بالعالم", id="Arabic"),
    ],
)
def test_words_of_every_script_are_found(index, word):
    lines = ["日本語の文。", "東京は大きい都市。", "กรุงเทพเป็นเมืองหลวง", "مرحبا بالعالم"]
    edges = np.concatenate([[0], np.cumsum([len(line) + 1 for line in lines])])
    spans = np.column_stack([edges[:-1], edges[1:] - 1])
    index.update(rows_of("a", Document("\n".join(lines)), one_span_chunks(spans), None))

    found = index.full_text(word, 5)

    assert index.texts(found.keys) == [line for line in lines if word in line]


def test_an_error_of_the_client_is_told_without_the_line_of_its_source():
    error = RuntimeError(
        "lance error: LanceError(IO): Generic S3 error: no region, "
        "/root/.cargo/registry/src/lance-io-13.0.0/src/aws.rs:319:13\nmore"
    )
    assert plain_words(error) == "lance error: LanceError(IO): Generic S3 error: no region"
