# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunks as data: JSON, JSON lines, CSV, Parquet."""

import csv
import io
import json
from typing import Any

from core.export.exported import Exported
from core.export.plain_values import chunks_json, document_json

COLUMNS = (
    "index",
    "start",
    "end",
    "spans",
    "first_page",
    "last_page",
    "tokens",
    "characters",
    "level",
    "parent",
    "header",
    "start_reason",
    "end_reason",
    "text",
)


def json_bytes(exported: Exported) -> bytes:
    """What `chunk --json --text --boxes` prints."""
    made = chunks_json(exported.document, exported.recipe, exported.chunks)
    about = {"document": document_json(exported.document, str(exported.source))}
    return _json(about | made | {"chunks": exported.rows(with_boxes=True)}, indent=1)


def jsonl_bytes(exported: Exported) -> bytes:
    """One chunk a line, each with the document and the recipe it came from."""
    about = {
        "file": str(exported.source),
        "sha256": exported.document.sha256,
        "strategy": exported.recipe.word,
    }
    return b"".join(_json(about | row) for row in exported.rows())


def csv_bytes(exported: Exported) -> bytes:
    """One row a chunk; spans as JSON, pages from 1."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    for row in flat_rows(exported):
        writer.writerow(row | {"spans": json.dumps(row["spans"])})
    return out.getvalue().encode("utf-8", "surrogatepass")


def parquet_bytes(exported: Exported) -> bytes:
    """The columns of the CSV with their types, compressed."""
    import pyarrow as pa
    from pyarrow import parquet

    whole, words = pa.int64(), pa.string()
    types = dict.fromkeys(("level", "header", "start_reason", "end_reason", "text"), words)
    types["spans"] = pa.list_(pa.list_(whole))
    schema = pa.schema([(name, types.get(name, whole)) for name in COLUMNS])
    about = {
        "chunkscope.file": str(exported.source),
        "chunkscope.sha256": exported.document.sha256,
        "chunkscope.strategy": exported.recipe.word,
    }
    table = pa.Table.from_pylist(flat_rows(exported), schema.with_metadata(about))
    out = io.BytesIO()
    parquet.write_table(table, out, compression="zstd")
    return out.getvalue()


def flat_rows(exported: Exported) -> list[dict[str, Any]]:
    """The chunks as rows of the columns."""
    return [_flat(row) for row in exported.rows()]


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    spans, pages = row["spans"], row["pages"]
    return {
        "index": row["index"],
        "start": spans[0][0] if spans else None,
        "end": spans[-1][1] if spans else None,
        "spans": spans,
        "first_page": pages[0] + 1 if pages else None,
        "last_page": pages[1] + 1 if pages else None,
        "tokens": row["tokens"],
        "characters": len(row["text"]),
        "level": row["level"],
        "parent": row["parent"],
        "header": row["header"],
        "start_reason": _words(row["start_reason"]),
        "end_reason": _words(row["end_reason"]),
        "text": row["text"],
    }


def _words(reason: dict[str, Any] | None) -> str | None:
    return None if reason is None else str(reason["words"])


def _json(value: object, indent: int | None = None) -> bytes:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return f"{text}\n".encode("utf-8", "surrogatepass")
