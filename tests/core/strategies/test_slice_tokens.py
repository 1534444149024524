# SPDX-License-Identifier: AGPL-3.0-or-later
"""Tokens of slices: those of each slice encoded by itself."""

import numpy as np
import pytest
from hypothesis import given

from core.strategies.slice_tokens import text_tokens
from core.units.tokens import TOKENIZERS, token_table
from tests.strategies import texts_with_spans


@pytest.mark.parametrize("name", TOKENIZERS)
@given(case=texts_with_spans())
def test_a_slice_has_the_tokens_of_a_text_of_its_own(case, name):
    text, spans = case
    alone = [token_table(text[a:b], name) for a, b in spans.tolist()]
    sizes = np.array([len(table) for table in alone], np.int64)

    slices = text_tokens(text, token_table(text, name)).slices(spans)
    owners = np.repeat(np.arange(len(spans)), sizes)
    ranks = np.concatenate([np.empty(0, np.int64), *map(np.arange, sizes)])
    found, inside = slices.windows(owners, ranks, ranks + 1)

    assert slices.totals().tolist() == sizes.tolist()
    pairs = list(zip(alone, spans[:, 0].tolist(), strict=True))
    edges = [
        (start + a, end + a)
        for table, a in pairs
        for start, end in zip(table.starts, table.ends, strict=True)
    ]
    assert found.tolist() == [list(edge) for edge in edges]
    broken = [bool(b) for table in alone for b in (table.cuts[:-1] < 0) | (table.cuts[1:] < 0)]
    assert inside.tolist() == broken
