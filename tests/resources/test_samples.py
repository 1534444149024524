# SPDX-License-Identifier: AGPL-3.0-or-later
"""The bundled samples are what the rest of the project relies on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pymupdf
import pytest

SAMPLES = Path(__file__).parents[2] / "resources" / "samples"
sys.path.insert(0, str(SAMPLES))

from locate import Haystack  # noqa: E402
from make_queries import content_text, query_set, read_questions  # noqa: E402
from make_samples import SAMPLES as MADE  # noqa: E402
from make_samples import make  # noqa: E402

NAMES = ("guideline", "report")


def sample(name: str) -> pymupdf.Document:
    return pymupdf.open(SAMPLES / f"{name}.pdf")


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def text(name: str) -> str:
    return content_text(SAMPLES / f"{name}.pdf")


@pytest.mark.parametrize(("name", "pages"), [("guideline", 12), ("report", 50)])
def test_a_sample_has_its_number_of_pages_and_is_small(name: str, pages: int) -> None:
    with sample(name) as document:
        assert len(document) == pages
    assert (SAMPLES / f"{name}.pdf").stat().st_size < 1_000_000


def test_every_page_has_text_inside_the_page(name: str) -> None:
    with sample(name) as document:
        for page in document:
            words = page.get_text("words")
            assert len(words) > 20
            assert all(w[0] > 40 and w[2] < 560 and w[1] > 30 and w[3] < 815 for w in words)


@pytest.mark.parametrize(("name", "levels"), [("guideline", {1, 2}), ("report", {1, 2, 3})])
def test_the_outline_has_every_level_and_points_at_its_heading(name: str, levels: set[int]) -> None:
    with sample(name) as document:
        outline = document.get_toc()
        assert {level for level, _, _ in outline} == levels
        for _, title, number in outline:
            words = " ".join(document[number - 1].get_text().split())
            assert " ".join(title.split()) in words.replace("\ufb01", "fi").replace("\ufb02", "fl")


def test_the_dosing_table_crosses_a_page_and_repeats_its_header() -> None:
    with sample("guideline") as document:
        pages = [p.number for p in document if "Last dose before" in p.get_text()]
        groups = [
            next(p.number for p in document if group in p.get_text())
            for group in ("Treatment dose (bridging)", "Neuraxial catheter in place")
        ]
    assert pages == groups
    assert pages[1] == pages[0] + 1


def test_the_guideline_has_pages_with_two_columns() -> None:
    with sample("guideline") as document:
        lefts = [round(b[0]) for b in document[2].get_text("blocks") if len(b[4].split()) > 12]
    assert any(left > 300 for left in lefts)
    assert any(left < 80 for left in lefts)


def test_the_guideline_has_words_divided_at_line_ends_and_footnote_marks() -> None:
    with sample("guideline") as document:
        lines = [line for page in document for line in page.get_text().split("\n")]
        spans = [
            span
            for block in document[1].get_text("dict")["blocks"]
            for line in block.get("lines", [])
            for span in line["spans"]
        ]
    assert sum(line.endswith("-") for line in lines) > 20
    assert any(span["size"] < 8 and span["text"].strip() == "1" for span in spans)


def test_one_section_of_the_guideline_is_longer_than_700_words() -> None:
    with sample("guideline") as document:
        whole = " ".join(" ".join(page.get_text().split()) for page in document)
    begin = whole.index("8 Neuraxial anaesthesia and analgesia Spinal")
    end = whole.index("9 Urgent procedures and reversal A procedure")
    assert len(whole[begin:end].split()) > 700


@pytest.mark.parametrize(
    ("name", "count", "unanswerable"), [("guideline", 30, 2), ("report", 40, 3)]
)
def test_a_query_set_has_its_questions(name: str, count: int, unanswerable: int) -> None:
    questions = read_questions(name)
    assert len(questions) == len({question["id"] for question in questions}) == count
    empty = [question for question in questions if question.get("unanswerable")]
    assert len(empty) == unanswerable
    assert all(bool(q.get("gold")) != bool(q.get("unanswerable")) for q in questions)


@pytest.mark.parametrize(("name", "least"), [("guideline", 8), ("report", 8)])
def test_many_questions_have_passages_that_belong_together(name: str, least: int) -> None:
    grouped = 0
    for question in read_questions(name):
        groups = [gold["group"] for gold in question.get("gold", []) if "group" in gold]
        grouped += len(groups) >= 2 and len(set(groups)) == 1
    assert grouped >= least


def test_every_quote_is_found_once(name: str, text: str) -> None:
    made = query_set(name, text, [])
    assert len(made["questions"]) == len(read_questions(name))


def test_the_shipped_query_set_is_consistent_and_was_made_from_the_authored_questions(
    name: str,
) -> None:
    shipped = json.loads((SAMPLES / f"{name}.queries.json").read_text(encoding="utf-8"))
    assert shipped["format"] == "chunkscope-queries"
    length = shipped["documents"][0]["length"]
    authored = read_questions(name)
    assert [q["question"] for q in shipped["questions"]] == [q["question"] for q in authored]
    for question, source in zip(shipped["questions"], authored, strict=True):
        for gold, passage in zip(question["gold"], source.get("gold", []), strict=True):
            assert 0 <= gold["start"] < gold["end"] <= length
            assert len(gold["text"]) == gold["end"] - gold["start"]
            assert Haystack(gold["text"]).find(passage["quote"])[0] == 0


def test_making_the_guideline_again_gives_the_same_pages() -> None:
    made = make(MADE[0])
    assert made == make(MADE[0])
    with sample("guideline") as shipped, pymupdf.open("pdf", made) as fresh:
        assert [p.get_text() for p in shipped] == [p.get_text() for p in fresh]


class TestHaystack:
    def test_a_quote_is_found_through_line_ends_hyphens_and_ligatures(self) -> None:
        text = "The \ufb01lter was recom-\nmended for \u201cold\u201d patients.\nStop."
        start, end = Haystack(text).find('filter was recommended for "old" patients.')
        assert text[start:end] == "\ufb01lter was recom-\nmended for \u201cold\u201d patients."

    def test_a_quote_that_stands_twice_is_refused(self) -> None:
        with pytest.raises(LookupError, match="stands at 0 and at 11"):
            Haystack("one dose, \none dose").find("one dose")

    def test_a_quote_that_is_missing_is_refused(self) -> None:
        with pytest.raises(LookupError, match="not in the text"):
            Haystack("one dose").find("two doses")


def test_an_unknown_sample_ends_with_usage() -> None:
    done = subprocess.run(
        [sys.executable, str(SAMPLES / "make_queries.py"), "--plain", "poem"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
