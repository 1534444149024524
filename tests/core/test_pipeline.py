# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the pipeline keeps of a text, and what versions of it share."""

from core.arrays import as_spans
from core.document.model import Block, Document
from core.pipeline import Pipeline
from core.scores.options import ScoreOptions
from core.strategies import source
from core.strategies.recipe import parse_recipe
from core.vectors.toy import ToyEmbedder

TEXT = "Rest\n\nThe council met in May. It kept the fare. The tide came, and it left again."
SPANS = as_spans([(0, 4), (6, 33), (34, 50), (51, 83)])


def plain():
    return Document(TEXT)


def with_heading():
    return Document(TEXT, blocks=(Block(0, 4, "heading", 1, 0),))


def with_footer():
    return Document(TEXT, blocks=(Block(0, 4, "footer", 0, 0),))


def test_versions_with_other_blocks_share_what_comes_from_the_characters():
    pipeline = Pipeline()
    first, second = (pipeline.source(text) for text in (plain(), with_heading()))
    assert first.tokens() is second.tokens()
    assert first.graphemes() is second.graphemes()


def test_versions_with_other_blocks_have_their_own_sentences():
    pipeline = Pipeline()
    first, second = (pipeline.source(text).sentences() for text in (plain(), with_heading()))
    assert first is not second  # a heading may end one


def test_versions_with_other_blocks_are_read_by_spacy_once(monkeypatch):
    read = []
    monkeypatch.setattr(source, "spacy_sentences", lambda text, **_: read.append(text) or SPANS)
    pipeline = Pipeline()
    for text in (plain(), with_heading()):
        for headings in ("off", "on"):
            for word in ("K2:k=2", "SBC:sentences=spacy"):
                recipe = parse_recipe(f"{word},headings_end_sentences={headings}")
                pipeline.chunk(recipe, text)
    assert read == [TEXT]


def test_references_are_looked_for_again_only_if_what_is_left_out_changed():
    pipeline = Pipeline()
    found = pipeline.find_pairs(plain())
    assert pipeline.has_pairs(with_heading())
    assert pipeline.find_pairs(with_heading()) is found
    assert not pipeline.has_pairs(with_footer())


def test_scores_have_the_references_as_soon_as_they_are_found():
    pipeline, document = Pipeline(), plain()
    chunks = pipeline.chunk(parse_recipe("SBC"), document)
    options = ScoreOptions()
    before = pipeline.follow_scores(document, chunks, options, slot=1)
    assert before["RC"].value is None
    pipeline.find_pairs(with_heading())  # by a version that came with the same characters
    assert pipeline.follow_scores(document, chunks, options, slot=1)["RC"].value is not None


def test_what_is_still_to_come_is_not_called_final():
    pipeline, document = Pipeline(ToyEmbedder(has_token_vectors=True)), plain()
    chunks = pipeline.chunk(parse_recipe("SBC"), document)
    scores = pipeline.follow_scores(document, chunks, ScoreOptions(), slot=1)
    pending = [code for code, measure in scores.measures.items() if measure.is_pending]
    assert pending == ["RC", "ICC", "DCC"]
    assert not scores.is_final
