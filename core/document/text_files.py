# SPDX-License-Identifier: AGPL-3.0-or-later
"""Text files as documents: decoded, and otherwise taken as they are, byte for byte."""

import codecs
import hashlib
from pathlib import Path

from core.document.language import detect_language
from core.document.model import Document, Notice, TextSettings
from core.errors import DocumentError

# Longest first: the mark of UTF-32 LE begins with that of UTF-16 LE.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
DETECTION_SAMPLE = 1 << 20  # bytes that are looked at to find the encoding


def read_text_document(path: Path, settings: TextSettings | None = None) -> Document:
    """Read a `.txt` or `.md` file. Line ends, NUL and the like stay as they are.

    Raises:
        DocumentError: the file cannot be read, is empty, or is not text.
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DocumentError(f"{path} does not exist: check the name and the folder") from None
    except OSError as error:
        reason = error.strerror or error
        raise DocumentError(
            f"{path.name} cannot be read ({reason}): check its permissions"
        ) from None
    text, encoding = decode(data, path.name)
    return Document(
        text=text,
        name=path.name,
        source_sha256=hashlib.sha256(data).hexdigest(),
        notices=_notice(encoding),
        settings=settings or TextSettings(),
        language=detect_language(text),
    )


def _notice(encoding: str) -> tuple[Notice, ...]:
    if encoding == "utf-8":
        return ()
    message = f"The file is not UTF-8; it was read as {encoding}"
    return (Notice(None, "encoding", message),)


def decode(data: bytes, name: str) -> tuple[str, str]:
    """Decode the bytes of a text file; return the text and the name of the encoding.

    UTF-8 is tried first and its byte order mark stays in the text, as any other character. A
    byte order mark of UTF-16 or UTF-32 names the encoding and is left out.

    Raises:
        DocumentError: the bytes are text in no known encoding, or hold lone surrogates.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], encoding, name), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError as error:
        _refuse_surrogates(data, error, name)
    detected = _detected(data)
    if detected is None:
        raise DocumentError(
            f"{name} is not text in a known encoding: save it as UTF-8, or choose another file"
        )
    return _decoded(data, detected, name), detected


def _decoded(data: bytes, encoding: str, name: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(
            f"{name} is not valid {encoding} at byte {error.start}: save it as UTF-8"
        ) from None


def _refuse_surrogates(data: bytes, error: UnicodeDecodeError, name: str) -> None:
    """Refuse a file that would be UTF-8 but for lone surrogates."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return
    raise DocumentError(
        f"{name} has a lone surrogate at byte {error.start}, which no text may hold: "
        "save it again as UTF-8"
    ) from None


def _detected(data: bytes) -> str | None:
    """Guess the encoding from a sample; None when nothing fits."""
    from charset_normalizer import from_bytes

    best = from_bytes(data[:DETECTION_SAMPLE]).best()
    return best.encoding.replace("_", "-") if best else None
