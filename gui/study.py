# SPDX-License-Identifier: AGPL-3.0-or-later
"""What helps to choose and judge strategies, put together: ghosts, facts, blame, comparisons.

Kept apart from the workbench, which opens documents and shows pages without any of it.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from core.scores.imported import imported_recipe
from core.scores.options import ScoreOptions
from core.strategies.recipe import Recipe
from gui.controllers.blaming import Blaming
from gui.controllers.comparing import Comparing
from gui.controllers.ghosting import Ghosting
from gui.pages.composer import References
from gui.panels.agreement_strip import AgreementStrip
from gui.panels.blame_panel import BlamePanel
from gui.panels.compare_panel import ComparePanel
from gui.panels.picker import Facts
from gui.panels.side_by_side import mean_words
from gui.panels.slot_names import slot_names
from gui.theme import Theme

if TYPE_CHECKING:
    from gui.main_window import MainWindow
    from gui.workbench import Workbench


class Study(QObject):
    """Made by the workbench when its panels are there."""

    def __init__(self, bench: "Workbench", window: "MainWindow") -> None:
        super().__init__(bench)
        self._bench = bench
        self._window = window
        state, jobs = window.state, window.jobs
        self.ghosting = Ghosting(state, jobs, bench.pipeline, self)
        bench.strategy.attach(bench.chunking, self.ghosting)
        bench.picker.set_facts(self.facts)
        bench.bottom.scores.options_changed.connect(bench.scoring.set_options)
        self.blaming = Blaming(state, jobs, bench.pipeline, self)
        self._options = bench.scoring.options
        self.comparing = Comparing(state, jobs, bench.pipeline, bench.scoring, self)

    def build(self) -> Iterator[None]:
        """Make the panels; between two steps the event loop may turn."""
        bench, window = self._bench, self._window
        state, theme = window.state, window.theme
        self.blame = BlamePanel(state, theme)
        self._connect_blame()
        yield
        self.compare = ComparePanel(state, self.comparing, theme)
        bench.bottom.add("compare", "Compare", self.compare)
        self.compare.recipe_asked.connect(self.show_recipe)
        bench.bottom.scores.options_changed.connect(self._on_options)
        yield
        self.agreement = AgreementStrip()
        window.add_strip(self.agreement)
        self._connect_own_strategies()
        state.heat_changed.connect(self._repaint_heat)
        state.scores_changed.connect(self._repaint_heat)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.blame.set_theme(theme)
        self.compare.set_theme(theme)

    def _connect_own_strategies(self) -> None:
        own, strip = self._bench.own_strategies, self.agreement
        own.asked.connect(strip.ask)
        own.failed.connect(self._say_failures)
        own.loaded.connect(self._on_own_loaded)
        strip.agreed.connect(own.agree_to)
        strip.ignored.connect(own.ignore)
        own.tell()

    def _say_failures(self, messages: list[str]) -> None:
        if messages:
            self._window.say("\n".join(messages))

    def _on_own_loaded(self, codes: object) -> None:
        """Strategies of the user's may be others under the same code: cut again."""
        state = self._window.state
        if codes and any(slot.recipe.code in tuple(codes) for slot in state.slots):  # type: ignore[arg-type]
            self._bench.chunking.make_again()

    def import_chunks(self, path: Path) -> None:
        """Show chunks of another tool on the pages."""
        self.show_recipe(imported_recipe(path))

    def show_blame(self) -> None:
        """Bring the blame to the front."""
        self._bench.bottom.show_tab("blame")

    def compare_all(self) -> None:
        """Score every preset on this document."""
        self._bench.bottom.show_tab("compare")
        if not self.comparing.is_running:
            self.compare.start()

    def show_recipe(self, recipe: object) -> None:
        """Show a chunking on the pages: as one more, or in place of A when six are shown."""
        assert isinstance(recipe, Recipe), "rows are recipes"
        state = self._window.state
        known = next((slot.id for slot in state.slots if slot.recipe == recipe), -1)
        added = known if known >= 0 else state.add_slot(recipe)
        if added >= 0:
            state.set_chosen(added)
        else:
            state.set_recipe(state.chosen, recipe)

    def _on_options(self, options: ScoreOptions) -> None:
        """Other weights only rank anew; other options score anew."""
        is_reweighted = replace(self._options, weights={}) == replace(options, weights={})
        self._options = options
        if is_reweighted:
            self.comparing.choose_again()
        else:
            for document in self.comparing.comparisons:
                self.comparing.score_again(document)

    def _connect_blame(self) -> None:
        bench, state, panel = self._bench, self._window.state, self.blame
        bench.bottom.add("blame", "Blame", panel)
        bench.bottom.scores.blame_asked.connect(self._on_blame_asked)
        panel.code_asked.connect(self.blaming.ask)
        panel.watched.connect(self.blaming.set_watched)
        panel.references_asked.connect(self._draw_references)
        self.blaming.blamed.connect(panel.show_blamed)
        self.blaming.refused.connect(panel.say)
        state.scores_changed.connect(self._on_scores)
        self._window.pages.layers_changed.connect(self._on_layers)

    def _on_blame_asked(self, code: str) -> None:
        self._bench.bottom.show_tab("blame")
        self.blame.show_code(code)

    def _draw_references(self, is_on: bool) -> None:
        pages = self._window.pages
        layers = set(pages.shown.layers) - {"references"}
        pages.set_layers(layers | {"references"} if is_on else layers)

    def _on_layers(self) -> None:
        is_on = "references" in self._window.pages.shown.layers
        self.blame.references.setChecked(is_on)
        self._show_references()

    def _on_scores(self, document: str, slot: int) -> None:
        current = self._window.state.current
        if current is not None and current.id == document and slot == self._window.state.chosen:
            self._show_references()

    def _show_references(self) -> None:
        """Give the pages the references of the chosen strategy, if they are drawn."""
        pages, state = self._window.pages, self._window.state
        current, result = state.current, state.chosen_result
        if "references" not in pages.shown.layers or current is None or current.document is None:
            return
        if result is None or result.scores is None or not len(result.scores.pairs_lost):
            lost = np.zeros(0, np.int64)
        else:
            lost = result.scores.pairs_lost
        pairs = self._bench.pipeline.inputs(current.document).pairs
        are_lost = np.zeros(len(pairs), np.bool_)
        are_lost[lost] = True
        pages.shown.references = References(pairs, are_lost)
        pages.viewport().update()

    def _repaint_heat(self, *news: object) -> None:
        if self._window.state.heat or len(news) == 1:
            self._window.pages.viewport().update()
            self._bench.left.thumbnails.viewport().update()

    def facts(self, code: str) -> Facts:
        """What is known of a strategy on the document shown."""
        state = self._window.state
        current = state.current
        if current is None:
            return Facts()
        speed = self._bench.chunking.speed(current.id, code)
        glyph = speed.glyph if speed is not None else ""
        for slot in state.slots:
            result = current.result(slot.id)
            if slot.recipe.code == code and result.chunks is not None:
                words = "" if result.scores is None else mean_words(result.scores)
                names = slot_names(state.slots)
                same = tuple(
                    names[other.id]
                    for other in state.slots
                    if other is not slot
                    and _key(current.result(other.id).chunks) == result.chunks.key
                )
                return Facts(glyph, len(result.chunks), words, same)
        return self._compared_facts(current.id, code, glyph)

    def _compared_facts(self, document: str, code: str, glyph: str) -> Facts:
        """What the last comparison says of a strategy as published."""
        comparison = self.comparing.comparisons.get(document)
        for row in [] if comparison is None else comparison.rows:
            candidate = row.candidate
            if candidate.name != code or candidate.scores is None or candidate.chunks is None:
                continue
            selection = comparison.selection if comparison is not None else None
            names = selection.standing(code).names if selection is not None else ()
            return Facts(
                glyph,
                len(candidate.chunks),
                mean_words(candidate.scores),
                tuple(name for name in names if name != code),
            )
        return Facts(glyph)


def _key(chunks: object) -> str:
    return getattr(chunks, "key", "")
