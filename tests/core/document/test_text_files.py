# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text files are decoded and otherwise taken as they are."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.document.text_files import decode, read_text_document
from core.errors import DocumentError
from tests.hostile import HOSTILE_TEXTS

ENCODABLE = {
    name: text
    for name, text in HOSTILE_TEXTS.items()
    if not any("\ud800" <= letter <= "\udfff" for letter in text)
}


@pytest.mark.parametrize("name", sorted(ENCODABLE))
def test_a_utf_8_file_is_its_text_to_the_last_character(tmp_path, name):
    path = tmp_path / "text.txt"
    path.write_bytes(ENCODABLE[name].encode())
    document = read_text_document(path)
    assert document.text == ENCODABLE[name]
    assert document.notices == ()


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_decoding_undoes_encoding(text):
    assert decode(text.encode(), "any.txt") == (text, "utf-8")


def test_the_document_knows_its_file(tmp_path):
    path = tmp_path / "notes.md"
    path.write_bytes(b"# Title\r\n\r\nText\r")
    document = read_text_document(path)
    assert document.name == "notes.md"
    assert document.text == "# Title\r\n\r\nText\r"
    assert document.source_sha256 == hashlib.sha256(b"# Title\r\n\r\nText\r").hexdigest()
    assert document.pages == ()


def test_an_empty_file_is_an_empty_document(tmp_path):
    path = tmp_path / "empty.txt"
    path.write_bytes(b"")
    assert read_text_document(path).text == ""


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_byte_order_mark_names_the_encoding(encoding):
    text = "Wörter, слова, 言葉 𝑖\r\n"
    assert decode(("\ufeff" + text).encode(encoding), "any.txt") == (text, encoding)


def test_a_byte_order_mark_of_utf_8_is_a_character():
    assert decode(b"\xef\xbb\xbfa", "any.txt") == ("\ufeffa", "utf-8")


def test_another_encoding_is_found_and_told(tmp_path):
    path = tmp_path / "old.txt"
    text = "Die Prüfung der Größe übersieht häufig Überschüsse. Schöne Grüße aus Köln! " * 20
    path.write_bytes(text.encode("cp1252"))
    document = read_text_document(path)
    assert document.text == text
    assert [notice.kind for notice in document.notices] == ["encoding"]
    assert "not UTF-8" in document.notices[0].message


def test_a_lone_surrogate_is_refused_at_the_door():
    with pytest.raises(DocumentError, match=r"any\.txt has a lone surrogate at byte 2"):
        decode(b"ab\xed\xa0\x80cd", "any.txt")


def test_broken_utf_16_is_refused():
    with pytest.raises(DocumentError, match=r"any\.txt is not valid utf-16-le at byte"):
        decode(b"\xff\xfea\x00\x00\xd8b\x00", "any.txt")


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(DocumentError, match="does not exist: check the name and the folder"):
        read_text_document(tmp_path / "none.txt")
