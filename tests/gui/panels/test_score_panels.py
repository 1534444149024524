# SPDX-License-Identifier: AGPL-3.0-or-later
"""Weights, options, heat, and the strategies side by side."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from core.scores.mean import CODES, document_mean
from core.scores.results import Measure
from core.strategies.recipe import parse_recipe
from gui.heat import heat_colour, heat_values
from gui.panels.score_settings import OWN_WEIGHTS, ScoreSettings
from gui.panels.scores_panel import ScoresPanel
from gui.panels.stable_scores import StableScores, comparable
from gui.panels.tables import signed
from gui.theme import LIGHT
from tests.gui.lab import Lab


@pytest.fixture
def panel(lab: Lab) -> ScoresPanel:
    made = ScoresPanel(lab.state, LIGHT)
    lab.qtbot.addWidget(made)
    made.settings.options_changed.connect(lab.scoring.set_options)
    made.resize(900, 300)
    made.show()
    return made


def test_a_weight_changes_the_mean_at_once(lab: Lab, panel: ScoresPanel) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    before = lab.opened.result(slot).scores
    panel.settings.weights["SC"].changed.emit("SC", 3.0)
    after = lab.opened.result(slot).scores
    expected = document_mean(before.values, {"SC": 3.0})
    assert after.mean == pytest.approx(expected)
    assert after.measures is before.measures
    assert panel.cards["mean"].words == f"{expected:.3f}"
    assert panel.settings.presets.currentText() == OWN_WEIGHTS


def test_a_preset_of_weights_moves_the_sliders(lab: Lab) -> None:
    settings = ScoreSettings()
    lab.qtbot.addWidget(settings)
    settings.presets.textActivated.emit("Structure: RC, BI")
    assert [row.value for row in settings.weights.values()] == [1, 0, 0, 1, 0]


def test_an_option_scores_anew(lab: Lab, panel: ScoresPanel) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    before = lab.opened.result(slot).scores["SC"].value
    panel.settings.rows["sc_min"].changed.emit("sc_min", 1)
    lab.wait(lambda: lab.opened.result(slot).scores["SC"].value != before)
    assert lab.opened.result(slot).scores.options.sc_min == 1


def test_the_change_since_the_baseline_is_shown(lab: Lab, panel: ScoresPanel) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    old = lab.opened.result(slot).scores["BI"].value
    panel.pin_baseline()
    lab.state.set_recipe(slot, parse_recipe("PBC"))
    lab.wait(lambda: lab.is_scored(slot) and lab.opened.result(slot).scores["BI"].value == 1.0)
    assert panel.cards["BI"]._change == pytest.approx(1.0 - old)


@pytest.mark.parametrize(
    ("option", "value", "asked_otherwise"),
    [
        pytest.param("sc_min", 1, {"SC"}, id="limits of sizes"),
        pytest.param("bi_tolerance", 50, {"BI"}, id="tolerance of blocks"),
        pytest.param("dcc_window", 500, {"DCC"}, id="window"),
        pytest.param("mode", "reference", set(CODES), id="mode"),
    ],
)
def test_no_change_is_told_of_a_score_whose_options_changed(
    lab: Lab, option: str, value: object, asked_otherwise: set[str]
) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    old = lab.opened.result(slot).scores
    new = replace(old, options=replace(old.options, **{option: value}))
    known = comparable(old, new)
    assert known["mean"] is None
    for code in CODES:
        assert known[code] == (None if code in asked_otherwise else old[code].value)


def test_the_change_since_things_stood_still_is_shown_without_a_pin(
    lab: Lab, panel: ScoresPanel
) -> None:
    now = [0.0]
    panel._stable = StableScores(lambda: now[0])
    slot = lab.show("FC:size=100,overlap=0")[0]
    stood = lab.opened.result(slot).scores["SC"].value
    for word, later in (("FC:size=300,overlap=0", 10.0), ("PBC", 10.1)):  # two steps of one drag
        now[0] = later
        before = lab.opened.result(slot).scores
        lab.state.set_recipe(slot, parse_recipe(word))
        lab.wait(lambda before=before: lab.opened.result(slot).scores is not before)
        lab.wait(lambda: lab.is_scored(slot) and not lab.jobs.is_busy())
    change = lab.opened.result(slot).scores["SC"].value - stood
    assert change != 0
    assert panel.cards["SC"]._change == pytest.approx(change)


def test_a_change_has_a_true_minus() -> None:
    assert [signed(change, 3) for change in (-0.71, 0.06)] == ["−0.710", "+0.060"]


def test_a_row_of_the_table_chooses_its_strategy(lab: Lab, panel: ScoresPanel) -> None:
    slots = lab.show("PBC", "SBC")
    lab.wait(lambda: panel.side.rowCount() == 2)
    box = panel.side.visualItemRect(panel.side.item(1, 0))
    lab.qtbot.mouseClick(panel.side.viewport(), Qt.MouseButton.LeftButton, pos=box.center())
    assert lab.state.chosen == slots[1]
    assert panel.side.item(0, 5).text() == "1.000"


def test_scores_of_several_kinds_of_vectors_are_marked(lab: Lab, panel: ScoresPanel) -> None:
    slots = lab.show("FC:size=100,overlap=0", "SBC")
    for slot, state in zip(slots, ("exact", "pooled"), strict=True):
        scores = lab.opened.result(slot).scores
        measure = Measure("ICC", 0.5, 1, scores["ICC"].per_chunk, state=state)
        lab.opened.result(slot).scores = replace(
            scores, measures={**scores.measures, "ICC": measure}
        )
    panel.side.refresh()
    titles = [panel.side.horizontalHeaderItem(column).text() for column in range(2, 7)]
    assert titles == ["RC", "ICC ▲", "DCC", "BI", "SC"]
    assert "Compare" in panel.side.horizontalHeaderItem(3).toolTip()


def test_heat_is_stronger_where_a_chunk_lacks_more(lab: Lab, panel: ScoresPanel) -> None:
    slot = lab.show("FC:size=100,overlap=0")[0]
    assert heat_values(lab.state, lab.opened.result(slot)) is None
    panel.heat.setCurrentText("Heat: BI")
    values = heat_values(lab.state, lab.opened.result(slot))
    assert values.tolist() == lab.opened.result(slot).scores["BI"].clipped_per_chunk.tolist()
    assert heat_colour(LIGHT, 0.0).alphaF() > heat_colour(LIGHT, 1.0).alphaF()
    panel.heat.setCurrentIndex(0)
    assert lab.state.heat == ""
