# SPDX-License-Identifier: AGPL-3.0-or-later
"""What helps to choose and judge strategies, put together: ghosts, facts, blame, comparisons.

Kept apart from the workbench, which opens documents and shows pages without any of it.
"""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gui.controllers.ghosting import Ghosting
from gui.panels.picker import Facts
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
        bench.bottom.scores.settings.options_changed.connect(bench.scoring.set_options)
        state.heat_changed.connect(self._repaint_heat)
        state.scores_changed.connect(self._repaint_heat)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""

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
                mean = result.scores.mean if result.scores is not None else None
                is_final = result.scores is not None and result.scores.is_final
                words = "" if mean is None else f"{'' if is_final else '≈ '}{mean:.3f}"
                same = tuple(
                    other.recipe.code
                    for other in state.slots
                    if other is not slot
                    and _key(current.result(other.id).chunks) == result.chunks.key
                )
                return Facts(glyph, len(result.chunks), words, same)
        return Facts(glyph)


def _key(chunks: object) -> str:
    return getattr(chunks, "key", "")
