# SPDX-License-Identifier: AGPL-3.0-or-later
"""Reading files from beginning to end, and the cache on disk."""

import re
from pathlib import Path

import pytest

from core.document import cache
from core.document.model import Document, TextSettings
from core.document.read import read_document
from core.errors import Cancelled, DocumentError, PasswordError
from tests.core.document.raw_pages import all_of, lines_at, write_pdf


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    pages = [lines_at(50, 100, f"Text of page {number}.") for number in ("one", "two", "three")]
    return write_pdf(tmp_path / "three.pdf", *pages)


@pytest.fixture
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "documents"


def test_a_pdf_becomes_a_document(pdf: Path, cache_dir: Path):
    seen: list[tuple[int, int, str]] = []

    document = read_document(pdf, progress=lambda *told: seen.append(told))

    assert document.text == "Text of page one.\n\nText of page two.\n\nText of page three."
    assert (document.name, document.final, len(document.pages)) == ("three.pdf", True, 3)
    assert seen[-1] == (3, 3, "pages")


def test_chosen_pages_keep_their_numbers(pdf: Path, cache_dir: Path):
    document = read_document(pdf, TextSettings(pages=(1,)))

    assert document.text == "Text of page two."
    assert (document.page_of(0), len(document.pages)) == (1, 3)
    assert document.pages[2].width == 400


@pytest.mark.parametrize("chosen", [(0,), (3,), (1, 2), (0, 4)])
def test_what_runs_is_the_same_whichever_pages_are_chosen(
    tmp_path: Path, cache_dir: Path, chosen: tuple[int, ...]
):
    pages = [
        all_of(
            lines_at(50, 30, "Managing Oral Anticoagulation"),
            lines_at(50, 100, f"Text of page {number}."),
            lines_at(50, 580, f"Draft {number} of the committee"),
        )
        for number in range(1, 6)
    ]
    path = write_pdf(tmp_path / "five.pdf", *pages)
    whole = read_document(path)

    document = read_document(path, TextSettings(pages=chosen))

    spans = [(whole.pages[index].start, whole.pages[index].end) for index in chosen]
    assert document.text == "\n\n".join(whole.text[a:b].strip() for a, b in spans)
    assert not re.search("Managing|Draft", document.text)
    assert {block.page for block in document.blocks} == set(chosen)
    assert {page.index for page in document.pages if page.start < page.end} == set(chosen)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("no.pdf", "does not exist: check the name", id="missing"),
        pytest.param(".", "is not a file: choose a PDF", id="folder"),
    ],
)
def test_what_is_no_file_is_refused_in_one_line(tmp_path: Path, name: str, message: str):
    with pytest.raises(DocumentError, match=message) as caught:
        read_document(tmp_path / name)

    assert "\n" not in str(caught.value)


def test_a_page_beyond_the_end_is_refused(pdf: Path, cache_dir: Path):
    with pytest.raises(DocumentError, match=r"page 9 is asked for, but .* has pages 1 to 3"):
        read_document(pdf, TextSettings(pages=(0, 8)))


def test_the_second_reading_comes_from_the_cache(pdf: Path, cache_dir: Path):
    first = read_document(pdf)
    (entry,) = cache_dir.iterdir()
    stamp = entry.read_bytes()

    second = read_document(pdf)

    assert (second.text, second.key) == (first.text, first.key)
    assert [path.read_bytes() for path in cache_dir.iterdir()] == [stamp]


def test_a_damaged_entry_is_made_again(pdf: Path, cache_dir: Path):
    expected = read_document(pdf).text
    (entry,) = cache_dir.iterdir()
    entry.write_bytes(entry.read_bytes()[:-10])

    assert read_document(pdf).text == expected
    name = entry.name
    assert isinstance(cache.load(name), Document)


def test_other_settings_are_another_entry(pdf: Path, cache_dir: Path):
    read_document(pdf)
    read_document(pdf, TextSettings(form="markdown"))

    assert len(list(cache_dir.iterdir())) == 2


def test_without_the_cache_nothing_is_written(pdf: Path, cache_dir: Path):
    read_document(pdf, use_cache=False)

    assert not cache_dir.exists()


def test_what_a_password_protects_is_not_kept(tmp_path: Path, pdf: Path, cache_dir: Path):
    import pymupdf

    locked = tmp_path / "locked.pdf"
    with pymupdf.open(pdf) as source:
        source.save(locked, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="key", owner_pw="o")

    with pytest.raises(PasswordError):
        read_document(locked)
    assert read_document(locked, password="key").text.startswith("Text of page one.")
    assert not cache_dir.exists()


def test_reading_stops_when_it_is_cancelled(pdf: Path, cache_dir: Path):
    class Stop:
        def check(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        read_document(pdf, cancel=Stop())


def test_the_folder_stays_below_its_limit(cache_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache, "LIMIT_BYTES", 500)

    for number in range(5):
        cache.save(f"entry{number}", b"x" * 200)

    assert cache.load("entry4") == b"x" * 200
    assert sum(path.stat().st_size for path in cache_dir.iterdir()) < 1200


def test_text_files_are_taken_as_they_are(tmp_path: Path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\r\n\r\ntwo\x0cthree")

    document = read_document(path)

    assert document.text == "one\r\n\r\ntwo\x0cthree"
    assert (document.blocks, len(document.pages)) == ((), 2)


def test_markdown_files_have_blocks(tmp_path: Path):
    path = tmp_path / "a.md"
    path.write_text("# One\n\ntwo\n", encoding="utf-8")

    assert [block.kind for block in read_document(path).blocks] == ["heading", "paragraph"]
