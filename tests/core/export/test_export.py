# SPDX-License-Identifier: AGPL-3.0-or-later
"""Files of each kind hold the chunks, and are written as a whole."""

import csv
import json
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pymupdf
import pytest
from pyarrow import parquet

from core.cancel import NEVER
from core.document.geometry import span_boxes
from core.document.model import Document, TextSettings
from core.document.read import read_document
from core.errors import DocumentError, ParameterError
from core.export.exported import FRAMEWORKS, Exported
from core.export.formats import FORMATS, check_target, export
from core.export.report import stretches
from core.pipeline import Pipeline
from core.strategies.recipe import parse_recipe
from core.whole_file import whole_file, write_text

TEXT = 'One "quoted", with comma.\r\nTwo <b>bold</b> & more.\n\n=SUM(A1) ü 文 \U0001f600 {{ x }}\n'
TINTED = 12  # grey levels by which a tint at least changes white


def exported(document, word="SBC", source=None, **more):
    recipe = parse_recipe(word)
    chunks = Pipeline().chunk(recipe, document, cancel=NEVER)
    return Exported(source, document, recipe, chunks, **more)


@pytest.fixture
def text_export(tmp_path):
    source = tmp_path / "a.txt"
    source.write_bytes(TEXT.encode())
    return exported(read_document(source), "FCC:size=20,overlap=5", source)


@pytest.fixture(scope="module")
def pdf_export(root):
    source = root / "resources" / "samples" / "guideline.pdf"
    document = read_document(source, TextSettings(pages=(0, 1, 2)), use_cache=False)
    return exported(document, "RC:size=800,overlap=0", source)


def texts_of(made):
    return made.chunks.all_texts(made.document.text)


def test_json_and_json_lines_hold_the_same_texts(text_export, tmp_path):
    export(text_export, tmp_path / "o.json")
    export(text_export, tmp_path / "o.jsonl")

    whole = json.loads((tmp_path / "o.json").read_bytes())
    lines = [json.loads(line) for line in (tmp_path / "o.jsonl").read_bytes().splitlines()]

    assert [chunk["text"] for chunk in whole["chunks"]] == texts_of(text_export)
    assert [line["text"] for line in lines] == texts_of(text_export)
    assert {line["sha256"] for line in lines} == {text_export.document.sha256}


def test_csv_gives_every_character_back(text_export, tmp_path):
    export(text_export, tmp_path / "o.csv")

    with (tmp_path / "o.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    assert [row["text"] for row in rows] == texts_of(text_export)
    assert json.loads(rows[1]["spans"]) == text_export.chunks.spans_of(1).tolist()


def test_parquet_has_typed_columns(text_export, tmp_path):
    export(text_export, tmp_path / "o.parquet")

    table = parquet.read_table(tmp_path / "o.parquet")

    assert table.column("text").to_pylist() == texts_of(text_export)
    assert table.column("start").to_pylist() == text_export.chunks.starts.tolist()
    assert table.schema.metadata[b"chunkscope.strategy"].startswith(b"FCC:size=20")


class _Texts(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.data = set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert not {"src", "href"} & {k for k, v in attrs if not (v or "").startswith("#")}

    def handle_data(self, data):
        self.data.append(data)


def test_the_report_escapes_the_text_and_needs_no_other_file(text_export, tmp_path):
    export(text_export, tmp_path / "o.html")

    html = (tmp_path / "o.html").read_bytes().decode()
    parser = _Texts()
    parser.feed(html)

    assert "b" not in parser.tags
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "{{ x }}" in html


def test_the_reports_stretches_are_the_text_with_overlaps_marked(text_export):
    parts = list(stretches(text_export))

    assert "".join(part.text for part in parts) == TEXT
    shared = [part.text for part in parts if part.kind == "shared"]
    assert all(len(text) == 5 for text in shared[:-1])
    assert [number for part in parts for number in part.begins] == list(
        range(1, len(text_export.chunks) + 1)
    )


def dark(page, scale=1.0):
    pixels = page.get_pixmap(matrix=pymupdf.Matrix(scale, scale), alpha=0)
    return np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)


def test_the_pdf_is_tinted_where_the_chunks_are_and_nowhere_else(pdf_export, tmp_path):
    export(pdf_export, tmp_path / "o.pdf")
    before, after = pymupdf.open(pdf_export.source), pymupdf.open(tmp_path / "o.pdf")

    changed = np.abs(dark(before[1]).astype(int) - dark(after[1])).max(axis=2) > TINTED

    assert len(after) == len(before) == 12
    pieces = span_boxes(pdf_export.document.geometry, pdf_export.chunks.spans)
    allowed = np.zeros_like(changed)
    for x0, y0, x1, y1 in pieces.boxes[pieces.page == 1].astype(int).tolist():
        assert changed[y0 + 2 : y1 - 1, x0 + 2 : x1 - 1].mean() > 0.5
        allowed[max(0, y0 - 8) : y1 + 3, max(0, x0 - 4) : x1 + 10] = True
    assert not (changed & ~allowed).any()
    before.close()
    after.close()


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name", ["rotated270_crop_letter_1p.pdf", "rotated90_table_nics_1p.pdf",
             "crop_mboxorigin_voters_5p.pdf", "nonhoriz_327deg_1p.pdf"]
)  # fmt: skip
def test_turned_and_cropped_pages_are_tinted_where_their_text_is_seen(shared, tmp_path, name):
    source = shared / "corpus" / name
    made = exported(read_document(source, use_cache=False), "RC:size=300,overlap=0", source)
    export(made, tmp_path / "o.pdf")
    before, after = pymupdf.open(source), pymupdf.open(tmp_path / "o.pdf")

    changed = np.abs(dark(before[0]).astype(int) - dark(after[0])).max(axis=2) > TINTED

    pieces = span_boxes(made.document.geometry, made.chunks.spans)
    middles = pieces.quads[pieces.page == 0].mean(axis=1).astype(int)
    around = [changed[max(0, y - 2) : y + 3, max(0, x - 2) : x + 3] for x, y in middles.tolist()]
    assert np.mean([part.any() for part in around if part.size]) > 0.9
    before.close()
    after.close()


@pytest.mark.parametrize(("ending", "begin"), [(".png", b"\x89PNG"), (".svg", b"<svg")])
def test_a_page_is_drawn_as_a_picture(pdf_export, tmp_path, ending, begin):
    path = tmp_path / f"o{ending}"
    export(pdf_export, path)

    assert path.read_bytes().startswith(begin)


def test_one_page_of_a_pdf_is_a_pdf_of_one_page(root, pdf_export, tmp_path):
    only = Exported(
        pdf_export.source, pdf_export.document, pdf_export.recipe, pdf_export.chunks, page=1
    )
    export(only, tmp_path / "o.pdf")

    with pymupdf.open(tmp_path / "o.pdf") as made:
        assert len(made) == 1


@pytest.mark.parametrize("ending", [".pdf", ".png", ".svg"])
def test_a_text_file_has_no_pages_to_draw_on(text_export, tmp_path, ending):
    with pytest.raises(DocumentError, match="text file without pages"):
        export(text_export, tmp_path / f"o{ending}")

    assert not (tmp_path / f"o{ending}").exists()


@pytest.mark.parametrize("framework", [None, *FRAMEWORKS])
@pytest.mark.parametrize("word", ["FCC:size=20,overlap=5", "RC:size=30,overlap=0", "PCC"])
def test_the_code_makes_the_same_chunks_and_refuses_another_text(tmp_path, framework, word):
    source = tmp_path / "a.txt"
    source.write_bytes(TEXT.encode())
    made = exported(read_document(source), word, source, framework=framework)
    export(made, tmp_path / "o.py")
    other = tmp_path / "b.txt"
    other.write_bytes(TEXT.encode() + b"!")

    def ran(path):
        command = [sys.executable, "-I", str(tmp_path / "o.py"), str(path)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert ran(source).stdout.startswith(f"{len(made.chunks)} chunks, equal")
    assert ran(other).returncode == 1
    assert "another text" in ran(other).stderr


def test_the_code_names_the_frameworks_own_splitter(text_export, tmp_path):
    made = exported(
        text_export.document, "RC:size=30,overlap=0", text_export.source, framework="langchain"
    )
    export(made, tmp_path / "o.py")

    assert "RecursiveCharacterTextSplitter(chunk_size=30, chunk_overlap=0)" in (
        tmp_path / "o.py"
    ).read_text("utf-8")


def test_chunks_without_a_span_keep_their_own_text_in_code(tmp_path):
    source = tmp_path / "a.txt"
    source.write_bytes("\U0001fae0 \U0001f9d1\u200d\U0001f52c 'quoted' \\ \U00020bb7".encode())
    made = exported(read_document(source), "FC:size=1,mode=reference", source)
    assert made.chunks.texts, "a token boundary lies inside a character here"
    export(made, tmp_path / "o.py")

    command = [sys.executable, "-I", str(tmp_path / "o.py"), str(source)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    assert ran.stdout.startswith(f"{len(made.chunks)} chunks, equal"), ran.stderr


@pytest.mark.parametrize("ending", FORMATS)
def test_an_existing_file_is_kept_unless_it_is_forced(tmp_path, ending):
    path = tmp_path / f"o{ending}"
    path.write_text("mine")

    with pytest.raises(DocumentError, match="--force"):
        check_target(path, force=False)

    check_target(path, force=True)
    assert path.read_text() == "mine"


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    with pytest.raises(ParameterError, match=r"\.json, \.jsonl"):
        check_target(tmp_path / "o.docx", force=False)


def test_a_file_that_fails_half_way_leaves_what_was_there(tmp_path):
    path = tmp_path / "o.txt"
    write_text(path, "old")

    with pytest.raises(RuntimeError), whole_file(path) as fresh:
        fresh.write_text("half")
        raise RuntimeError

    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["o.txt"]


def test_an_empty_document_is_exported_without_chunks(tmp_path):
    made = exported(Document(""), "SBC", tmp_path / "a.txt")

    for ending in (".json", ".jsonl", ".csv", ".parquet", ".html", ".py"):
        export(made, tmp_path / f"o{ending}")

    assert json.loads((tmp_path / "o.json").read_bytes())["chunks"] == []
