# SPDX-License-Identifier: AGPL-3.0-or-later
"""Every file of the corpus opens and is drawn, or is refused with one clear message, in 10 s."""

import time
from pathlib import Path

import numpy as np
import pytest

from core.document.client import PdfClient
from core.errors import DocumentError
from tests.conftest import shared_path

FOLDER = (shared_path() or Path()) / "corpus"
FILES = sorted(FOLDER.glob("*.pdf")) if shared_path() else []
PASSWORDS = {"enc_user_health_1p": "userpass"}
REFUSED = {
    "damaged_truncated60_naacl06_0p",
    "pagecount_raises_poppler67295",
    "unopenable_poppler85140",
}
LIMIT = 10.0  # seconds


def test_there_are_files():
    if not FILES:
        pytest.skip("no shared test data")
    assert len(FILES) >= 50


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_a_file_opens_or_is_refused_with_one_message(path):
    started = time.monotonic()
    with PdfClient(path) as client:
        if path.stem in REFUSED:
            with pytest.raises(DocumentError) as caught:
                client.open(deadline=LIMIT)
            assert path.name in str(caught.value)
            assert "\n" not in str(caught.value)
        else:
            info = client.open(PASSWORDS.get(path.stem, ""), deadline=LIMIT)
            page = client.raw_page(0, deadline=LIMIT)
            image = client.image(0, 0.1, deadline=LIMIT)
            assert (page.width, page.height) == (info.pages[0].width, info.pages[0].height)
            assert len(image.data) == image.stride * image.height
        assert client.restarts == 0
    assert time.monotonic() - started < LIMIT


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_every_glyph_belongs_to_a_run_and_lies_along_it(path):
    if path.stem in REFUSED:
        pytest.skip("refused")
    with PdfClient(path) as client:
        info = client.open(PASSWORDS.get(path.stem, ""))
        for page in client.raw_pages(range(min(info.page_count, 12))):
            glyphs, runs = page.glyphs, page.runs
            assert len(runs.font) == len(runs.tag) == len(runs.line)
            if not len(glyphs):
                continue
            assert (np.diff(glyphs.run) >= 0).all()
            assert set(glyphs.run.tolist()) == set(range(len(runs.line)))
            assert (glyphs.end >= glyphs.start).all()
            assert (runs.ascent >= 0).all()
            assert (runs.descent >= 0).all()
            assert np.allclose(np.hypot(runs.dx, runs.dy), 1, atol=1e-4)
            for values in (glyphs.x, glyphs.y, glyphs.start, glyphs.end, runs.size):
                assert np.isfinite(values).all()
            assert glyphs.codes.dtype == glyphs.run.dtype == np.int32
            assert glyphs.x.dtype == glyphs.start.dtype == runs.ascent.dtype == np.float32
