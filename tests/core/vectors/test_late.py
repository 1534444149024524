# SPDX-License-Identifier: AGPL-3.0-or-later
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arrays import as_spans
from core.errors import Cancelled, ModelError, ParameterError
from core.vectors.cache import VectorCache
from core.vectors.late import (
    BLOCK,
    TokenVectors,
    late_vectors,
    prefix_sums,
    window_starts,
    window_weights,
)
from core.vectors.models import load_embedder
from core.vectors.toy import ToyEmbedder

TEXT = (
    "The dose is halved in renal failure. Has a vial been frozen? Then discard it; a thawed vial "
    "looks clear but has lost its strength. Measure the level after two days, unless the patient "
    "is on dialysis: then before each session.\n\nNaïve 🦊 readers skip this line. "
)


def plain_token_vectors(text, embedder, width, overlap):
    """The definition: each window through the model, weighted means token by token."""
    _, ids = embedder.tokenize(text)
    n = len(ids)
    stride = max(1, int(width * (1 - overlap)))
    starts = []
    start = 0
    while True:
        if start + width >= n:
            starts.append(max(0, n - width))
            break
        starts.append(start)
        start += stride
    sums = np.zeros((n, embedder.dimension))
    weights = np.zeros(n)
    for start in starts:
        size = min(width, n - start)
        states = embedder.token_states(ids[None, start : start + size])[0]
        for position in range(size):
            weight = min(position + 1, size - position)
            sums[start + position] += weight * states[position]
            weights[start + position] += weight
    return sums / weights[:, None]


def plain_span_vector(vectors, pieces, spans):
    """The mean of the tokens whose first character lies in one of the spans."""
    chosen = [
        vectors[k] for a, b in spans for k, piece in enumerate(pieces.tolist()) if a <= piece[0] < b
    ]
    if not chosen:
        return np.zeros(vectors.shape[1])
    mean = np.mean(chosen, axis=0)
    return mean / np.linalg.norm(mean)


@pytest.mark.parametrize(
    ("repeats", "width", "overlap"),
    [
        pytest.param(1, 254, 0.5, id="shorter than a window"),
        pytest.param(2, 32, 0.5, id="half overlap"),
        pytest.param(2, 32, 0.25, id="quarter overlap"),
        pytest.param(2, 32, 0.75, id="greatest overlap"),
        pytest.param(2, 33, 0.0, id="no overlap"),
    ],
)
def test_the_fast_form_equals_the_definition(minilm, repeats, width, overlap):
    text = TEXT * repeats
    tokens = late_vectors(text, minilm, window=width, overlap=overlap)
    spans = as_spans([(0, 40), (40, 41), (3, len(text)), (100, 200)])

    vectors = plain_token_vectors(text, minilm, width, overlap)
    expected = [plain_span_vector(vectors, tokens.pieces, [span]) for span in spans.tolist()]
    assert np.abs(tokens.span_vectors(spans) - expected).max() < 1e-5


def test_windows_end_exactly_at_the_end():
    assert window_starts(20, 8, 0.5).tolist() == [0, 4, 8, 12]
    assert window_starts(21, 8, 0.5).tolist() == [0, 4, 8, 12, 13]
    assert window_starts(8, 8, 0.5).tolist() == [0]
    assert window_starts(3, 8, 0.5).tolist() == [0]
    assert window_starts(0, 8, 0.5).tolist() == []


@given(n=st.integers(1, 400), width=st.integers(1, 50), overlap=st.floats(0, 0.75))
def test_windows_cover_all_pieces(n, width, overlap):
    starts = window_starts(n, width, overlap)
    covered = np.zeros(n, bool)
    for start in starts.tolist():
        assert start + width <= n or len(starts) == 1
        covered[start : start + width] = True
    assert covered.all()
    assert (np.diff(starts) > 0).all()


def test_weights_fall_towards_the_edges():
    assert window_weights(5).tolist() == [1, 2, 3, 2, 1]
    assert window_weights(4).tolist() == [1, 2, 2, 1]


def token_vectors_of(vectors, pieces):
    prefix, offsets = prefix_sums(vectors)
    return TokenVectors(pieces, prefix, offsets, window=254, overlap=0.5)


def test_prefix_sums_lose_no_accuracy_on_a_long_book():
    generator = np.random.default_rng(7)
    n = 12 * BLOCK + 17
    vectors = generator.normal(0.2, 0.3, size=(n, 16)).astype(np.float32)
    pieces = np.stack([np.arange(n) * 5, np.arange(n) * 5 + 4], axis=1)
    starts = generator.integers(0, n - 400, 200)
    lengths = generator.integers(1, 400, 200)
    spans = np.stack([starts, starts + lengths], axis=1)

    found = token_vectors_of(vectors, pieces).span_vectors(spans * 5)
    means = np.array([vectors[a:b].astype(np.float64).mean(axis=0) for a, b in spans])
    expected = means / np.linalg.norm(means, axis=1, keepdims=True)
    assert np.abs(found - expected).max() < 1e-4


@pytest.mark.parametrize("n", [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK])
def test_the_whole_text_is_one_span_at_any_length(n):
    vectors = np.full((n, 2), [3.0, 4.0], np.float32)
    tokens = token_vectors_of(vectors, np.stack([np.arange(n), np.arange(n) + 1], axis=1))
    (whole,) = tokens.span_vectors(as_spans([(0, n)]))
    assert whole == pytest.approx([0.6, 0.8] if n else [0, 0], abs=1e-6)


SMALL = token_vectors_of(
    np.arange(1, 13, dtype=np.float32).reshape(6, 2) % 5,
    as_spans([(0, 3), (4, 6), (6, 9), (12, 13), (13, 13), (15, 20)]),
)
SMALL_VECTORS = (np.arange(1, 13, dtype=np.float64).reshape(6, 2)) % 5


def test_a_piece_belongs_to_the_span_with_its_first_character():
    cut_inside_the_third = as_spans([(0, 7), (7, 20)])
    assert SMALL.piece_ranges(cut_inside_the_third).tolist() == [[0, 3], [3, 6]]


def test_a_span_without_a_piece_has_no_vector():
    spans = as_spans([(9, 12), (5, 5), (0, 1)])
    assert SMALL.has_token(spans).tolist() == [False, False, True]
    assert not SMALL.span_vectors(spans)[:2].any()


SPANS = st.tuples(st.integers(0, 21), st.integers(0, 21)).map(sorted).map(tuple)


@settings(max_examples=200)
@given(st.lists(st.lists(SPANS, max_size=3), max_size=4))
def test_chunks_of_several_spans_add_their_pieces(chunks):
    spans = as_spans([span for chunk in chunks for span in chunk])
    pointers = np.cumsum([0, *(len(chunk) for chunk in chunks)])
    expected = [plain_span_vector(SMALL_VECTORS, SMALL.pieces, chunk) for chunk in chunks]

    found = SMALL.span_vectors(spans, pointers)
    assert found.shape == (len(chunks), 2)
    for vector, other in zip(found, expected, strict=True):
        assert vector == pytest.approx(other, abs=1e-6)
    assert SMALL.has_token(spans, pointers).tolist() == [vector.any() for vector in expected]


@given(st.lists(st.integers(0, 20), max_size=6))
def test_neighbouring_spans_share_no_piece_and_lose_none(cuts):
    edges = [0, *sorted(cuts), 21]
    ranges = SMALL.piece_ranges(as_spans(list(pairwise(edges))))
    assert np.concatenate([np.arange(a, b) for a, b in ranges]).tolist() == list(range(6))


@pytest.mark.parametrize("text", ["", " \n ", "\x00"])
def test_a_text_without_a_piece_has_no_vectors(minilm, text):
    tokens = late_vectors(text, minilm)
    assert len(tokens) == 0
    assert not tokens.has_token(as_spans([(0, len(text))])).any()
    assert not tokens.span_vectors(as_spans([(0, len(text))])).any()


def test_a_model_without_token_vectors_is_refused():
    with pytest.raises(ModelError, match="late pooling has no meaning for 'toy'"):
        late_vectors("text", ToyEmbedder())


@pytest.mark.parametrize(("window", "overlap"), [(8, 0.5), (255, 0.5), (254, 0.8), (254, -0.1)])
def test_windows_out_of_range_are_refused(minilm, window, overlap):
    with pytest.raises(ParameterError, match="must be at least"):
        late_vectors("text", minilm, window=window, overlap=overlap)


def test_progress_is_told_and_cancelling_leaves_nothing_behind(tmp_path):
    embedder = load_embedder("minilm", cache=VectorCache(tmp_path))
    told = []

    class Once:
        """Cancels at the second look."""

        def check(self):
            if told:
                raise Cancelled

    with pytest.raises(Cancelled):
        late_vectors(
            TEXT * 20,
            embedder,
            window=64,
            cancel=Once(),
            progress=lambda done, total, what: told.append((done, total, what)),
        )
    assert told[0][0] == 0 and told[0][2] == "windows"
    assert not any((tmp_path / "tokens-1").iterdir())


def test_the_second_run_reads_the_disk_and_is_equal(tmp_path):
    embedder = load_embedder("minilm", cache=VectorCache(tmp_path))
    told = []
    first = late_vectors(TEXT, embedder)
    second = late_vectors(TEXT, embedder, progress=lambda *each: told.append(each))
    assert not told
    assert np.array_equal(first.prefix, second.prefix)
    assert np.array_equal(first.offsets, second.offsets)
    in_memory = late_vectors(TEXT, load_embedder("minilm", cache=VectorCache()))
    assert np.array_equal(first.prefix, in_memory.prefix)


@pytest.mark.parametrize("name", ["prefix.npy", "offsets.npy", "pieces.npy"])
@pytest.mark.parametrize("damage", [b"", b"not an array"], ids=["empty", "garbage"])
def test_a_damaged_file_is_made_again(tmp_path, name, damage):
    embedder = load_embedder("minilm", cache=VectorCache(tmp_path))
    first = late_vectors(TEXT, embedder)
    expected = first.span_vectors(as_spans([(0, 100)]))
    (file,) = tmp_path.glob(f"tokens-1/*/{name}")
    file.unlink()
    file.write_bytes(damage)
    again = late_vectors(TEXT, embedder)
    assert np.array_equal(again.span_vectors(as_spans([(0, 100)])), expected)
