# SPDX-License-Identifier: AGPL-3.0-or-later
"""Fixtures of the core's tests: the real packaged model, loaded once a session."""

import pytest

from core.vectors.cache import VectorCache
from core.vectors.embedder import TokenEmbedder
from core.vectors.models import load_embedder


@pytest.fixture(scope="session")
def minilm() -> TokenEmbedder:
    """The packaged MiniLM with a cache in memory of its own."""
    embedder = load_embedder("minilm", cache=VectorCache())
    assert isinstance(embedder, TokenEmbedder)
    return embedder
