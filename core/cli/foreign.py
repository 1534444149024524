# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks of other tools, `NAME=C.json`: which file holds those of which document."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from core.cli.reading import read_json
from core.document.model import Document
from core.errors import DocumentError, ParameterError
from core.scores.foreign_chunks import place_chunks
from core.strategies.chunks import Chunks

Brought = dict[str, dict[str, Chunks]]  # chunks by document, by name of the tool


def foreign_chunks(
    words: Sequence[str], documents: Mapping[str, Document]
) -> tuple[Brought, list[str]]:
    """Chunks of other tools, placed in the documents, and what was noticed.

    Args:
        words: `NAME=PATH`, a name once for each of its files; a path may be a folder.
        documents: by the names that hits have.

    Raises:
        ParameterError: a word is not of that form.
        DocumentError: a file cannot be read, or it cannot be told whose chunks it holds.
    """
    paths: dict[str, list[Path]] = {}
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or not name or not path:
            raise ParameterError(
                f"--chunks {word} is not NAME=C.json: write for example --chunks theirs=chunks.json"
            )
        paths.setdefault(name, []).extend(_files(Path(path)))
    brought: Brought = {}
    notes: list[str] = []
    for name, files in paths.items():
        brought[name] = {}
        for document, data in _by_document(name, files, documents).items():
            placed = place_chunks(data, documents[document].text, f"{name}, {document}")
            brought[name][document] = placed.chunks
            notes += [f"{name}, {document}: {notice}" for notice in placed.notices]
    return brought, notes


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise DocumentError(f"{path} holds no .json file: put the chunks of each document there")
    return found


def _by_document(
    name: str, files: Sequence[Path], documents: Mapping[str, Document]
) -> dict[str, Any]:
    """What each document's chunks were read from."""
    contents = {path: read_json(path) for path in files}
    if len(documents) == 1 and len(files) == 1:
        return dict(zip(documents, contents.values(), strict=True))
    found: dict[str, Any] = {}
    for path, data in contents.items():
        inside = _documents_inside(data, documents)
        if inside:
            found |= inside
        elif document := _document_of(path, data, documents):
            found[document] = data
    missing = [document for document in documents if document not in found]
    if missing and not found and len(files) == len(documents):
        return dict(zip(documents, contents.values(), strict=True))
    if missing:
        raise DocumentError(
            f"the chunks '{name}' have none for {missing[0]}: give a file called "
            f"{Path(missing[0]).stem}.json, or files in the order of the documents"
        )
    return found


def _documents_inside(data: Any, documents: Mapping[str, Document]) -> dict[str, Any]:
    """The parts of an object that has a list of chunks for each document."""
    if not isinstance(data, Mapping):
        return {}
    known = {key: name for name in documents for key in (name, Path(name).name, Path(name).stem)}
    return {known[key]: value for key, value in data.items() if key in known}


def _document_of(path: Path, data: Any, documents: Mapping[str, Document]) -> str | None:
    """The document that a file's chunks are of: by the text's hash, else by the file's name."""
    about = data.get("document") if isinstance(data, Mapping) else None
    if isinstance(about, Mapping):
        for name, document in documents.items():
            if about.get("sha256") == document.sha256:
                return name
    for name in documents:
        if path.stem in (Path(name).stem, Path(name).name):
            return name
    return None
