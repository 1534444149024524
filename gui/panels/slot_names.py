# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the visible strategies are called: the code, and what tells one from others of its code."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics

from core.declaration import Value
from gui.panels.parameter_row import label_words
from gui.state import Slot

MISSING = object()
NAME_WIDTH = 150  # pixels of a name in a list; the middle of a longer one is left out


def slot_names(slots: Iterable[Slot]) -> dict[int, str]:
    """A name for each slot by its id, such as "STM", or "RC · size 300" beside "RC · size 500"."""
    by_code: dict[str, list[Slot]] = {}
    for slot in slots:
        by_code.setdefault(slot.recipe.code, []).append(slot)
    return {slot.id: _name(slot, alike) for alike in by_code.values() for slot in alike}


def elided(name: str, metrics: QFontMetrics) -> str:
    """A name that fits into a list; its beginning and its end tell it from others."""
    return metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, NAME_WIDTH)


def _name(slot: Slot, alike: Sequence[Slot]) -> str:
    if len(alike) == 1:
        return slot.recipe.code
    settings = slot.recipe.settings
    told = [
        _words(name, value)
        for name, value in settings.items()
        if any(other.recipe.settings.get(name, MISSING) != value for other in alike)
    ]
    return " · ".join([slot.recipe.code, *told])


def _words(name: str, value: Value) -> str:
    if name == "file":
        return Path(str(value)).name
    if isinstance(value, bool):
        return f"{label_words(name)} {'on' if value else 'off'}"
    return f"{label_words(name)} {', '.join(value) if isinstance(value, tuple) else value}"
