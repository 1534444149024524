# SPDX-License-Identifier: AGPL-3.0-or-later
"""The book of questions: marking, undo, places of gold, files, workspace."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from core.document.model import Document
from core.search.query_sets import GoldSpan, Query, QuerySet, SetDocument
from gui.jobs import Jobs
from gui.questions import QuestionBook
from gui.state import OpenDocument, State
from gui.tags import DocumentTags
from tests.gui.evaluation.conftest import FIRST, SETS, TEXTS, answer


@pytest.fixture
def book(qtbot):
    """A book over one open text; its jobs end with the test."""
    state, jobs = State(), Jobs()
    made = QuestionBook(state, jobs)
    opened = OpenDocument("d1", Path("/nowhere/one.txt"), "one.txt")
    state.add_document(opened)
    state.put_text("d1", Document(TEXTS["one.txt"], name="one.txt"), 1)
    made.opened_document = opened
    yield made
    jobs.close()


def place(book: QuestionBook, qtbot) -> list:
    qtbot.waitUntil(lambda: all(each is not None for each in book.placed()), timeout=60_000)
    return book.placed()


def test_marking_is_undone_and_done_again(book):
    book.add("Who counted?\nWhen?")
    start = TEXTS["one.txt"].index(answer(FIRST[0], 40))
    assert book.mark(book.opened_document, start - 1, start + 20)  # a space before it
    gold = book.current.gold[0]
    assert (gold.start, gold.grade, gold.page) == (start, 2, 1)
    assert gold.text == TEXTS["one.txt"][start : start + 20]
    book.undo_stack.undo()
    assert book.current.gold == ()
    book.undo_stack.redo()
    assert len(book.current.gold) == 1
    assert book.gold_in("d1").tolist() == [[start, start + 20]]


def test_marking_the_same_passage_again_takes_it_back(book):
    book.add("Who?")
    book.mark(book.opened_document, 4, 30)
    book.mark(book.opened_document, 4, 30, grade=1)
    assert [span.grade for span in book.current.gold] == [1]  # another grade is no taking back
    book.mark(book.opened_document, 4, 30, grade=1)
    assert book.current.gold == ()


def test_nothing_is_marked_without_a_question_or_in_white_space(book):
    assert not book.mark(book.opened_document, 4, 30)
    book.add("Who?")
    gap = TEXTS["one.txt"].index("\n\n")
    assert not book.mark(book.opened_document, gap, gap + 2)


def test_gold_is_written_in_the_unit_of_the_set(book):
    text = "\N{GRINNING FACE}" * 3 + " " + TEXTS["one.txt"]
    book._state.put_text("d1", Document(text, name="one.txt"), 1)
    book.replace_all(QuerySet("s", (Query("q", "Who?"),), offset_unit="utf16"))
    start = text.index("keeper")
    assert book.mark(book.opened_document, start, start + 6)
    assert book.current.gold[0].start == start + 3  # two units an emoji
    assert book.gold_in("d1").tolist() == [[start, start + 6]]


def test_the_sets_own_name_of_a_document_is_kept(book):
    document = book.opened_document.document
    known = SetDocument("guide", "other.pdf", document.sha256, len(document.text))
    book.replace_all(QuerySet("s", (Query("q", "Who?"),), (known,)))
    book.mark(book.opened_document, 4, 30)
    assert book.current.gold[0].doc == "guide"


def test_many_questions_are_placed_beside_the_window(book, qtbot):
    book.replace_all(SETS[0])
    assert book.placed() == [None] * 5 or all(book.placed())
    statuses = [each.placements[0].status for each in place(book, qtbot)]
    assert statuses == ["exact"] * 5


def test_gold_that_moved_can_be_placed_where_it_was_found(book, qtbot):
    quote = answer(FIRST[1], 41)
    start = TEXTS["one.txt"].index(quote)
    gold = GoldSpan("one.txt", 3, 3 + len(quote), quote)
    book.replace_all(QuerySet("s", (Query("q", "Who?", (gold,)),)))
    (placed,) = place(book, qtbot)
    assert placed.placements[0].status == "moved"
    book.place(0, 0, book.opened_document, start, start + len(quote))
    assert place(book, qtbot)[0].placements[0].status == "exact"
    assert book.current.gold[0].start == start


def test_a_workspace_keeps_what_is_not_a_file(book, qtbot):
    book.add("Who?\nWhen?")
    book.mark(book.opened_document, 4, 30)
    kept = book.kept()
    book.remove([0, 1])
    assert book.index == -1 and book.kept() is None
    book.restore(kept, 1)
    assert [query.question for query in book.queries] == ["Who?", "When?"]
    assert book.index == 1 and len(book.queries[0].gold) == 1


def test_questions_beside_documents_join_until_the_user_changes_them(book, files):
    assert book.load_beside(files["one.txt"])
    assert book.load_beside(files["two.txt"])
    assert not book.load_beside(files["one.txt"])  # its ids are there
    assert len(book.queries) == 10 and book.kept() is None
    book.choose(0)
    book.add("One of my own")
    assert book.kept() is not None
    assert not book.load_beside(files["two.txt"])


def test_parts_are_grouped_and_ungrouped(book):
    book.add("Who?")
    for start in (4, 80, 160):
        book.mark(book.opened_document, start, start + 20)
    book.group_gold(0, "parts 1", [0, 2])
    assert [span.group for span in book.current.gold] == ["parts 1", None, "parts 1"]
    book.undo_stack.undo()
    assert {span.group for span in book.current.gold} == {None}


def test_two_documents_of_one_name_are_told_apart(book):
    other = OpenDocument("d2", Path("/elsewhere/one.txt"), "one.txt")
    book._state.add_document(other)
    names = book.names()
    assert names == {"d1": "one.txt", "d2": "elsewhere/one.txt"}
    assert book.opened("elsewhere/one.txt") is other


def test_every_change_is_undone_and_done_again(book):
    """Random changes of questions, gold and tags; each state is met again on the way back."""
    chance, opened = random.Random(12_345), book.opened_document
    tags = DocumentTags(book._state, book.undo_stack)

    def state():
        return book.set, tags.kept()

    def some() -> int:
        return chance.randrange(len(book.queries))

    def change() -> None:
        start = chance.randrange(200)
        query = book.queries[some()]
        rows = range(len(query.gold))
        at = book.queries.index(query)
        chance.choice(
            (
                lambda: book.add(f"What about {start}?\nAnd what else?"),
                lambda: book.mark(opened, start, start + 20, grade=chance.choice((1, 2))),
                lambda: book.edit(at, replace(query, question=f"Which {start}?")),
                lambda: book.set_grade(at, rows[-1], 1) if rows else None,
                lambda: book.remove_gold(at, rows[:1]),
                lambda: book.place(at, rows[0], opened, start, start + 9) if rows else None,
                lambda: book.group_gold(at, f"parts {start}"),
                lambda: book.set_unanswerable(at, not query.unanswerable),
                lambda: book.remove([at]) if len(book.queries) > 1 else None,
                lambda: tags.set(opened, (f"tag {start % 3}",)),
                lambda: book.replace_all(QuerySet("other", book.queries[:1]), "import"),
            )
        )()

    book.add("Who?")
    states = {book.undo_stack.index(): state()}
    for _ in range(200):
        book.choose(some())
        change()
        states[book.undo_stack.index()] = state()
    last = book.undo_stack.index()
    assert last > 100
    for step in reversed(range(1, last)):
        book.undo_stack.undo()
        assert state() == states[step]
    for step in range(2, last + 1):
        book.undo_stack.redo()
        assert state() == states[step]


def test_undo_looks_at_the_question_that_was_removed(book):
    book.add("Who?\nWhen?\nWhere?")
    book.choose(1)
    book.remove([1])
    book.undo_stack.undo()
    assert book.current.question == "When?"
