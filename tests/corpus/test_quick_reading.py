# SPDX-License-Identifier: AGPL-3.0-or-later
"""Characters gathered from MuPDF's memory are those of PyMuPDF's own dictionaries."""

from pathlib import Path

import numpy as np
import pymupdf
import pytest

from core.document.pdf_memory import from_structures, roles
from core.document.pdf_sheet import MARK_FLAGS, record, sheet_of, text_page
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
        sheet = sheet_of(document[index])
        text = text_page(sheet, record(sheet))
        quick, plain = from_structures(text), from_dictionaries(text)
        assert np.array_equal(quick.code, plain.code)
        assert np.array_equal(quick.line, plain.line)
        assert np.allclose(quick.origin, plain.origin, atol=1e-3)
        assert np.allclose(quick.size, plain.size)
        assert np.array_equal(quick.direction, plain.direction)
        names = [[read.fonts[font].name for font in read.font] for read in (quick, plain)]
        assert [name.split("+")[-1] for name in names[0]] == names[1]


@pytest.mark.parametrize("name", ["legal_gdpr_261p", "guide_health_cancer_76p"])
def test_characters_behind_structure_elements_are_read_where_they_are(name):
    path = FOLDER / f"{name}.pdf"
    if not path.exists():
        pytest.skip("needs the corpus")
    with pymupdf.open(path) as document:
        for index in range(100 if "gdpr" in name else 10, document.page_count, 7):
            sheet = sheet_of(document[index])
            commands = record(sheet)
            plain = from_structures(text_page(sheet, commands))
            flags = MARK_FLAGS | pymupdf.TEXT_COLLECT_STRUCTURE
            tagged = roles(text_page(sheet, commands, flags))
            placed = set(zip(tagged.code.tolist(), *tagged.origin.T.tolist(), strict=True))
            wanted = zip(plain.code.tolist(), *plain.origin.T.tolist(), strict=True)
            found = [each in placed for each in wanted]
            assert sum(found) > 0.95 * len(found)
