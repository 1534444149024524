# SPDX-License-Identifier: AGPL-3.0-or-later
"""A searchable list of all actions and their keys."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget


class KeySheet(QDialog):
    """Lists actions; Enter runs one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("keySheet")
        self._actions: dict[str, QAction] = {}
        self._filter = QLineEdit()
        self._filter.setPlaceholderText("Find a command")
        self._filter.textChanged.connect(self._refilter)
        self._filter.returnPressed.connect(self._run)
        self._tree = QTreeWidget()
        self._tree.setHeaderLabels(["Command", "Keys", "What it does"])
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        self._tree.itemActivated.connect(self._run)
        column = QVBoxLayout(self)
        column.addWidget(self._filter)
        column.addWidget(self._tree)
        self.resize(640, 460)

    def open_with(self, actions: dict[str, QAction]) -> None:
        """Show the list."""
        self._actions = actions
        self._tree.clear()
        for name, action in actions.items():
            keys = ", ".join(key.toString() for key in action.shortcuts())
            text = action.text().replace("&", "")
            item = QTreeWidgetItem(self._tree, [text, keys, action.toolTip()])
            item.setData(0, Qt.ItemDataRole.UserRole, name)
        self._tree.setColumnWidth(0, 200)
        self._tree.setColumnWidth(1, 130)
        self._filter.clear()
        self._refilter("")
        self.show()
        self._filter.setFocus()

    def _refilter(self, text: str) -> None:
        words = text.lower().split()
        first = None
        for place in range(self._tree.topLevelItemCount()):
            item = self._tree.topLevelItem(place)
            assert item is not None, "rows are counted"
            shown = " ".join(item.text(column) for column in range(3)).lower()
            item.setHidden(not all(word in shown for word in words))
            first = first or (None if item.isHidden() else item)
        if first is not None:
            self._tree.setCurrentItem(first)

    def _run(self, *_: object) -> None:
        item = self._tree.currentItem()
        self.hide()
        if item is not None:
            self._actions[item.data(0, Qt.ItemDataRole.UserRole)].trigger()
