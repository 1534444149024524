# SPDX-License-Identifier: AGPL-3.0-or-later
"""Query sets: questions with gold spans, in the format `chunkscope-queries` 1.

`spec/evaluation.md` 1. Fields that are not known are kept and written back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from core.arrays import Offsets
from core.errors import DocumentError, SearchError, nearest
from core.whole_file import whole_file

FORMAT, VERSION = "chunkscope-queries", 1
ENDING = ".queries.json"
OffsetUnit = Literal["unicode_code_points", "utf16", "utf8_bytes"]
UNITS: tuple[OffsetUnit, ...] = ("unicode_code_points", "utf16", "utf8_bytes")
_GOLD_FIELDS = {"doc", "start", "end", "text", "grade", "page", "group"}
_QUESTION_FIELDS = {"id", "question", "gold", "answer", "tags", "unanswerable"}
_DOCUMENT_FIELDS = {"doc", "file", "sha256", "length"}
_SET_FIELDS = {"format", "version", "name", "offset_unit", "documents", "questions"}
Extra = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """A passage that answers a question. Offsets are in the set's unit."""

    doc: str
    start: int
    end: int
    text: str
    grade: int = 2  # 2: answers fully; 1: answers in part
    page: int | None = None  # from 1, for display only
    group: str | None = None  # spans that belong together (`design/decisions.md` 34)
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Query:
    """A question with what answers it."""

    id: str
    question: str
    gold: tuple[GoldSpan, ...] = ()
    answer: str | None = None
    tags: tuple[str, ...] = ()
    unanswerable: bool = False
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SetDocument:
    """A document that gold spans are in. `sha256` is of its text in UTF-8."""

    doc: str
    file: str = ""
    sha256: str = ""
    length: int | None = None
    extra: Extra = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QuerySet:
    """A list of questions over some documents."""

    name: str
    queries: tuple[Query, ...]
    documents: tuple[SetDocument, ...] = ()
    offset_unit: OffsetUnit = "unicode_code_points"
    extra: Extra = field(default_factory=dict)


def load_query_set(path: Path) -> QuerySet:
    """Read a query set file.

    Raises:
        SearchError: it cannot be read, or something in it is wrong; the message says where.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SearchError(
            f"the query file '{path}' cannot be read: {error.strerror or error}"
        ) from error
    return parse_query_set(data, path.name)


def parse_query_set(data: bytes, source: str = "the query set") -> QuerySet:
    """A query set from the bytes of its file.

    Raises:
        SearchError: something in it is wrong; the message says where.
    """
    try:
        raw = msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SearchError(f"{source} is not JSON: {error}") from error
    where = _Reader(source)
    top = where.mapping(raw, "the file")
    if top.get("format") != FORMAT:
        raise SearchError(
            f"{source} has format {top.get('format')!r}, but must have '{FORMAT}': "
            "import other kinds of files"
        )
    version = top.get("version")
    if version != VERSION:
        raise SearchError(
            f"{source} has version {version!r} of {FORMAT}, but this program reads version "
            f"{VERSION}: use a newer program or save it as version {VERSION}"
        )
    unit = top.get("offset_unit", UNITS[0])
    if unit not in UNITS:
        raise SearchError(
            f"{source}: offset_unit is {unit!r}, but must be one of {', '.join(UNITS)}"
            f"{nearest(str(unit), UNITS)}"
        )
    documents = tuple(
        where.document(each, f"documents[{index}]")
        for index, each in enumerate(where.listed(top.get("documents", []), "documents"))
    )
    lengths = {each.doc: each.length for each in documents if each.length is not None}
    queries = tuple(
        where.query(each, f"questions[{index}]", lengths)
        for index, each in enumerate(where.listed(top.get("questions", []), "questions"))
    )
    _check_ids(queries, source)
    name = where.text(top.get("name", ""), "name")
    return QuerySet(name, queries, documents, unit, _rest(top, _SET_FIELDS))


def query_set_json(query_set: QuerySet) -> dict[str, Any]:
    """A query set as it is written."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": query_set.name,
        "offset_unit": query_set.offset_unit,
        "documents": [_document_json(each) for each in query_set.documents],
        "questions": [query_json(each) for each in query_set.queries],
        **query_set.extra,
    }


def query_json(query: Query) -> dict[str, Any]:
    """A question as it is written."""
    written: dict[str, Any] = {"id": query.id, "question": query.question}
    written["gold"] = [_gold_json(each) for each in query.gold]
    if query.answer is not None:
        written["answer"] = query.answer
    if query.tags:
        written["tags"] = list(query.tags)
    if query.unanswerable:
        written["unanswerable"] = True
    return {**written, **query.extra}


def save_query_set(query_set: QuerySet, path: Path) -> None:
    """Write a query set to a temporary name, and rename it.

    Raises:
        SearchError: it cannot be written; what was there stays.
    """
    text = json.dumps(query_set_json(query_set), ensure_ascii=False, indent=1) + "\n"
    write_whole(path, text)


def write_whole(path: Path, text: str) -> None:
    """Write a text file at once: a reader, or a kill, sees the old file or the new one.

    Raises:
        SearchError: it cannot be written; what was there stays.
    """
    try:
        with whole_file(path) as fresh:
            fresh.write_text(text, encoding="utf-8", newline="\n")
    except DocumentError as error:
        raise SearchError(str(error)) from error
    except UnicodeEncodeError as error:
        raise SearchError(f"{path} cannot be written: {error}") from error


def in_code_points(query_set: QuerySet, texts: Mapping[str, str]) -> QuerySet:
    """The set with offsets in code points.

    Args:
        query_set: in any unit.
        texts: the documents' texts by the set's names; gold of other documents stays as it is
            and is not covered anyway.
    """
    unit = query_set.offset_unit
    if unit == UNITS[0]:
        return query_set
    edges = {doc: unit_edges(text, unit) for doc, text in texts.items()}

    def converted(span: GoldSpan) -> GoldSpan:
        if span.doc not in edges:
            return span
        places = np.searchsorted(edges[span.doc], [span.start, span.end], side="right") - 1
        start, end = np.clip(places, 0, len(texts[span.doc])).tolist()
        return replace(span, start=start, end=end)

    queries = tuple(
        replace(query, gold=tuple(converted(span) for span in query.gold))
        for query in query_set.queries
    )
    return replace(query_set, queries=queries, offset_unit=UNITS[0])


def unit_edges(text: str, unit: OffsetUnit) -> Offsets:
    """int64 (n + 1,): the offset in `unit` of each code point, and of the end."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    if unit == "utf16":
        sizes = 1 + (codes > 0xFFFF)
    elif unit == "utf8_bytes":
        sizes = 1 + (codes > 0x7F).astype(np.int64) + (codes > 0x7FF) + (codes > 0xFFFF)
    else:
        sizes = np.ones(len(codes), np.int64)
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def queries_from_lines(text: str, prefix: str = "q") -> tuple[Query, ...]:
    """Questions that were typed or pasted, one a line, without gold."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return tuple(Query(f"{prefix}-{i + 1:03d}", line) for i, line in enumerate(lines))


@dataclass(frozen=True, slots=True)
class _Reader:
    """Checks raw values, and says where one is wrong."""

    source: str

    def wrong(self, where: str, what: str) -> SearchError:
        return SearchError(f"{self.source}: {where} {what}")

    def mapping(self, value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong(where, f"is {_kind(value)}, but must be an object")
        return value

    def listed(self, value: Any, where: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.wrong(where, f"is {_kind(value)}, but must be a list")
        return value

    def text(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            raise self.wrong(where, f"is {_kind(value)}, but must be a text")
        return value

    def integer(self, value: Any, where: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(where, f"is {value!r}, but must be an integer")
        return value

    def document(self, raw: Any, where: str) -> SetDocument:
        value = self.mapping(raw, where)
        length = value.get("length")
        return SetDocument(
            self.text(value.get("doc"), f"{where}.doc"),
            self.text(value.get("file", ""), f"{where}.file"),
            self.text(value.get("sha256", ""), f"{where}.sha256"),
            None if length is None else self.integer(length, f"{where}.length"),
            _rest(value, _DOCUMENT_FIELDS),
        )

    def query(self, raw: Any, where: str, lengths: Mapping[str, int]) -> Query:
        value = self.mapping(raw, where)
        question = self.text(value.get("question"), f"{where}.question")
        if not question.strip():
            raise self.wrong(f"{where}.question", "is empty: write a question or remove it")
        gold = tuple(
            self.gold(each, f"{where}.gold[{index}]", lengths)
            for index, each in enumerate(self.listed(value.get("gold", []), f"{where}.gold"))
        )
        unanswerable = value.get("unanswerable", False)
        if not isinstance(unanswerable, bool):
            raise self.wrong(f"{where}.unanswerable", "must be true or false")
        if unanswerable and gold:
            raise self.wrong(where, "is unanswerable, so its gold must be empty")
        answer = value.get("answer")
        tags = self.listed(value.get("tags", []), f"{where}.tags")
        return Query(
            self.text(value.get("id"), f"{where}.id"),
            question,
            gold,
            None if answer is None else self.text(answer, f"{where}.answer"),
            tuple(self.text(tag, f"{where}.tags") for tag in tags),
            unanswerable,
            _rest(value, _QUESTION_FIELDS),
        )

    def gold(self, raw: Any, where: str, lengths: Mapping[str, int]) -> GoldSpan:
        value = self.mapping(raw, where)
        doc = self.text(value.get("doc"), f"{where}.doc")
        start = self.integer(value.get("start"), f"{where}.start")
        end = self.integer(value.get("end"), f"{where}.end")
        if not 0 <= start < end <= lengths.get(doc, end):
            bound = f" <= {lengths[doc]}" if doc in lengths else ""
            raise self.wrong(
                where, f"has the span [{start}, {end}), but 0 <= start < end{bound} must hold"
            )
        grade = value.get("grade", 2)
        if grade not in (1, 2) or isinstance(grade, bool):
            raise self.wrong(f"{where}.grade", f"is {grade!r}, but must be 1 or 2")
        page, group = value.get("page"), value.get("group")
        text = self.text(value.get("text"), f"{where}.text")
        if not text.strip():
            raise self.wrong(f"{where}.text", "is blank: quote the passage")
        return GoldSpan(
            doc,
            start,
            end,
            text,
            grade,
            None if page is None else self.integer(page, f"{where}.page"),
            None if group is None else str(group),
            _rest(value, _GOLD_FIELDS),
        )


def _check_ids(queries: Sequence[Query], source: str) -> None:
    seen: dict[str, int] = {}
    for index, query in enumerate(queries):
        if query.id in seen:
            raise SearchError(
                f"{source}: questions[{seen[query.id]}] and questions[{index}] have the same id "
                f"'{query.id}': give each its own"
            )
        seen[query.id] = index


def _rest(value: Mapping[str, Any], known: set[str]) -> dict[str, Any]:
    return {name: each for name, each in value.items() if name not in known}


def _kind(value: Any) -> str:
    return "missing" if value is None else f"{type(value).__name__} {value!r:.40}"


def _document_json(document: SetDocument) -> dict[str, Any]:
    written: dict[str, Any] = {"doc": document.doc}
    for name in ("file", "sha256"):
        if getattr(document, name):
            written[name] = getattr(document, name)
    if document.length is not None:
        written["length"] = document.length
    return {**written, **document.extra}


def _gold_json(span: GoldSpan) -> dict[str, Any]:
    written: dict[str, Any] = {
        "doc": span.doc,
        "start": span.start,
        "end": span.end,
        "text": span.text,
        "grade": span.grade,
    }
    if span.page is not None:
        written["page"] = span.page
    if span.group is not None:
        written["group"] = span.group
    return {**written, **span.extra}
