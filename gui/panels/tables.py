# SPDX-License-Identifier: AGPL-3.0-or-later
"""How the tables of the panels look: whole rows, no grid, rows of one height."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from gui.theme import ROW_HEIGHT


def signed(change: float, decimals: int) -> str:
    """A change with its sign, which is a true minus."""
    return f"{change:+.{decimals}f}".replace("-", "−")


def number_words(number: float) -> str:
    """Three digits of a small number, all of a large one, never a power of ten."""
    return f"{number:,.0f}" if abs(number) >= 1000 else f"{number:.3g}"


def row_table(
    model: QAbstractItemModel,
    name: str,
    title: str,
    widths: Sequence[int],
    *,
    stretched: int | None = None,
    one_row: bool = False,
) -> QTableView:
    """A table in which whole rows are selected.

    Args:
        model: what it shows.
        name: by which style sheets and tests know it.
        title: read by screen readers.
        widths: of the columns, in pixels.
        stretched: the column that takes what room is left; None: the last one.
        one_row: only one row can be selected.
    """
    table = QTableView()
    table.setObjectName(name)
    table.setAccessibleName(title)
    table.setModel(model)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    if one_row:
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.horizontalHeader().setHighlightSections(False)  # all would be bold once a row is chosen
    side = table.verticalHeader()
    side.hide()
    side.setDefaultSectionSize(ROW_HEIGHT)
    side.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    for column, width in enumerate(widths):
        table.setColumnWidth(column, width)
    if stretched is None:
        table.horizontalHeader().setStretchLastSection(True)
    else:
        table.horizontalHeader().setSectionResizeMode(stretched, QHeaderView.ResizeMode.Stretch)
    return table


def make_sortable(table: QTableView) -> None:
    """Sort by a click on a title, which stays legible beside the arrow."""
    table.setSortingEnabled(True)
    header = table.horizontalHeader()
    for column in range(header.count()):
        if header.sectionResizeMode(column) == QHeaderView.ResizeMode.Interactive:
            width = max(table.columnWidth(column), header.sectionSizeHint(column))
            table.setColumnWidth(column, width)
