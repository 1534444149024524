# SPDX-License-Identifier: AGPL-3.0-or-later
"""Writes a view of an evaluation as a picture (PNG, SVG) or as data (CSV)."""

import csv
import io
from pathlib import Path

from pyqtgraph.exporters import ImageExporter
from PySide6.QtCore import QBuffer, QPoint, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QFileDialog, QWidget

from core.errors import SearchError
from core.search.query_sets import write_whole
from gui.panels.evaluation.view import EvaluationView, Table
from gui.panels.question_files import with_ending

FILTER = "Picture (*.png);;Drawing (*.svg);;Data (*.csv)"
PICTURE_WIDTH = 1600  # pixels


def ask_and_export(view: EvaluationView, parent: QWidget) -> str:
    """Ask for a file and write the view; its name, or nothing where the user thought better.

    Raises:
        SearchError: it cannot be written.
    """
    suggested = f"{view.title.lower().replace(' ', '-')}.png"
    name, chosen = QFileDialog.getSaveFileName(parent, "Export this view", suggested, FILTER)
    if not name:
        return ""
    path = with_ending(Path(name), (".png", ".svg", ".csv"), chosen)
    export(view, path)
    return str(path)


def export(view: EvaluationView, path: Path) -> None:
    """Write a view; the ending decides.

    Raises:
        SearchError: it cannot be written, the ending is not known, or there is nothing to write.
    """
    if not view.has_content:
        raise SearchError(f"'{view.title}' shows nothing to export. {view.message}")
    ending = path.suffix.lower()
    if ending == ".csv":
        write_whole(path, as_csv(view.table()))
    elif ending == ".png":
        _write_picture(view, path)
    elif ending == ".svg":
        _write_drawing(view, path)
    else:
        raise SearchError(
            f"'{path.name}' has the ending '{path.suffix}', but views are written as .png, .svg "
            "or .csv: give one of these"
        )


def as_csv(table: Table) -> str:
    """A table as CSV: full stops, no groups, an empty field where a number is missing."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows([["" if cell is None else cell for cell in row] for row in table.rows])
    return out.getvalue()


def _write_picture(view: EvaluationView, path: Path) -> None:
    plot = view.plot()
    if plot is not None:
        exporter = ImageExporter(plot)
        exporter.parameters()["width"] = PICTURE_WIDTH
        image = exporter.export(toBytes=True)
        is_written = image.save(str(path))
    else:
        is_written = view.content.grab().save(str(path))
    if not is_written:
        raise SearchError(f"'{path}' cannot be written: choose another folder")


def _write_drawing(view: EvaluationView, path: Path) -> None:
    """As vectors, by Qt: pyqtgraph's own exporter fails on the shapes of filled symbols."""
    plot = view.plot()
    drawn = QBuffer()
    drawn.open(QBuffer.OpenModeFlag.WriteOnly)
    box = plot.sceneBoundingRect() if plot is not None else QRectF(view.content.rect())
    generator = QSvgGenerator()
    generator.setOutputDevice(drawn)
    generator.setTitle(view.title)
    generator.setSize(box.size().toSize())
    generator.setViewBox(QRectF(0, 0, box.width(), box.height()))
    painter = QPainter(generator)
    try:
        if plot is not None:
            plot.scene().render(painter, QRectF(0, 0, box.width(), box.height()), box)
        else:
            view.content.render(painter, QPoint(0, 0))
    finally:  # a painter that outlives what it paints on crashes the program
        painter.end()
    write_whole(path, bytes(drawn.data().data()).decode("utf-8"))
