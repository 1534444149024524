# SPDX-License-Identifier: AGPL-3.0-or-later
"""The style sheet, made from the theme."""

from gui.theme import Theme


def style_sheet(theme: Theme) -> str:
    """The style of Qt's own widgets in this theme."""
    base, window, border = theme.base.name(), theme.window.name(), theme.border.name()
    text, muted, accent = theme.text.name(), theme.muted.name(), theme.accent.name()
    return f"""
    QMainWindow, QMenuBar, QToolBar, QStatusBar, QDockWidget {{ background: {window}; }}
    QMainWindow::separator {{ background: {border}; width: 4px; height: 4px; }}
    QMainWindow::separator:hover {{ background: {accent}; }}
    QToolBar {{ border: 0; border-bottom: 1px solid {border}; spacing: 4px; padding: 3px 6px; }}
    QStatusBar {{ border-top: 1px solid {border}; }}
    QStatusBar::item {{ border: 0; }}
    QTabWidget::pane {{ border: 0; border-top: 1px solid {border}; background: {base}; }}
    QTabBar {{ qproperty-drawBase: 0; }}
    QTabBar::tab {{ padding: 5px 12px; background: transparent; color: {muted};
        border-bottom: 2px solid transparent; }}
    QTabBar::tab:selected {{ color: {text}; border-bottom: 2px solid {accent}; }}
    QTabBar::tab:hover {{ color: {text}; }}
    QTableView, QTreeView, QListView, QTextBrowser, QScrollArea,
    QScrollArea > #qt_scrollarea_viewport > QWidget,
    #strategyPanel, #inspector, #scoresPanel, #queriesPanel {{ background: {base}; }}
    QCheckBox::indicator:unchecked, QTableView::indicator:unchecked, QTreeView::indicator:unchecked,
    QListView::indicator:unchecked {{ border: 1px solid {muted}; border-radius: 2px;
        background: {base}; width: 12px; height: 12px; }}
    QHeaderView::section {{ background: {window}; color: {muted}; border: 0;
        border-right: 1px solid {border}; border-bottom: 1px solid {border}; padding: 3px 6px; }}
    QTableView::item:selected, QTreeView::item:selected, QListView::item:selected {{
        background: {accent}; color: {base}; }}
    QToolTip {{ background: {theme.raised.name()}; color: {text}; border: 1px solid {border}; }}
    QLabel#hoverCard {{ background: {theme.raised.name()}; border: 1px solid {border};
        padding: 5px 9px; }}
    QLabel#muted, QLabel#empty {{ color: {muted}; }}
    QLabel#empty {{ padding: 24px; }}
    QLabel#fieldError {{ color: {theme.bad.name()}; }}
    QLabel#chunkCount {{ font-weight: 600; }}
    QLabel#lamp {{ padding: 0 8px; }}
    QFrame#rule {{ color: {border}; max-height: 1px; }}
    QPushButton#strategyName {{ text-align: left; font-weight: 600; padding: 5px 8px; }}
    QToolButton#slotName {{ text-align: left; padding: 2px 4px; }}
    #strip {{ background: {theme.raised.name()}; border-bottom: 1px solid {border}; }}
    #strip QLabel {{ padding: 4px 8px; }}
    QDockWidget::title {{ padding: 0; height: 0; }}
    """
