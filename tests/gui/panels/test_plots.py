# SPDX-License-Identifier: AGPL-3.0-or-later
"""The plots of sizes and values, in step with the chosen strategy."""

from collections.abc import Iterator

import pytest

from gui.panels.plots import Plots, SizePlot, ValuePlot
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def plots(lab: Lab) -> Iterator[Plots]:
    made = Plots(lab.state, SizePlot(LIGHT), ValuePlot(LIGHT))
    lab.qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    yield made
    for plot in (made.sizes, made.values):
        plot.plotItem.close()  # else the menu that it made stays


def points_of(plot: ValuePlot) -> int:
    xs = plot._points.getData()[0]
    return 0 if xs is None else len(xs)


def test_values_of_another_strategy_go_while_the_chosen_one_waits(lab: Lab, plots: Plots) -> None:
    slot = lab.show("SGC:sentences=2,overlap=0")[0]
    lab.wait(lambda: points_of(plots.values) > 0 and len(plots.sizes._edges) > 0)
    lab.opened.result(slot).chunks = None  # as when its model is still being loaded
    lab.state.chunks_changed.emit("d", slot)
    lab.wait(lambda: not points_of(plots.values) and not len(plots.sizes._edges))
    assert not plots.values._line.isVisible()


def test_the_first_chunk_has_no_value(lab: Lab, plots: Plots) -> None:
    slot = lab.show("RC:size=400,overlap=0")[0]
    lab.wait(lambda: points_of(plots.values) > 0)
    xs, ys = plots.values._points.getData()
    assert 1 not in xs.tolist()
    assert len(xs) == len(lab.opened.result(slot).chunks) - 1
    assert min(ys) > 0
