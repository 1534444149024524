# SPDX-License-Identifier: AGPL-3.0-or-later
"""Characters gathered from MuPDF's memory are those of PyMuPDF's own dictionaries."""

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from core.document.pdf_memory import from_structures
from core.document.pdf_sheet import sheet_of, text_page
from core.document.pdf_stext import from_dictionaries, structures_are_as_expected
from tests.conftest import shared_path

FOLDER = (shared_path() or Path()) / "corpus"
FILES = sorted(FOLDER.glob("*.pdf")) if shared_path() else []
CANNOT_BE_OPENED = ("damaged_truncated60", "pagecount_raises", "unopenable", "enc_user")


def test_the_quick_way_is_in_use():
    assert structures_are_as_expected()


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_both_ways_give_the_same_characters(path):
    if path.name.startswith(CANNOT_BE_OPENED):
        pytest.skip("has no page to read")
    document = pymupdf.open(path)
    for index in range(min(document.page_count, 5)):
        if path.name.startswith("pagetree_loop") and index:
            continue
        text = text_page(sheet_of(document[index]))
        quick, plain = from_structures(text), from_dictionaries(text)
        assert np.array_equal(quick.code, plain.code)
        assert np.array_equal(quick.line, plain.line)
        assert np.allclose(quick.origin, plain.origin, atol=1e-3)
        assert np.allclose(quick.size, plain.size)
        assert np.array_equal(quick.direction, plain.direction)
        names = [[read.fonts[font].name for font in read.font] for read in (quick, plain)]
        assert [name.split("+")[-1] for name in names[0]] == names[1]
