# SPDX-License-Identifier: AGPL-3.0-or-later
"""Counting chunks over the whole range of a parameter."""

import threading

import pytest

from core.strategies.recipe import parse_recipe
from gui.controllers.ghosting import Curve, Ghosting, asks_model, counted_parameters
from gui.scale import Scale, coarse_to_fine
from tests.gui.lab import Lab


@pytest.fixture
def ghosting(lab: Lab) -> Ghosting:
    return Ghosting(lab.state, lab.jobs, lab.pipeline, lab.parent)


def wait_for(lab: Lab, ghosting: Ghosting, name: str) -> Curve:
    lab.wait(lambda: (curve := ghosting.curve(name)) is not None and curve.is_done)
    curve = ghosting.curve(name)
    assert curve is not None
    return curve


def test_every_count_is_that_of_the_strategy_at_the_value(lab: Lab, ghosting: Ghosting) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    curve = wait_for(lab, ghosting, "sentences")
    assert set(curve.values) <= curve.counts.keys()
    for value, count in curve.known()[:: max(1, len(curve.values) // 7)]:
        recipe = parse_recipe(f"SGC:sentences={value:g},overlap=0")
        assert len(lab.pipeline.chunk(recipe, lab.opened.document)) == count


def test_inside_a_plateau_nothing_changes(lab: Lab, ghosting: Ghosting) -> None:
    lab.show("SGC:sentences=4,overlap=0")
    curve = wait_for(lab, ghosting, "sentences")
    low, high = curve.plateau(curve.values[-1])
    keys = {
        lab.pipeline.chunk(
            parse_recipe(f"SGC:sentences={value:g},overlap=0"), lab.opened.document
        ).key
        for value in (low, (low + high) // 2, high)
    }
    assert low < high
    assert len(keys) == 1


def test_the_curve_grows_from_coarse_to_fine_and_is_told_while_it_grows(
    lab: Lab, ghosting: Ghosting
) -> None:
    sizes: list[int] = []

    def note(slot: int, name: str, curve: Curve) -> None:
        del slot
        if name == "size":
            sizes.append(len(curve.counts))

    ghosting.counted.connect(note)
    lab.show("FC:size=50,overlap=0")
    wait_for(lab, ghosting, "size")
    assert sizes == sorted(sizes)
    assert coarse_to_fine(5) == [0, 4, 2, 1, 3]
    assert sorted(coarse_to_fine(130)) == list(range(130))


def test_a_drag_keeps_its_own_curve_and_drops_the_others(lab: Lab, ghosting: Ghosting) -> None:
    slot = lab.show("RC:size=400,overlap=20")[0]
    before = wait_for(lab, ghosting, "size")
    other = wait_for(lab, ghosting, "overlap")
    lab.state.set_recipe(slot, parse_recipe("RC:size=300,overlap=20"))
    assert ghosting.curve("size") is before
    assert ghosting.curve("overlap") is not other


def test_a_change_stops_the_count_that_runs(lab: Lab, ghosting: Ghosting) -> None:
    slot = lab.show("FC:size=50,overlap=0")[0]
    wait_for(lab, ghosting, "size")
    release = threading.Event()
    lab.jobs.request("stop", "python", lambda token: release.wait(60), lambda _: None)
    try:
        ghosting.set_with_shared(True)  # a count that stands in the lane until it is released
        lab.wait(lambda: lab.jobs.is_busy("ghosts"))
        lab.state.set_recipe(slot, parse_recipe("FC:size=60,overlap=0"))
        assert not lab.jobs.is_busy("ghosts")
    finally:
        release.set()


def test_trying_slow_values_keeps_what_is_prepared(lab: Lab, ghosting: Ghosting) -> None:
    lab.show("K2")
    recipe = lab.state.slots[0].recipe
    slow = [p.name for p in counted_parameters(recipe) if p.slow]
    assert slow, "K2 has numbers that prepare anew"
    wait_for(lab, ghosting, slow[-1])
    assert lab.pipeline.is_prepared(recipe, lab.opened.document)


def test_all_steps_of_a_short_range_are_tried() -> None:
    parameter = parse_recipe("STM").strategy.declaration.parameters[0]
    scale = Scale(parse_recipe("IMPORT").strategy.declaration.parameter("confidence"), 0.0, 1.0)
    values, is_exact = scale.samples()
    assert is_exact
    assert values[:3] == [0.0, 0.01, 0.02]
    assert values[-1] == 1.0
    assert not Scale(parameter, 1, 100_000).samples()[1]


def test_changes_between_samples_are_found_exactly(lab: Lab, ghosting: Ghosting) -> None:
    lab.show("FCC:size=100,overlap=0")
    curve = wait_for(lab, ghosting, "size")
    length = len(lab.opened.document.text)
    assert not curve.is_exact
    assert length in curve.exact_changes()
    assert length not in curve.values  # the last change: from here on there is one chunk
    assert dict(curve.known())[length] == 1


def test_halving_finds_a_change_between_two_samples() -> None:
    curve = Curve([0.0, 64.0, 128.0], is_exact=False)
    while wanted := curve.wanted():
        curve.add({value: (int(value >= 37), str(value >= 37)) for value in wanted}, 0.0)
    assert curve.exact_changes() == {37.0}
    assert curve.plateau(100) == (37.0, 128.0)
    assert len(curve.counts) <= 3 + 6


def test_the_first_and_the_last_of_several_changes_are_found() -> None:
    curve = Curve([0.0, 100.0], is_exact=False)
    while wanted := curve.wanted():
        curve.add(
            {value: (0, str((value >= 10) + (value >= 50) + (value >= 90))) for value in wanted},
            0.0,
        )
    assert {10.0, 90.0} <= curve.exact_changes()


def test_every_number_has_a_strip_and_one_that_needs_other_vectors_is_estimated() -> None:
    recipe = parse_recipe("SEBC")
    counted = {parameter.name: parameter for parameter in counted_parameters(recipe)}

    assert {"buffer", "amount", "min_chars"} <= counted.keys()
    assert asks_model(recipe, counted["buffer"])
    assert not asks_model(recipe, counted["amount"])


def test_shared_options_are_counted_while_they_are_seen(lab: Lab, ghosting: Ghosting) -> None:
    lab.show("PBC")
    lab.wait(lambda: not lab.jobs.is_busy("ghosts"))
    assert ghosting.curve("cap.max") is None
    ghosting.set_with_shared(True)
    curve = wait_for(lab, ghosting, "cap.max")
    counts = dict(curve.known())
    assert counts[curve.values[0]] == 8  # 0: no limit
    assert counts[curve.values[1]] > 8
