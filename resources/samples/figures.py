# SPDX-License-Identifier: AGPL-3.0-or-later
"""The drawings of the samples: vector charts and flow drawings, by label.

A drawing is a function of page, left, top, width and theme; `DRAWINGS` gives its height.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from paragraphs import FACES, Style, font

if TYPE_CHECKING:
    from layout import Colour, Page, Theme

_LABEL = Style("sans", 7.6, 9.4, align="left")
_STRONG = Style("sans", 7.8, 9.6, bold=True, align="left")
_GREY = (0.62, 0.63, 0.66)
_PALE = (0.86, 0.87, 0.89)
_SERIES: tuple[Colour, ...] = ((0.10, 0.36, 0.56), (0.85, 0.55, 0.12), (0.35, 0.55, 0.35))


def _text_lines(page: Page, x: float, y: float, text: str, style: Style, width: float) -> None:
    """Centred lines of a short label, wrapped at spaces, around the height y."""
    face = font(FACES[style.family][style.bold])
    lines = [""]
    for word in text.split():
        candidate = f"{lines[-1]} {word}".strip()
        if face.text_length(candidate, style.size) <= width or not lines[-1]:
            lines[-1] = candidate
        else:
            lines.append(word)
    top = y - len(lines) * style.leading / 2 + style.size * 0.95
    for index, line in enumerate(lines):
        page.text(x, top + index * style.leading, line, style, anchor="centre")


def _box(
    page: Page, x: float, y: float, width: float, height: float, text: str, fill: Colour
) -> None:
    page.fill(x, y, x + width, y + height, fill)
    for x0, y0, x1, y1 in (
        (x, y, x + width, y), (x, y + height, x + width, y + height),
        (x, y, x, y + height), (x + width, y, x + width, y + height),
    ):
        page.rule(x0, y0, x1, y1, width=0.7)
    _text_lines(page, x + width / 2, y + height / 2, text, _LABEL, width - 10)


def _arrow(page: Page, x0: float, y0: float, x1: float, y1: float) -> None:
    page.rule(x0, y0, x1, y1, width=0.9)
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    back = (x1 - 5 * dx, y1 - 5 * dy)
    points = [
        (x1, y1), (back[0] - 2.6 * dy, back[1] + 2.6 * dx), (back[0] + 2.6 * dy, back[1] - 2.6 * dx)
    ]
    page.polygon(points, (0.3, 0.3, 0.33))


def _bridging_flow(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
    """Decision flow for bridging in patients who take warfarin."""
    wide, tall = width * 0.3, 38.0
    centre = x + width / 2 - wide / 2
    right = x + width - wide
    _box(page, centre, y + 4, wide, tall, "Adult who takes warfarin, procedure planned", theme.tint)
    questions = [
        "Procedure of minimal bleeding risk?",
        "Mechanical mitral valve, or any mechanical valve with a further risk factor?",
        "Venous thromboembolism within the last 3 months?",
    ]
    answers = [
        "Continue warfarin. Check INR within 24 hours before the procedure",
        "Interrupt and bridge with heparin (section 5.2)",
        "Postpone if possible; otherwise bridge",
    ]
    top = y + 4
    for question, answer in zip(questions, answers, strict=True):
        _arrow(page, x + width / 2, top + tall, x + width / 2, top + tall + 20)
        top += tall + 20
        _box(page, centre, top, wide, tall, question, (1, 1, 1))
        _arrow(page, centre + wide, top + tall / 2, right, top + tall / 2)
        page.text((centre + wide + right) / 2, top + tall / 2 - 4, "yes", _STRONG, anchor="centre")
        page.text(x + width / 2 + 6, top + tall + 13, "no", _STRONG)
        _box(page, right, top, wide, tall, answer, theme.tint)
    _arrow(page, x + width / 2, top + tall, x + width / 2, top + tall + 20)
    _box(page, centre, top + tall + 20, wide, tall, "Interrupt without bridging", theme.tint)
    page.text(x, y + 16, "How to read", _STRONG)
    for index, line in enumerate(
        ("Read from top to bottom and", "stop at the first “yes”.", "Reassess if the date moves",
         "by more than 7 days.")
    ):
        page.text(x, y + 28 + index * 10, line, _LABEL)


DRAWINGS: dict[str, tuple[float, Callable[[Page, float, float, float, Theme], None]]] = {
    "bridging-flow": (270.0, _bridging_flow),
}
