# SPDX-License-Identifier: AGPL-3.0-or-later
"""Re-ranking by a tiny cross-encoder with random weights, and databases of the user's."""

import numpy as np
import pytest

from core.errors import ModelError, SearchError
from core.search.index import Space
from core.search.rerank import DEPTH, rerank_scores
from core.search.serve import Question, Where, update_and_search
from tests.core.search.pools import WORDS, rows_at, unit_vectors

QUERY = unit_vectors(1, 3)[0]
ROWS = rows_at(range(0, 4000, 20))


def save_cross_encoder(folder, *, labels: int = 1):
    """A BERT of one small layer, as sentence-transformers saves one."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir()
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, *map(str, range(10))]
    pieces += [f"##{digit}" for digit in range(10)]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    torch.manual_seed(5)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=64,
        num_labels=labels,
    )
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    CrossEncoder(str(folder), local_files_only=True).save_pretrained(str(folder))
    return str(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_cross_encoder(tmp_path_factory.mktemp("rank") / "tiny")


def place(tmp_path) -> Where:
    return Where("pool", Space("toy", "late"), str(tmp_path / "lance"))


def test_the_first_hits_are_in_the_order_of_the_cross_encoder(model, tmp_path):
    question = "river stone winter 00017"
    plain = update_and_search(place(tmp_path), ROWS, Question(question, QUERY, DEPTH))
    asked = Question(question, QUERY, 5, reranker=model)
    found = update_and_search(place(tmp_path), ROWS, asked)
    text_of = dict(zip(ROWS.starts.tolist(), ROWS.texts, strict=True))
    scores = rerank_scores(model, question, [text_of[hit.start] for hit in plain.hits])
    order = np.argsort(-scores, kind="stable")[:5]
    assert [hit.start for hit in found.hits] == [plain.hits[k].start for k in order]
    assert [hit.rank for hit in found.hits] == [1, 2, 3, 4, 5]
    assert [hit.score for hit in found.hits] == pytest.approx(scores[order].tolist(), abs=1e-5)


def test_a_model_that_is_not_here_is_told_in_one_line(tmp_path):
    asked = Question("river", QUERY, reranker=str(tmp_path / "nowhere"))
    with pytest.raises(ModelError, match="give the folder of a sentence-transformers") as raised:
        update_and_search(place(tmp_path), ROWS, asked)
    assert "\n" not in str(raised.value)


def test_a_classifier_is_no_reranker(tmp_path):
    model = save_cross_encoder(tmp_path / "classes", labels=3)
    with pytest.raises(ModelError, match="gives 3 numbers for a text"):
        rerank_scores(model, "river", ["stone", "winter"])


def test_an_index_in_a_folder_of_the_users_is_used_and_kept(tmp_path):
    found = update_and_search(place(tmp_path), ROWS, Question("", QUERY))
    assert found.rows == len(ROWS)
    assert any((tmp_path / "lance").glob("*.lance"))


@pytest.mark.parametrize("uri", ["s3://no-such-bucket-of-anybody/index", "db://no-such-database"])
def test_a_database_that_cannot_be_reached_is_told_in_one_line(uri, monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")  # the discard port: refused at once
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_REGION", "nowhere")
    monkeypatch.delenv("LANCEDB_API_KEY", raising=False)
    with pytest.raises(SearchError, match=f"the search index at {uri} failed: ") as raised:
        update_and_search(Where("pool", Space("toy", "late"), uri), ROWS, Question("", QUERY))
    assert "\n" not in str(raised.value)
