# SPDX-License-Identifier: AGPL-3.0-or-later
"""The gold passages of one question; doubtful ones of all questions come first."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QWidget

from core.search.gold import PlacedQuery, Placement
from core.search.query_sets import GoldSpan
from gui.theme import Theme

DOUBTFUL = ("fuzzy", "ambiguous", "lost")
QUOTE = 140
_PLACE = Qt.ItemDataRole.UserRole  # question, row of its gold


class GoldList(QListWidget):
    """One line a passage."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Gold passages")
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)
        self.setSpacing(2)

    def show_placed(self, every: Sequence[PlacedQuery | None], chosen: int, theme: Theme) -> None:
        """List the gold of the chosen question behind what is doubtful in the others.

        What is selected stays selected.
        """
        selected = self.chosen_gold()
        self.clear()
        for index, placed in enumerate(every):
            if placed is not None and index != chosen and doubtful_count(placed):
                self._list(index, placed, theme, only_doubtful=True)
        placed = every[chosen] if 0 <= chosen < len(every) else None
        if placed is not None:
            self._list(chosen, placed, theme, only_doubtful=False)
        for item in (self.item(line) for line in range(self.count())):
            item.setSelected(place_of(item) in selected)

    def chosen_gold(self) -> list[tuple[int, int]]:
        """Question and row of the gold that is selected."""
        return [place_of(item) for item in self.selectedItems()]

    def _list(self, index: int, placed: PlacedQuery, theme: Theme, *, only_doubtful: bool) -> None:
        rows = list(zip(range(len(placed.placements)), placed.placements, strict=True))
        for row, place in sorted(rows, key=lambda each: not is_doubtful(each[1])):
            if only_doubtful and not is_doubtful(place):
                continue
            gold = placed.query.gold[row]
            item = QListWidgetItem(_words(placed, gold, place))
            item.setToolTip(f"{placed.query.question}\n\n{gold.text}")
            item.setData(_PLACE, (index, row))
            if is_doubtful(place):
                item.setForeground(QColor(theme.warn))
            self.addItem(item)


def place_of(item: QListWidgetItem) -> tuple[int, int]:
    """Question and row of the gold of a line."""
    index, row = item.data(_PLACE)
    return int(index), int(row)


def is_doubtful(place: Placement) -> bool:
    """True for gold that was found by likeness only, at several places, or not at all."""
    return place.status in DOUBTFUL


def doubtful_count(placed: PlacedQuery | None) -> int:
    """How many gold passages of a question are doubtful."""
    return 0 if placed is None else sum(is_doubtful(place) for place in placed.placements)


def _words(placed: PlacedQuery, gold: GoldSpan, place: Placement) -> str:
    quote = " ".join(gold.text.split())[:QUOTE]
    part = f" [{gold.group}]" if gold.group else ""
    near = "~ " if place.status == "fuzzy" else ""
    state = "" if place.status == "exact" else f" {place.status}"
    mark = "▲ " if is_doubtful(place) else ""
    return f"{mark}{placed.query.id} ★{gold.grade}{part}{state}: {near}{quote}"
