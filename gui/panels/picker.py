# SPDX-License-Identifier: AGPL-3.0-or-later
"""Choosing a strategy among fifty: families, classes, a filter, stars, a line of help each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.declaration import Declaration
from core.strategies.registry import Strategy, strategies
from core.strategies.waiting import WAITING
from gui import settings

CLASSES = ("all classes", "instant", "layout", "embedding", "model")
# As the publications list them; strategies of the user's come last.
FAMILIES = (
    "windows",
    "sentences",
    "paragraphs",
    "recursive",
    "semantic",
    "late",
    "hybrids",
    "clinical",
    "layout",
    "adaptive chunking",
    "pages",
    "pattern",
)
MINE = "mine"
_CODE = Qt.ItemDataRole.UserRole
_PAGE = 15
ARROWS = {
    Qt.Key.Key_Down: 1,
    Qt.Key.Key_Up: -1,
    Qt.Key.Key_PageDown: _PAGE,
    Qt.Key.Key_PageUp: -_PAGE,
}
FOOT = "* stars, Enter chooses.  Speed here: ⚡ in the same frame, ◔ under 150 ms, ◑ longer"
HINT = (
    "Speed, chunks and mean are of this document: known of what was shown, and of all once "
    "Compare scored them"
)
TIPS = (
    "",
    HINT,
    HINT,
    HINT,
    "What it needs: nothing, the layout of the pages, vectors, or a language model",
    "",
)
COLUMNS = ("Strategy", "Speed", "Chunks", "Mean", "Class", "What it does")
WIDTHS = (300, 50, 64, 64, 84)
CLASS_COLUMN = 4


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a strategy on the document shown, as published or as last shown."""

    speed: str = ""  # ⚡ ◔ ◑
    chunks: int | None = None
    mean: str = ""
    same_as: tuple[str, ...] = ()  # codes with the very same chunks here


NOTHING_KNOWN = Facts()


def nothing_known(code: str) -> Facts:
    """What is known before anything was computed."""
    del code
    return NOTHING_KNOWN


WAITING_FAMILY = "waiting for a language model"


class StrategyPicker(QDialog):
    """A list over the window; it closes when something is chosen.

    Signals:
        picked: the slot id it was opened for (−1: a new one), a strategy's code.
    """

    picked = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("strategyPicker")
        self._slot = -1
        self._facts: Callable[[str], Facts] = nothing_known
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Filter by code, name or words of the help")
        self._filter.setClearButtonEnabled(True)
        self._filter.textChanged.connect(self._refilter)
        self._filter.installEventFilter(self)
        self._class = QComboBox()
        self._class.addItems(CLASSES)
        self._class.currentTextChanged.connect(self._refilter)
        self._tree = QTreeWidget()
        self._tree.setColumnCount(len(COLUMNS))
        self._tree.setHeaderLabels(list(COLUMNS))
        for place, tip in enumerate(TIPS):
            self._tree.headerItem().setToolTip(place, tip)
        self._tree.setRootIsDecorated(True)
        self._tree.setUniformRowHeights(True)
        self._tree.itemActivated.connect(self._choose)
        self._tree.itemClicked.connect(self._on_click)
        self._foot = QLabel(f"{FOOT}.  {HINT}.")
        self._foot.setWordWrap(True)
        self._foot.setObjectName("muted")
        top = QHBoxLayout()
        top.addWidget(self._filter, 1)
        top.addWidget(self._class)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addLayout(top)
        column.addWidget(self._tree, 1)
        column.addWidget(self._foot)
        self.resize(980, 540)

    def set_facts(self, facts: Callable[[str], Facts]) -> None:
        """Use what is known of each code on the document shown."""
        self._facts = facts

    def open_for(self, slot: int) -> None:
        """Show the list, for a slot id or −1 for a new slot."""
        self._slot = slot
        self._fill()
        self._filter.clear()
        self._filter.setFocus()
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys move in the list while the filter has the focus."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in ARROWS:
                self._step(ARROWS[Qt.Key(event.key())])
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self._tree.currentItem()
                if item is not None:
                    self._choose(item)
                return True
            if event.text() == "*":
                self._star(self._tree.currentItem())
                return True
        return super().eventFilter(watched, event)

    def _fill(self) -> None:
        self._tree.clear()
        starred = _starred()
        groups: dict[str, QTreeWidgetItem] = {}
        known = strategies()
        for code in [each for each in starred if each in known]:
            self._add(groups, "starred", known[code].declaration, is_starred=True)
        for strategy in sorted(known.values(), key=_place):
            self._add(groups, _family(strategy), strategy.declaration, is_starred=False)
        for declaration in WAITING.values():
            self._add(groups, WAITING_FAMILY, declaration, is_starred=False)
        self._disable(groups[WAITING_FAMILY])
        self._tree.expandAll()
        for column, width in enumerate(WIDTHS):
            self._tree.setColumnWidth(column, width)
        self._select_first()

    @staticmethod
    def _disable(family: QTreeWidgetItem) -> None:
        """Show what cannot be chosen yet, and why, in its tooltip."""
        for place in range(family.childCount()):
            item = family.child(place)
            if item is not None:
                item.setData(0, _CODE, None)
                item.setDisabled(True)

    def _add(
        self,
        groups: dict[str, QTreeWidgetItem],
        family: str,
        declaration: Declaration,
        *,
        is_starred: bool,
    ) -> None:
        if family not in groups:
            groups[family] = QTreeWidgetItem(self._tree, [family.capitalize()])
            groups[family].setFirstColumnSpanned(True)
            groups[family].setFlags(Qt.ItemFlag.ItemIsEnabled)
        star = "★ " if is_starred or declaration.code in _starred() else ""
        facts = self._facts(declaration.code)
        item = QTreeWidgetItem(
            groups[family],
            [
                f"{star}{declaration.code} · {declaration.name}",
                facts.speed,
                "" if facts.chunks is None else f"{facts.chunks:,}",
                facts.mean,
                declaration.strategy_class,
                _first_sentence(declaration.help, facts),
            ],
        )
        for column in (2, 3):
            item.setTextAlignment(
                column, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            )
        item.setData(0, _CODE, declaration.code)
        presets = ", ".join(preset.name for preset in declaration.presets)
        same = ", ".join(declaration.same_as)
        tip = f"{declaration.help}\nSource: {declaration.source}"
        tip += f"\nPresets: {presets}" if presets else ""
        tip += f"\nAlways the same chunks as: {same}" if same else ""
        tip += f"\nHere the same chunks as: {', '.join(facts.same_as)}" if facts.same_as else ""
        for column in range(len(COLUMNS)):
            item.setToolTip(column, tip)

    def _refilter(self, _: str = "") -> None:
        words = self._filter.text().lower().split()
        wanted = self._class.currentText()
        for family, items in self._families():
            shown = 0
            for item in items:
                text = " ".join(item.text(c) for c in range(len(COLUMNS))).lower()
                fits = all(word in text for word in words)
                fits = fits and wanted in (CLASSES[0], item.text(CLASS_COLUMN))
                item.setHidden(not fits)
                shown += fits
            family.setHidden(not shown)
        self._select_first()

    def _able(self) -> list[QTreeWidgetItem]:
        """The strategies that are shown and can be chosen."""
        shown = (item for _, items in self._families() for item in items if not item.isHidden())
        return [item for item in shown if item.data(0, _CODE)]

    def _select_first(self) -> None:
        """Mark the strategy whose code was typed, else one whose code begins so, else the first."""
        typed = self._filter.text().strip().upper()
        able = self._able()
        first = min(able, key=lambda item: _distance(item.data(0, _CODE), typed), default=None)
        if first is not None:
            self._tree.setCurrentItem(first)
        else:
            self._tree.setCurrentIndex(QModelIndex())

    def _step(self, by: int) -> None:
        """Mark the next or the previous strategy; what only heads or waits is passed over."""
        able, current = self._able(), self._tree.currentItem()
        places = [place for place, item in enumerate(able) if item is current]
        if able:
            place = min(max(0, places[0] + by), len(able) - 1) if places else 0
            self._tree.setCurrentItem(able[place])
            self._tree.scrollToItem(able[place])

    def _families(self) -> Iterator[tuple[QTreeWidgetItem, list[QTreeWidgetItem]]]:
        """Each family with its strategies."""
        for place in range(self._tree.topLevelItemCount()):
            family = self._tree.topLevelItem(place)
            if family is not None:
                children = (family.child(k) for k in range(family.childCount()))
                yield family, [each for each in children if each is not None]

    def _on_click(self, item: QTreeWidgetItem, column: int) -> None:
        del column
        if item.data(0, _CODE):
            self._choose(item)

    def _choose(self, item: QTreeWidgetItem, column: int = 0) -> None:
        del column
        code = item.data(0, _CODE)
        if code:
            self.hide()
            self.picked.emit(self._slot, code)

    def _star(self, item: QTreeWidgetItem | None) -> None:
        code = item.data(0, _CODE) if item is not None else None
        if not code:
            return
        starred = _starred()
        changed = [each for each in starred if each != code]
        if code not in starred:
            changed.append(code)
        settings.write(settings.STARRED, ",".join(changed))
        self._fill()
        self._refilter()


def _distance(code: str, typed: str) -> int:
    if not typed or not code.startswith(typed):
        return 2
    return 0 if code == typed else 1


def _starred() -> list[str]:
    return [code for code in settings.read(settings.STARRED).split(",") if code]


def _family(strategy: Strategy) -> str:
    return strategy.declaration.family if strategy.origin == "built-in" else MINE


def _place(strategy: Strategy) -> int:
    family = _family(strategy)
    if family == MINE:
        return len(FAMILIES) + 1
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)


def _first_sentence(text: str, facts: Facts) -> str:
    same = f"= {', '.join(facts.same_as)} here. " if facts.same_as else ""
    return same + text.split(". ", maxsplit=1)[0]
