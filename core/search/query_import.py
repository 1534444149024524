# SPDX-License-Identifier: AGPL-3.0-or-later
"""Query sets of other forms: CSV of the public benchmark, JSONL, BEIR folders, TREC files.

`spec/evaluation.md` 1. And the same way out.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from core.errors import SearchError
from core.search.query_sets import (
    GoldSpan,
    Query,
    QuerySet,
    load_query_set,
    parse_query_set,
    queries_from_lines,
    query_json,
    query_set_json,
    write_whole,
)

_TREC_TOPIC = re.compile(r"<top>(.*?)</top>", re.DOTALL | re.IGNORECASE)
_TREC_NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TREC_TITLE = re.compile(r"<title>\s*(?:Topic:)?\s*([^<]+)", re.IGNORECASE)
_LINES = frozenset({".txt", ".text", ".tsv", ""})  # whose lines may be taken for questions
_FORMS = (
    ".queries.json, .csv (question, references, corpus_id), .jsonl, .txt (a question a line, or "
    "its number, a tab and the question), TREC topics, or a BEIR folder"
)
csv.field_size_limit(1 << 30)


def import_queries(path: Path, *, judged: Path | None = None) -> QuerySet:
    """Read questions from any known form.

    Args:
        path: `.queries.json`, `.csv`, `.jsonl`, `.txt` (one a line), a BEIR folder, or TREC
            topics.
        judged: a TREC file of relevant documents (qrels) for topics or lines.

    Raises:
        SearchError: it cannot be read, has no question, or its form is not known.
    """
    found = _import_beir(path) if path.is_dir() else _import_file(path, judged)
    if not found.queries:
        raise SearchError(f"'{path}' has no question: write one at least")
    return found


def _import_file(path: Path, judged: Path | None) -> QuerySet:
    text, ending = _read(path), path.suffix.lower()
    if ending == ".json":
        return load_query_set(path)
    if ending == ".csv":
        return _import_csv(text, path)
    if ending == ".jsonl":
        return _import_jsonl(text, path)
    if _TREC_TOPIC.search(text):
        queries = tuple(_trec_topics(text, path))
    else:
        queries = tuple(_numbered_lines(text, path))
    relevant = _read_judged(judged) if judged else {}
    return QuerySet(path.stem, tuple(_with_documents(query, relevant, {}) for query in queries))


def export_queries(query_set: QuerySet, path: Path) -> None:
    """Write a query set; the ending decides: `.json`, `.jsonl`, or `.csv` of the benchmark.

    Raises:
        SearchError: it cannot be written, or the ending is not known.
    """
    ending = path.suffix.lower()
    if ending == ".json":
        text = json.dumps(query_set_json(query_set), ensure_ascii=False, indent=1) + "\n"
    elif ending == ".jsonl":
        rows = [query_json(query) for query in query_set.queries]
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    elif ending == ".csv":
        text = _as_csv(query_set)
    else:
        raise SearchError(
            f"'{path.name}' has the ending '{path.suffix}', but query sets are written as .json, "
            ".jsonl or .csv: give one of these"
        )
    write_whole(path, text)


def _import_csv(text: str, path: Path) -> QuerySet:
    """The public benchmark's form: question, references (JSON), corpus_id."""
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    queries = []
    for number, row in enumerate(rows):
        where = f"{path.name}: row {number + 1}"
        question = row.get("question")
        if question is None:
            raise SearchError(
                f"{path.name} has no column 'question': it must have question, references and "
                "corpus_id"
            )
        if not question.strip():
            raise SearchError(f"{where} has an empty question: write one or remove the row")
        gold = _references(row.get("references") or "[]", row.get("corpus_id") or "", where)
        queries.append(Query(f"q-{number + 1:03d}", question, gold, extra={"source_row": number}))
    return QuerySet(path.stem, tuple(queries))


def _references(text: str, document: str, where: str) -> tuple[GoldSpan, ...]:
    try:
        references = msgspec.json.decode(text.encode())
        return tuple(
            GoldSpan(document, int(r["start_index"]), int(r["end_index"]), str(r["content"]))
            for r in references
        )
    except (msgspec.DecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise SearchError(
            f"{where}: references must be a JSON list of {{content, start_index, end_index}}: "
            f"{error}"
        ) from error


def _import_jsonl(text: str, path: Path) -> QuerySet:
    """A question a line: our own fields, or `_id` and `text` as in BEIR."""
    questions = []
    for number, row in enumerate(_json_lines(text, path.name)):
        own = dict(row)
        own.setdefault("id", str(own.pop("_id", f"q-{number + 1:03d}")))
        if "question" not in own:
            own["question"] = own.pop("text", own.pop("query", ""))
        questions.append(own)
    whole = {
        "format": "chunkscope-queries",
        "version": 1,
        "name": path.stem,
        "questions": questions,
    }
    return parse_query_set(json.dumps(whole).encode(), path.name)


def _import_beir(folder: Path) -> QuerySet:
    """`queries.jsonl`, `corpus.jsonl` and `qrels/*.tsv`: gold is a whole passage of the corpus."""
    queries = [
        Query(str(row.get("_id", "")), str(row.get("text", "")))
        for row in _json_lines(_read(folder / "queries.jsonl"), "queries.jsonl")
    ]
    corpus = {}
    if (folder / "corpus.jsonl").exists():
        for row in _json_lines(_read(folder / "corpus.jsonl"), "corpus.jsonl"):
            corpus[str(row.get("_id", ""))] = str(row.get("text", ""))
    found = sorted(folder.glob("qrels/*.tsv"), key=lambda path: (path.stem != "test", path.name))
    relevant = _read_judged(found[0]) if found else {}
    asked = [query for query in queries if not relevant or query.id in relevant]
    return QuerySet(folder.name, tuple(_with_documents(q, relevant, corpus) for q in asked))


def _with_documents(
    query: Query, relevant: Mapping[str, Mapping[str, int]], corpus: Mapping[str, str]
) -> Query:
    """A question whose gold is whole documents.

    Where the corpus is known, its text is the quote; else the documents are kept as a field, for
    they say no passage.
    """
    judged = {name: gain for name, gain in relevant.get(query.id, {}).items() if gain > 0}
    if not judged:
        return query
    highest = max(judged.values())
    gold = tuple(
        GoldSpan(name, 0, len(corpus[name]), corpus[name], 2 if gain >= min(2, highest) else 1)
        for name, gain in judged.items()
        if corpus.get(name, "").strip()
    )
    return Query(query.id, query.question, gold, extra={"relevant_documents": judged})


def _read_judged(path: Path) -> dict[str, dict[str, int]]:
    """Gains by question and document: TREC (4 columns) or BEIR (3 columns with a head)."""
    found: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_read(path).splitlines()):
        columns = line.split("\t") if "\t" in line else line.split()
        if not columns or columns[-1] == "score":
            continue
        try:
            question, document, gain = columns[0], columns[-2], int(columns[-1])
        except (IndexError, ValueError) as error:
            raise SearchError(
                f"{path.name}: line {number + 1} is '{line[:60]}', but must be question, "
                "document and gain"
            ) from error
        found.setdefault(question, {})[document] = gain
    return found


def _trec_topics(text: str, path: Path) -> Iterable[Query]:
    for match in _TREC_TOPIC.finditer(text):
        number, title = _TREC_NUMBER.search(match[1]), _TREC_TITLE.search(match[1])
        if number is None or title is None:
            raise SearchError(
                f"{path.name}: a topic has no <num> or no <title>: '{match[1].strip()[:60]}'"
            )
        yield Query(number[1], " ".join(title[1].split()))


def _numbered_lines(text: str, path: Path) -> Iterable[Query]:
    """`ID <tab> question` a line, or only questions where the ending lets one expect them."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and all(line.count("\t") == 1 for line in lines):
        for line in lines:
            identifier, question = line.split("\t")
            yield Query(identifier.strip(), question.strip())
    elif lines and path.suffix.lower() in _LINES:
        yield from queries_from_lines(text)
    else:
        raise SearchError(f"'{path}' is not a query set: questions are read from {_FORMS}")


def _json_lines(text: str, source: str) -> Iterable[Mapping[str, Any]]:
    for number, line in enumerate(text.split("\n")):
        if not line.strip():
            continue
        try:
            row = msgspec.json.decode(line.encode())
        except (msgspec.DecodeError, RecursionError) as error:
            raise SearchError(f"{source}: line {number + 1} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise SearchError(f"{source}: line {number + 1} is not an object")
        yield row


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise SearchError(f"'{path}' does not exist: check the name and the folder") from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SearchError(f"'{path}' cannot be read as UTF-8 text: {reason}") from error


def _as_csv(query_set: QuerySet) -> str:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["question", "references", "corpus_id"])
    for query in query_set.queries:
        by_document: dict[str, list[dict[str, Any]]] = {}
        for span in query.gold:
            row = {"content": span.text, "start_index": span.start, "end_index": span.end}
            by_document.setdefault(span.doc, []).append(row)
        for document, references in (by_document or {"": []}).items():
            writer.writerow([query.question, json.dumps(references), document])
    return out.getvalue()
