# SPDX-License-Identifier: AGPL-3.0-or-later
"""The plots of sizes and values, in step with the chosen strategy."""

import pytest

from gui.panels.plots import Plots, SizePlot, ValuePlot
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def plots(lab: Lab) -> Plots:
    made = Plots(lab.state, SizePlot(LIGHT), ValuePlot(LIGHT))
    lab.qtbot.addWidget(made)
    made.resize(600, 200)
    made.show()
    return made


def points_of(plot: ValuePlot) -> int:
    xs = plot._points.getData()[0]
    return 0 if xs is None else len(xs)


def test_values_of_another_strategy_go_while_the_chosen_one_waits(lab: Lab, plots: Plots) -> None:
    slot = lab.show("SBC:sentences=2")[0]
    lab.wait(lambda: points_of(plots.values) > 0 and len(plots.sizes._edges) > 0)
    lab.opened.result(slot).chunks = None  # as when its model is still being loaded
    lab.state.chunks_changed.emit("d", slot)
    lab.wait(lambda: not points_of(plots.values) and not len(plots.sizes._edges))
    assert not plots.values._line.isVisible()
