# SPDX-License-Identifier: AGPL-3.0-or-later
"""The views of an evaluation: what they say, what they export, where a click leads."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from scipy import stats

from core.errors import SearchError
from core.search.evaluation import GoldFate, QuestionRecord, RankedChunk
from gui.panels.evaluation.correlation import pearson
from gui.panels.evaluation.downstream import spearman
from gui.panels.evaluation.export import as_csv, export
from gui.panels.evaluation.fates import mark_of
from gui.panels.evaluation.heat_grid import HeatGrid, _components, _contrast, _luminance
from gui.panels.evaluation.heat_maps import kendall_w
from gui.panels.evaluation.leaderboard import ordered, verdict
from gui.panels.evaluation.panel import VIEWS
from gui.panels.evaluation.ranks import connected, rank_of_answer
from gui.panels.evaluation.sensitivity import ranges_of
from gui.panels.evaluation.shown import Shown, parts_of, short_names
from gui.theme import DARK, LIGHT
from tests.gui.evaluation.conftest import TEXTS

TITLES = [view.title for view in VIEWS]


def shown_of(evaluation, measure: str = "recall") -> Shown:
    return Shown(evaluation, *parts_of(evaluation)[0], measure)


@pytest.mark.parametrize("title", [title for title in TITLES if title != "Published numbers"])
def test_a_view_says_what_is_missing_before_the_first_run(panel, title):
    panel.show_view(title)
    assert not panel.views[title].has_content
    with pytest.raises(SearchError, match="Run an evaluation to see this"):
        export(panel.views[title], Path("view.png"))


def test_published_numbers_stand_by_themselves(panel, qtbot):
    panel.show_view("Published numbers")
    view = panel.views["Published numbers"]
    assert view.has_content
    view.which.setCurrentText("Clinical study: retrieval")
    row = next(row for row in view.table().rows if row[0] == "adaptive")
    assert row[1:5] == ["0.50", "0.31–0.68", "0.88", "0.69–1.00"]
    assert "30 questions" in view.note.text() and "From other data" in view.note.text()


def test_the_best_of_one_half_is_reported_on_the_other(panel, evaluation_of_many):
    panel.put(evaluation_of_many)
    panel.show_view("Choose on half")
    view = panel.views["Choose on half"]
    rows = view.table().rows
    (chosen,) = [row for row in rows if row[1]]
    assert chosen[2] == max(row[2] for row in rows)
    assert all(row[6] == 10 for row in rows)
    assert "took no part in the choice" in view.sentence.text()


def test_measures_are_shown_with_and_without_duplicates(panel, evaluation, evaluation_of_many):
    panel.put(evaluation)
    panel.show_view("Effect of duplicates")
    view = panel.views["Effect of duplicates"]
    assert "ignore duplicates" in view._message.text()
    panel.put(evaluation_of_many)
    assert len(view.table().rows) == 4
    for name, before, without, difference, *_ in view.table().rows:
        assert before + difference == pytest.approx(without)
        assert name in view.shown.names


def test_halves_of_few_questions_are_refused_with_the_reason(panel, evaluation):
    panel.put(evaluation)
    panel.show_view("Choose on half")
    assert "20 questions" in panel.views["Choose on half"]._message.text()


@pytest.mark.parametrize("title", TITLES)
def test_every_view_exports_a_picture_a_drawing_and_its_data(
    panel, evaluation_of_many, title, tmp_path, qapp
):
    panel.put(evaluation_of_many)
    panel.show_view(title)
    qapp.processEvents()
    view = panel.views[title]
    assert view.has_content
    for ending in ("png", "svg", "csv"):
        export(view, tmp_path / f"view.{ending}")
    picture = QImage(str(tmp_path / "view.png"))
    assert picture.width() > 300 and len(_colours(picture)) > 3
    drawing = (tmp_path / "view.svg").read_text("utf-8")
    assert drawing.count("<path") + drawing.count("<text") > 3
    rows = list(csv.reader(io.StringIO((tmp_path / "view.csv").read_text("utf-8"))))
    assert len(rows) > 1 and all(len(row) == len(rows[0]) for row in rows)


def _colours(picture: QImage) -> set[int]:
    return {
        picture.pixel(x, y)
        for x in range(0, picture.width(), 3)
        for y in range(0, picture.height(), 3)
    }


def test_a_view_without_content_says_at_export_what_it_needs(panel, evaluation, tmp_path):
    panel.put(evaluation)
    panel.show_view("Effect of duplicates")
    with pytest.raises(SearchError, match="Tick “ignore duplicates”"):
        export(panel.views["Effect of duplicates"], tmp_path / "view.png")


def test_an_unknown_ending_is_refused(panel, evaluation, tmp_path):
    panel.put(evaluation)
    with pytest.raises(SearchError, match=r"\.png, \.svg or \.csv"):
        export(panel.views["Leaderboard"], tmp_path / "view.pdf")


def test_a_failed_run_is_told_in_the_view_and_keeps_what_was_there(panel, evaluation):
    panel.begin()
    panel.fail("no model")
    assert "no model" in panel.views["Leaderboard"]._message.text()
    assert "no model" in panel.note.text()
    panel.put(evaluation)
    panel.begin()
    panel.fail("no model")
    assert panel.views["Leaderboard"].has_content


def test_a_run_offers_cancel_and_shows_its_progress(panel):
    panel.begin()
    assert panel.setup.cancel.isVisible() and not panel.setup.run.isVisible()
    panel.step(2, 5, "RC")
    assert panel.bar.isVisible() and panel.bar.value() == 2
    assert "2 of 5" in panel.note.text()
    panel.end()
    assert panel.setup.run.isVisible() and not panel.bar.isVisible()


def test_another_theme_redraws_the_view(panel, evaluation):
    panel.put(evaluation)
    before = panel.views["Box plots"].theme
    panel.show_view("Box plots")
    panel.set_theme(DARK)
    assert before is not panel.views["Box plots"].theme
    image = panel.views["Box plots"].content.grab().toImage()
    assert image.pixelColor(5, image.height() // 2).lightness() < 90


def test_axes_show_the_numbers_themselves_after_a_change_of_theme(panel, evaluation):
    panel.put(evaluation)
    panel.show_view("Leaderboard")
    panel.set_theme(DARK)
    axis = panel.views["Leaderboard"]._plot.getAxis("bottom")
    assert axis.autoSIPrefixScale == 1.0


def test_short_names_hold_only_what_differs(evaluation):
    labels = set(short_names(evaluation.results).values())
    assert labels == {"FC size 30", "FC size 60", "FC size 120", "RC"}


def test_the_leaderboard_is_in_the_order_of_the_measure(evaluation):
    shown = shown_of(evaluation, "recall")
    means = [result.measures["recall"].mean for _, result in ordered(shown)]
    assert means == sorted(means, reverse=True)
    words = verdict(shown)
    assert "10 questions" in words and ("tied" in words or "finds more" in words)
    assert re.search(r"p [<0-9. ]+ adjusted for 6 comparisons", words)


def test_the_matrix_shows_each_passage_and_a_click_goes_there(panel, evaluation, qtbot):
    panel.put(evaluation)
    panel.show_view("Gold matrix")
    matrix = panel.views["Gold matrix"]
    assert len(matrix.model.rows) == 10
    index = matrix.model.index(4, 0)  # below the four summaries
    place = matrix.grid.visualRect(index).center()
    with qtbot.waitSignal(panel.passage_asked) as asked:
        qtbot.mouseClick(matrix.grid.viewport(), Qt.MouseButton.LeftButton, pos=place)
    name, start, end = asked.args
    assert "visitors on the longest day" in TEXTS[name][start:end]


def test_a_filter_of_the_matrix_leaves_only_its_passages(panel, evaluation):
    panel.put(evaluation)
    panel.show_view("Gold matrix")
    matrix = panel.views["Gold matrix"]
    matrix.filter.setCurrentText("Missed by some, not by all")
    assert all(0 < row.missed < len(row.marks) for row in matrix.model.rows)
    matrix.filter.setCurrentText("Lost")
    assert not matrix.model.rows


def test_why_leads_from_the_matrix_to_the_reason(panel, evaluation):
    panel.put(evaluation)
    panel.show_view("Gold matrix")
    matrix, reason = panel.views["Gold matrix"], panel.views["Why not found"]
    row, column = next(
        (r, c)
        for r, each in enumerate(matrix.model.rows)
        for c, mark in enumerate(each.marks)
        if mark.text.startswith(("✕", "◔", "◐"))
    )
    matrix.grid.setCurrentIndex(matrix.model.index(row + 4, column))
    matrix._on_why()
    assert panel.stack.currentWidget() is reason
    assert "Cut into" in reason.reasons.text()
    assert reason.ahead.rowCount() == 10


@pytest.mark.parametrize(
    ("fate", "seen", "rank", "tops", "text"),
    [
        ("fine", 1.0, 2, [(50, 60), (0, 20)], "● 2"),
        ("not retrieved", 1.0, 7, [(50, 60)], "○ >3"),
        ("fine", 0.4, 1, [(0, 20)], "▽ 1"),
        ("split", 0.5, None, [(0, 10), (50, 60), (10, 30)], "◐ 1+3"),
        ("split", 0.5, None, [(0, 10), (50, 60)], "◔ 1+–"),
        ("split", 0.5, None, [(50, 60)], "✕ –"),
        ("lost", 0.0, None, [(50, 60)], "? –"),
    ],
)
def test_a_mark_says_what_became_of_a_passage(fate, seen, rank, tops, text):
    gold = GoldFate("a", 2, 18, 2, fate, 1.0 if fate != "split" else 0.5, 2, 0.0, seen, rank)
    top = [RankedChunk("a", k, start, end, 0.5, 0) for k, (start, end) in enumerate(tops)]
    question = QuestionRecord("q", "s", "a", [], {}, top, [gold])
    assert mark_of(gold, question, 3).text == text


def test_a_passage_that_only_an_overlap_keeps_whole_has_a_mark_of_its_own():
    gold = GoldFate("a", 2, 18, 2, "fine", 1.0, 1, 0.0, 1.0, 2, by_overlap=True)
    top = [RankedChunk("a", k, start, end, 0.5, 0) for k, (start, end) in enumerate([(0, 1)] * 3)]
    question = QuestionRecord("q", "s", "a", [], {}, top, [gold])
    mark = mark_of(gold, question, 3)
    assert (mark.text, mark.is_missed) == ("◍ 2", False)
    assert "overlap" in mark.words


def test_lines_connect_the_same_passage_in_two_lists():
    def chunk(start: int, end: int, gain: int = 0) -> RankedChunk:
        return RankedChunk("a", 0, start, end, 0.5, gain)

    lines = connected([chunk(0, 100, 2), chunk(200, 300)], [chunk(400, 500), chunk(40, 90)])
    assert [(a, b, gold) for a, b, gold, _ in lines] == [
        (1, 2, True),
        (2, None, False),
        (None, 1, False),
    ]


def test_the_table_of_ranks_begins_with_the_greatest_change(panel, evaluation):
    panel.put(evaluation)
    panel.show_view("Ranks of A and B")
    view = panel.views["Ranks of A and B"]
    view.b.setCurrentIndex(3)
    rows = view.table().rows
    assert len(rows) == 10
    first = view._pairs()[0]
    assert first[0].id == first[1].id
    view.grid.setCurrentCell(1, 0)  # one question: its chunks
    assert view._plot.plotItem.items
    assert rank_of_answer(first[0]) == rows[0][1]


def test_the_range_of_a_parameter_is_found(evaluation):
    (found,) = ranges_of(shown_of(evaluation))
    assert (found.code, found.parameter, found.values) == ("FC", "size", (30.0, 60.0, 120.0))


def test_parts_are_offered_where_pools_are_apart(panel, evaluation_by_document):
    panel.put(evaluation_by_document)
    assert [panel.part.itemText(k) for k in range(panel.part.count())] == [
        "toy · one.txt",
        "toy · two.txt",
    ]
    panel.show_view("Heat maps")
    view = panel.views["Heat maps"]
    assert list(view.table().header) == ["strategy", "one.txt", "two.txt"]


def test_concordance_is_one_for_equal_orders_and_none_for_opposite_ones():
    column = np.array([0.1, 0.5, 0.3, 0.9])
    assert kendall_w(np.column_stack([column, column**2])) == pytest.approx(1.0)
    assert kendall_w(np.column_stack([column, -column])) == pytest.approx(0.0)
    assert np.isnan(kendall_w(column[:, None]))


def test_concordance_agrees_with_friedman():
    values = np.random.default_rng(3).random((6, 4))
    chi = stats.friedmanchisquare(*values).statistic  # W = χ² / (m (n − 1))
    assert kendall_w(values) == pytest.approx(chi / (4 * 5))


def test_correlations_agree_with_scipy():
    points = np.random.default_rng(5).random((30, 3))
    assert pearson(points)[0, 1] == pytest.approx(stats.pearsonr(points[:, 0], points[:, 1])[0])
    rho = stats.spearmanr(points[:, 0], points[:, 2]).statistic
    assert spearman(points[:, 0], points[:, 2]) == pytest.approx(rho)


def test_a_missing_number_is_an_empty_field():
    from gui.panels.evaluation.view import Table

    assert as_csv(Table(("a", "b"), [(1.5, None), ("x,y", 2)])) == 'a,b\n1.5,\n"x,y",2\n'


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_in_cells_of_every_colour_are_legible(qtbot, theme):
    grid = HeatGrid(theme)
    qtbot.addWidget(grid)
    values = np.linspace(0, 1, 30)[None, :]
    grid.show_values(values, ["row"], [f"column {k}" for k in range(30)], theme)
    items = grid.plotItem.items
    image = next(each for each in items if isinstance(each, pg.ImageItem)).image
    inks = [each.color for each in items if isinstance(each, pg.TextItem)]
    ratios = [
        _contrast(_luminance(_components(ink)), _luminance(image[0, k]))
        for k, ink in enumerate(inks)
    ]
    assert len(ratios) == 30 and min(ratios) > 3


def test_names_of_narrow_columns_end_with_dots(qtbot):
    grid = HeatGrid(LIGHT)
    qtbot.addWidget(grid)
    grid.resize(400, 200)
    grid.show()
    names = ["emergency", "exception", "footnote", "laboratory", "neuraxial"] * 3
    grid.show_values(np.zeros((2, 15)), ["one", "two"], names, LIGHT)
    written = [words for _, words in grid.getAxis("bottom")._tickLevels[0]]
    assert all(words.endswith("…") or not words for words in written)
    grid.resize(2400, 200)
    written = [words for _, words in grid.getAxis("bottom")._tickLevels[0]]
    assert written == names


def test_near_duplicates_are_told_as_the_pairs_that_they_are(panel, evaluation):
    """There can be more pairs than chunks, so that pairs are no share of chunks."""
    result, *others = evaluation.results
    record = msgspec.structs.replace(result.record, chunks=10, duplicates={"near_duplicates": 30})
    panel.put(replace(evaluation, results=(replace(result, record=record), *others)))
    assert "30 pairs among 10 indexed chunks" in panel._duplicate_words.text()


def test_an_option_that_one_strategy_alone_has_is_in_its_name(evaluation):
    first = evaluation.results[0]
    settings = {**first.record.parameters, "name": "other", "reg": True}
    other = replace(first, record=msgspec.structs.replace(first.record, parameters=settings))
    names = set(short_names([first, other]).values())
    assert names == {first.record.strategy, f"{first.record.strategy} reg True"}
