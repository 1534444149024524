# SPDX-License-Identifier: AGPL-3.0-or-later
"""The tab that compares, from its button to the pages."""

from collections.abc import Iterator

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import Qt

from gui.controllers.comparing import Comparing
from gui.panels.compare_panel import ABLATIONS, REG, SWEEP, VISIBLE, ComparePanel
from gui.panels.compare_plots import (
    AXES,
    pareto_front,
)
from gui.panels.compare_table import COLUMNS, MEAN, NAME, Fact
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def panel(lab: Lab) -> Iterator[ComparePanel]:
    comparing = Comparing(lab.state, lab.jobs, lab.pipeline, lab.scoring, lab.parent)
    made = ComparePanel(lab.state, comparing, LIGHT)
    lab.qtbot.addWidget(made)
    made.resize(1000, 260)
    made.show()
    yield made
    for plot in made.findChildren(pg.PlotWidget):
        plot.plotItem.close()  # else the menu that it made stays


def compare(lab: Lab, panel: ComparePanel, scope: str) -> None:
    panel.scope.setCurrentText(scope)
    with lab.qtbot.waitSignal(panel._comparing.finished, timeout=60_000):
        lab.qtbot.mouseClick(panel.run, Qt.MouseButton.LeftButton)


def cells(panel: ComparePanel, title: str) -> list[str]:
    column = [each.title for each in COLUMNS].index(title)
    count = panel.rows.rowCount()
    return [panel.rows.data(panel.rows.index(row, column)) for row in range(count)]


def test_the_table_is_sorted_by_the_mean_and_names_the_best(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC", "FC:size=100,overlap=0", "SBC")
    compare(lab, panel, VISIBLE)
    means = [float(cell) for cell in cells(panel, "Mean")]
    assert means == sorted(means, reverse=True)
    assert cells(panel, "Strategy")[0] in panel.says.text()
    assert cells(panel, "Rank") == ["1", "2", "3"]


def test_a_hint_stands_where_nothing_was_compared(lab: Lab, panel: ComparePanel) -> None:
    assert panel.hint.isVisible()
    assert "No comparison yet" in panel.hint.text()
    assert not panel.table.isVisible()
    lab.show("PBC", "SBC")
    compare(lab, panel, VISIBLE)
    assert not panel.hint.isVisible()
    assert panel.table.isVisible()


def test_the_verdict_is_in_sentences(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC", "FC:size=100,overlap=0", "SBC")
    compare(lab, panel, VISIBLE)
    sentences = panel.says.text().split(". ")
    assert " with a mean of " in sentences[0]
    assert any(each.startswith("Next: ") for each in sentences)
    assert "common:" not in panel.says.text()


def test_each_title_has_room_beside_the_arrow_of_its_sorting(lab: Lab, panel: ComparePanel) -> None:
    del lab
    header = panel.table.horizontalHeader()
    for column in range(header.count() - 1):  # the last one takes what is left
        assert header.sectionSize(column) >= header.sectionSizeHint(column)


def test_any_column_sorts_and_the_unknown_stays_below(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC", "RGX:pattern=x", "SBC")
    compare(lab, panel, VISIBLE)
    chunks = [each.title for each in COLUMNS].index("Chunks")
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        panel.table.sortByColumn(chunks, order)
        numbers = [int(cell.replace(",", "")) for cell in cells(panel, "Chunks") if cell]
        assert numbers == sorted(numbers, reverse=order == Qt.SortOrder.DescendingOrder)
    icc = [each.title for each in COLUMNS].index("ICC")
    panel.table.sortByColumn(icc, Qt.SortOrder.DescendingOrder)
    assert set(cells(panel, "ICC")) == {"—"}


def test_double_click_asks_for_the_chunking(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC", "SBC")
    compare(lab, panel, VISIBLE)
    box = panel.table.visualRect(panel.rows.index(0, 1))
    with lab.qtbot.waitSignal(panel.recipe_asked) as asked:
        lab.qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
        lab.qtbot.mouseDClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert asked.args[0].code in ("PBC", "SBC")


def test_a_sweep_of_one_parameter_draws_a_curve(lab: Lab, panel: ComparePanel) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    panel.scope.setCurrentText(SWEEP)
    panel.first.setCurrentText("sentences")
    panel.steps.setValue(5)
    compare(lab, panel, SWEEP)
    x, y = panel.plots.plot("Sweep")._curves[-1].getData()
    assert list(x) == sorted(x)
    assert len(x) == panel.model.rowCount() == 5
    assert not np.isnan(y).any()


def test_names_of_curves_stand_at_their_ends(lab: Lab, panel: ComparePanel) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    panel.resize(900, 600)
    panel.first.setCurrentText("sentences")
    panel.steps.setValue(5)
    compare(lab, panel, SWEEP)
    sweep = panel.plots.plot("Sweep")
    sweep.show_swept(sweep_facts(panel), ("sentences",))
    names = ("BI", "SC", "Mean")
    places = [AXES.index(each) for each in names]
    ends = [sweep._curves[place].getData()[1][-1] for place in places]
    gaps = [abs(sweep._labels[p].pos().y() - end) for p, end in zip(places, ends, strict=True)]
    height = sweep.plotItem.vb.viewRect().height()
    assert max(gaps) < 0.2 * height


def sweep_facts(panel: ComparePanel) -> list[Fact]:
    return [panel.model.fact(row) for row in range(panel.model.rowCount())]


def test_a_sweep_of_two_parameters_draws_a_heat_map(lab: Lab, panel: ComparePanel) -> None:
    lab.show("FC:size=100,overlap=0")
    panel.scope.setCurrentText(SWEEP)
    panel.first.setCurrentText("size")
    panel.second.setCurrentText("overlap")
    panel.steps.setValue(4)
    compare(lab, panel, SWEEP)
    image = panel.plots.plot("Sweep")._image.image
    assert image.shape == (4, 4)
    assert np.isfinite(image).sum() == panel.model.rowCount()
    title = panel.plots.plot("Sweep").plotItem.titleLabel
    means = [panel.model.fact(row).mean for row in range(panel.model.rowCount())]
    assert f"mean {min(means):.3f}" in title.text
    assert f"{max(means):.3f}" in title.text
    panel.second.setCurrentText("no second")
    compare(lab, panel, SWEEP)
    assert not title.isVisible()


def test_the_plot_in_front_is_one_that_shows_something(lab: Lab, panel: ComparePanel) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    panel.first.setCurrentText("sentences")
    panel.steps.setValue(3)
    compare(lab, panel, SWEEP)
    assert panel.plots.front == "Sweep"
    compare(lab, panel, VISIBLE)
    assert panel.plots.front == "Scatter"


def test_ablations_take_one_thing_away(lab: Lab, panel: ComparePanel) -> None:
    lab.show("FC:size=100,overlap=20")
    compare(lab, panel, ABLATIONS)
    assert "FC without overlap" in cells(panel, "Strategy")
    assert "FC with REG" in cells(panel, "Strategy")


def test_what_tells_long_names_apart_is_not_cut_off(panel: ComparePanel) -> None:
    name = "RC · CB Table 1, in tokens as its legend says and the code does not + REG"
    width = panel.table.columnWidth(NAME)
    shown = panel.table.fontMetrics().elidedText(name, panel.table.textElideMode(), width)
    assert shown.startswith("RC · ")
    assert shown.endswith("+ REG")


def test_the_gain_of_reg_stands_beside_each(lab: Lab, panel: ComparePanel) -> None:
    panel.scope.setCurrentText(REG)
    names = [each.name for each in panel.variants()]
    assert len(names) == len(set(names))
    assert {f"{name} + REG" for name in names if not name.endswith(" + REG")} <= set(names)


def test_a_click_in_the_scatter_marks_the_row(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC", "FC:size=100,overlap=0", "SBC")
    compare(lab, panel, VISIBLE)
    panel.plots.plot("Scatter").across.setCurrentText("BI")
    panel.plots.plot("Scatter").up.setCurrentText("SC")
    panel.plots.row_asked.emit(2)
    assert panel._fact(panel.table.currentIndex()).row.candidate.name == "SBC"
    assert "PBC" in panel.plots.plot("Scatter").front


def test_the_front_holds_what_no_other_is_above_of() -> None:
    points = np.array([[0, 3], [1, 2], [1, 1], [2, 2], [3, 0], [np.nan, 9], [0, 3]], float)
    front = pareto_front(points).tolist()
    assert [points[k].tolist() for k in front] == [[0, 3], [2, 2], [3, 0]]


def test_while_it_runs_the_button_stops_it(lab: Lab, panel: ComparePanel) -> None:
    lab.show("PBC")
    panel.start()
    assert panel.run.text() == "Stop"
    lab.qtbot.mouseClick(panel.run, Qt.MouseButton.LeftButton)
    assert panel.run.text() == "Compare"
    assert MEAN == 3


def test_several_documents_stand_side_by_side(lab: Lab, panel: ComparePanel) -> None:
    from dataclasses import replace
    from pathlib import Path

    from gui.state import OpenDocument

    shorter = replace(lab.opened.document, text=lab.opened.document.text[:2_000], blocks=())
    lab.state.add_document(
        OpenDocument("e", Path("other.txt"), "other", document=shorter), is_shown=False
    )
    lab.show("PBC", "FC:size=100,overlap=0")
    panel.all_documents.setChecked(True)
    compare(lab, panel, VISIBLE)
    table = panel.documents
    names = [table.item(row, 0).text() for row in range(table.rowCount())]
    assert names == ["text", "other", "chosen per document", "one for all", "one for all"]
    assert "Over 2 documents" in panel.says.text()
