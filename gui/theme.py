# SPDX-License-Identifier: AGPL-3.0-or-later
"""Colours, widths and spaces. Sizes are device-independent pixels (dip)."""

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette

GUTTER = 64  # margin beside a page for tabs and badges
LANE = 10  # width of one strategy's lane in the margin
CUT_WIDTH = 2.0
CUT_WIDTH_HOVER = 3.0
GRAB = 4.5  # how far from a cut line the pointer grabs it
HATCH_PITCH_OVERLAP = 6.0
HATCH_PITCH_TAIL = 4.0
PAGE_GAP = 16
SPREAD = 104  # between two pages side by side: tabs of the left one, lanes of the right one
ROW_HEIGHT = 24

MARKERS = ("o", "s", "t", "d", "t1", "+", "star", "o")  # of pyqtgraph, one a strategy colour
DASHES: tuple[tuple[float, ...], ...] = (
    (),
    (6, 3),
    (1.5, 3),
    (6, 3, 1.5, 3),
    (10, 4),
    (3, 3),
    (),
    (1.5, 1.5),
)  # in pen widths, one a strategy colour; empty: solid


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of one theme. Contrast ratios were computed for these values."""

    is_dark: bool
    window: QColor
    base: QColor
    raised: QColor
    border: QColor
    text: QColor
    muted: QColor  # neutral
    approximate: QColor
    accent: QColor
    ok: QColor
    warn: QColor
    bad: QColor
    info: QColor
    page: QColor
    page_shadow: QColor
    parity: tuple[QColor, QColor]  # translucent tints of neighbouring chunks, over a white page
    cut: QColor  # on a white page
    gold: QColor
    strategies: tuple[QColor, ...]  # in plots, lists and lanes


def _translucent(name: str, percent: int) -> QColor:
    colour = QColor(name)
    colour.setAlphaF(percent / 100)
    return colour


_PARITY = (_translucent("#0072B2", 16), _translucent("#E69F00", 22))

# Page colours stay those of a white page in both themes: the document's own page is drawn as it is.
LIGHT = Theme(
    is_dark=False,
    window=QColor("#F5F6F8"),
    base=QColor("#FFFFFF"),
    raised=QColor("#FFFFFF"),
    border=QColor("#D5D9E0"),
    text=QColor("#1F2328"),
    muted=QColor("#565B66"),
    approximate=QColor("#5F6570"),
    accent=QColor("#0B57D0"),
    ok=QColor("#00694B"),
    warn=QColor("#8A5A00"),
    bad=QColor("#A8003C"),
    info=QColor("#3B4FB0"),
    page=QColor("#FFFFFF"),
    page_shadow=QColor(0, 0, 0, 40),
    parity=_PARITY,
    cut=QColor("#1F2328"),
    gold=QColor("#1F2328"),
    strategies=tuple(
        QColor(name)
        for name in (
            "#0072B2",
            "#C44E00",
            "#00805C",
            "#A8507F",
            "#2B8CC4",
            "#A87400",
            "#1F2328",
            "#7F7F7F",
        )
    ),
)
DARK = Theme(
    is_dark=True,
    window=QColor("#1B1D21"),
    base=QColor("#22252A"),
    raised=QColor("#2A2E34"),
    border=QColor("#3A3F47"),
    text=QColor("#ECEDEF"),
    muted=QColor("#A9B0BC"),
    approximate=QColor("#9AA1AD"),
    accent=QColor("#8AB4F8"),
    ok=QColor("#35C9C0"),
    warn=QColor("#FFD166"),
    bad=QColor("#FF8A7A"),
    info=QColor("#9AA8FF"),
    page=QColor("#FFFFFF"),
    page_shadow=QColor(0, 0, 0, 120),
    parity=_PARITY,
    cut=QColor("#1F2328"),
    gold=QColor("#1F2328"),
    strategies=tuple(
        QColor(name)
        for name in (
            "#56B4E9",
            "#F2934B",
            "#3CC79A",
            "#DE8DBA",
            "#8FCBF0",
            "#E0B040",
            "#ECEDEF",
            "#A0A0A0",
        )
    ),
)


def theme_for(name: str, scheme: Qt.ColorScheme) -> Theme:
    """The theme "light" or "dark"; any other name follows the desktop's colour scheme."""
    if name in ("light", "dark"):
        return DARK if name == "dark" else LIGHT
    return DARK if scheme == Qt.ColorScheme.Dark else LIGHT


def palette(theme: Theme) -> QPalette:
    """The palette that gives Qt's own widgets the theme's colours."""
    made = QPalette()
    role = QPalette.ColorRole
    for each, colour in (
        (role.Window, theme.window),
        (role.Base, theme.base),
        (role.AlternateBase, theme.window),
        (role.Button, theme.raised),
        (role.ToolTipBase, theme.raised),
        (role.WindowText, theme.text),
        (role.Text, theme.text),
        (role.ButtonText, theme.text),
        (role.ToolTipText, theme.text),
        (role.PlaceholderText, theme.muted),
        (role.Highlight, theme.accent),
        (role.HighlightedText, theme.base),
        (role.Link, theme.accent),
        (role.Mid, theme.border),
    ):
        made.setColor(each, colour)
    disabled = QPalette.ColorGroup.Disabled
    for each in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(disabled, each, theme.muted)
    return made
