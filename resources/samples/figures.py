# SPDX-License-Identifier: AGPL-3.0-or-later
"""The drawings of the samples: vector charts and flow drawings, by label.

A drawing is a function of page, left, top, width and theme; `DRAWINGS` gives its height.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from paragraphs import FACES, Style, font

if TYPE_CHECKING:
    from pages import Colour, Page, Theme

_LABEL = Style("sans", 7.6, 9.4, align="left")
_STRONG = Style("sans", 7.8, 9.6, bold=True, align="left")
_GREY = (0.62, 0.63, 0.66)
_PALE = (0.86, 0.87, 0.89)
_COLOURS: tuple[Colour, ...] = (
    (0.13, 0.37, 0.56),
    (0.84, 0.55, 0.13),
    (0.33, 0.56, 0.40),
    (0.55, 0.35, 0.55),
    (0.5, 0.5, 0.53),
)


def _label(page: Page, x: float, y: float, text: str, width: float) -> None:
    """Centred lines of a short label, wrapped at spaces, around the point (x, y)."""
    style = _LABEL
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


def _box(page: Page, place: tuple[float, float, float, float], text: str, fill: Colour) -> None:
    """A framed box with a label; its place is left, top, width, height."""
    x, y, width, height = place
    page.fill(x, y, x + width, y + height, fill)
    corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
    for (x0, y0), (x1, y1) in pairwise(corners):
        page.rule(x0, y0, x1, y1, width=0.7)
    _label(page, x + width / 2, y + height / 2, text, width - 10)


def _arrow(page: Page, x0: float, y0: float, x1: float, y1: float) -> None:
    page.rule(x0, y0, x1, y1, width=0.9)
    length = math.hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    back = (x1 - 5 * dx, y1 - 5 * dy)
    points = [
        (x1, y1),
        (back[0] - 2.6 * dy, back[1] + 2.6 * dx),
        (back[0] + 2.6 * dy, back[1] - 2.6 * dx),
    ]
    page.polygon(points, (0.3, 0.3, 0.33))


def _bridging_flow(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
    """Decision flow for bridging in patients who take warfarin."""
    wide, tall = width * 0.3, 38.0
    centre = x + width / 2 - wide / 2
    right = x + width - wide
    _box(
        page, (centre, y + 4, wide, tall), "Adult who takes warfarin, procedure planned", theme.tint
    )
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
        _box(page, (centre, top, wide, tall), question, (1, 1, 1))
        _arrow(page, centre + wide, top + tall / 2, right, top + tall / 2)
        page.text((centre + wide + right) / 2, top + tall / 2 - 4, "yes", _STRONG, anchor="centre")
        page.text(x + width / 2 + 6, top + tall + 13, "no", _STRONG)
        _box(page, (right, top, wide, tall), answer, theme.tint)
    _arrow(page, x + width / 2, top + tall, x + width / 2, top + tall + 20)
    _box(page, (centre, top + tall + 20, wide, tall), "Interrupt without bridging", theme.tint)
    page.text(x, y + 16, "How to read", _STRONG)
    for index, line in enumerate(
        (
            "Read from top to bottom and",
            "stop at the first “yes”.",
            "Reassess if the date moves",
            "by more than 7 days.",
        )
    ):
        page.text(x, y + 28 + index * 10, line, _LABEL)


def _organisation(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
    """Council, undertaking, three divisions and the services they share."""
    wide, tall = width * 0.27, 34.0
    middle = x + width / 2
    _box(page, (middle - wide / 2, y + 4, wide, tall), "Council of the city", (1, 1, 1))
    _box(page, (x + width - wide, y + 4, wide, tall), "Board of users (21 members)", (1, 1, 1))
    _arrow(page, x + width - wide, y + 4 + tall / 2, middle + wide / 2, y + 4 + tall / 2)
    page.text(x + width - wide - 8, y + 16, "advises", _LABEL, anchor="right")
    _arrow(page, middle, y + 4 + tall, middle, y + 58)
    _box(page, (middle - wide / 2, y + 58, wide, tall), "The undertaking", theme.tint)
    bar, top = y + 104, y + 116
    page.rule(middle, y + 58 + tall, middle, bar, width=0.9)
    centres = [x + wide / 2, middle, x + width - wide / 2]
    page.rule(centres[0], bar, centres[2], bar, width=0.9)
    divisions = (
        "Water: sources, network, sewers",
        "Transport: trams, buses, ferries",
        "Energy: electricity, heat, lights",
    )
    for centre, name in zip(centres, divisions, strict=True):
        _arrow(page, centre, bar, centre, top)
        _box(page, (centre - wide / 2, top, wide, tall), name, theme.tint)
        page.rule(centre, top + tall, centre, top + tall + 14, width=0.9)
    shared = "Shared services: control room, workshop, billing office, register of the underground"
    page.fill(x, top + tall + 14, x + width, top + tall + 40, _PALE)
    page.text(middle, top + tall + 30, shared, _LABEL, anchor="centre")


def _axes(
    page: Page, frame: tuple[float, float, float, float], ticks: Sequence[float], unit: str
) -> None:
    """Grid lines and numbers of a vertical axis from 0 (or the first tick) upwards."""
    left, top, right, bottom = frame
    for tick in ticks:
        at = bottom - (tick - ticks[0]) / (ticks[-1] - ticks[0]) * (bottom - top)
        page.rule(left, at, right, at, width=0.35, colour=_PALE if tick != ticks[0] else _GREY)
        page.text(left - 5, at + 2.6, f"{tick:g}", _LABEL, anchor="right")
    page.text(left - 18, top - 9, unit, _LABEL)


def _legend(page: Page, right: float, y: float, names: Sequence[str]) -> None:
    """Names of the series, in one line that ends at `right`."""
    face = font(FACES[_LABEL.family][0])
    for index in reversed(range(len(names))):
        right -= face.text_length(names[index], _LABEL.size)
        page.text(right, y, names[index], _LABEL)
        page.fill(right - 11, y - 6, right - 4, y + 1, _COLOURS[index])
        right -= 24


def _stacked(
    labels: Sequence[str], series: dict[str, Sequence[float]], ticks: Sequence[float], unit: str
) -> Callable[[Page, float, float, float, Theme], None]:
    """A chart of stacked columns, one a label."""

    def draw(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
        left, top, right, bottom = x + 26, y + 22, x + width, y + 160
        _legend(page, right, y + 9, list(series))
        _axes(page, (left, top, right, bottom), ticks, unit)
        step = (right - left) / len(labels)
        scale = (bottom - top) / ticks[-1]
        for index, label in enumerate(labels):
            base = bottom
            for colour, values in zip(_COLOURS, series.values(), strict=False):
                height = values[index] * scale
                start = left + step * (index + 0.2)
                page.fill(start, base - height, start + step * 0.6, base, colour)
                base -= height
            page.text(left + step * (index + 0.5), bottom + 11, label, _LABEL, anchor="centre")

    return draw


def _curves(
    labels: Sequence[str],
    series: dict[str, Sequence[float]],
    ticks: Sequence[float],
    unit: str,
    marks: dict[str, float] | None = None,
) -> Callable[[Page, float, float, float, Theme], None]:
    """A chart of lines over equally spaced labels; `marks` are named heights."""

    def draw(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
        left, top, right, bottom = x + 26, y + 22, x + width, y + 160
        _legend(page, right, y + 9, list(series))
        _axes(page, (left, top, right, bottom), ticks, unit)
        scale = (bottom - top) / (ticks[-1] - ticks[0])
        for name, value in (marks or {}).items():
            at = bottom - (value - ticks[0]) * scale
            for dash in range(int((right - left) / 8)):
                page.rule(left + dash * 8, at, left + dash * 8 + 4, at, width=0.8)
            page.text(left + 4, at - 3, name, _LABEL)
        for colour, values in zip(_COLOURS, series.values(), strict=False):
            step = (right - left - 12) / (len(values) - 1)
            points = [
                (left + 6 + index * step, bottom - (value - ticks[0]) * scale)
                for index, value in enumerate(values)
            ]
            for (x0, y0), (x1, y1) in itertools.pairwise(points):
                page.rule(x0, y0, x1, y1, width=1.6, colour=colour)
        gap = (right - left - 12) / (len(labels) - 1)
        for index, label in enumerate(labels):
            page.text(left + 6 + index * gap, bottom + 11, label, _LABEL, anchor="centre")

    return draw


def _shares(
    rows: dict[str, Sequence[float]], names: Sequence[str]
) -> Callable[[Page, float, float, float, Theme], None]:
    """Bars that are divided into shares of 100 per cent."""

    def draw(page: Page, x: float, y: float, width: float, theme: Theme) -> None:
        _legend(page, x + width, y + 9, names)
        for index, (label, shares) in enumerate(rows.items()):
            top, left = y + 24 + index * 32, x + 34
            page.text(x, top + 14, label, _STRONG)
            for colour, share in zip(_COLOURS, shares, strict=False):
                right = left + share / 100 * (width - 34)
                if share:
                    page.fill(left, top, right, top + 22, colour)
                    white = Style("sans", 7.6, 9.4, bold=True, colour=(1, 1, 1))
                    page.text((left + right) / 2, top + 14, f"{share:g}", white, anchor="centre")
                left = right

    return draw


_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_YEARS = tuple(str(year) for year in range(2015, 2025))
_RIVER = (  # metres, every two hours from noon on 17 August
    1.12,
    1.12,
    1.14,
    1.22,
    1.46,
    1.95,
    2.55,
    3.12,
    3.86,
    4.47,
    4.61,
    4.50,
    4.28,
    4.02,
    3.77,
    3.52,
    3.31,
    3.12,
    2.95,
    2.80,
    2.66,
    2.54,
    2.43,
    2.34,
    2.26,
)

DRAWINGS: dict[str, tuple[float, Callable[[Page, float, float, float, Theme], None]]] = {
    "bridging-flow": (270.0, _bridging_flow),
    "organisation": (194.0, _organisation),
    "storage": (
        176.0,
        _curves(
            _MONTHS,
            {
                "2024": (96, 98, 97, 92, 83, 71, 66, 78, 84, 90, 94, 97),
                "Average": (93, 95, 96, 95, 90, 82, 75, 71, 74, 81, 87, 91),
            },
            (40, 60, 80, 100),
            "%",
        ),
    ),
    "journeys": (
        176.0,
        _stacked(
            _YEARS,
            {
                "Tram": (20.8, 21.2, 21.9, 22.6, 23.1, 12.0, 14.1, 20.6, 22.8, 24.6),
                "Bus": (42.9, 42.8, 42.4, 42.1, 41.6, 22.3, 25.2, 33.5, 34.9, 35.9),
                "Ferry": (1.4, 1.4, 1.5, 1.5, 1.5, 0.6, 0.8, 1.1, 1.2, 1.3),
            },
            (0, 20, 40, 60, 80),
            "million",
        ),
    ),
    "generation": (
        176.0,
        _stacked(
            _YEARS[3:],
            {
                "Wind": (158, 161, 167, 150, 152, 169, 201),
                "Waste": (171, 170, 166, 169, 167, 168, 164),
                "Sun": (24, 30, 39, 51, 66, 91, 118),
                "Water": (20, 18, 21, 20, 17, 19, 22),
            },
            (0, 100, 200, 300, 400, 500, 600),
            "GWh",
        ),
    ),
    "heat-sources": (
        124.0,
        _shares(
            {"2014": (34, 0, 66, 0), "2022": (41, 0, 55, 4), "2024": (44, 21, 29, 6)},
            ("Waste plant", "River", "Gas", "Data centre"),
        ),
    ),
    "emissions": (
        176.0,
        _stacked(
            ("2005", "2015", "2023", "2024"),
            {
                "Heat": (0.76, 0.70, 0.55, 0.52),
                "Transport": (0.47, 0.48, 0.44, 0.43),
                "Electricity": (0.43, 0.33, 0.22, 0.21),
                "Industry": (0.18, 0.13, 0.09, 0.09),
                "Waste": (0.10, 0.09, 0.07, 0.06),
            },
            (0, 0.5, 1, 1.5, 2),
            "million t",
        ),
    ),
    "river-level": (
        176.0,
        _curves(
            ("12.00", "24.00", "12.00", "24.00", "12.00"),
            {"Bridge gauge": _RIVER},
            (1, 2, 3, 4, 5),
            "m",
            {"warning level": 3.2},
        ),
    ),
    "investment": (
        176.0,
        _stacked(
            ("2020", "2021", "2022", "2023", "2024"),
            {
                "Transport": (28.4, 31.9, 39.6, 55.2, 63.4),
                "Water": (33.0, 35.1, 36.4, 39.0, 41.2),
                "Waste water": (21.7, 24.4, 33.8, 40.3, 38.6),
                "Electricity": (19.8, 21.2, 24.6, 31.7, 27.9),
                "Heat": (9.1, 10.3, 17.9, 12.2, 16.4),
            },
            (0, 50, 100, 150, 200),
            "million €",
        ),
    ),
}
