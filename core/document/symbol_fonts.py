# SPDX-License-Identifier: AGPL-3.0-or-later
"""What the codes of symbol fonts mean. PDFs give them as U+F000 to U+F0FF.

Sources: Adobe's `symbol.txt` (vendor mapping at unicode.org/Public/MAPPINGS/VENDORS/ADOBE) for
Symbol; the charts of Wingdings in Unicode document L2/12-368 for Wingdings.
"""

from functools import cache
from types import MappingProxyType

_NONE: MappingProxyType[int, str] = MappingProxyType({})

# Symbol, codes 0x21 to 0x7E and 0xA0 to 0xFE. "\0" stands for a code that has no character.
_SYMBOL_LOW = (
    "!∀#∃%&∋()∗+,−./0123456789:;<=>?"
    "≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_"
    "\0αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
)
_SYMBOL_HIGH = (
    "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓"
    "°±″≥×∝∂•÷≠≡≈…\0\0↵"
    "ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉"
    "∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓"
    "◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪"
    "\0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
)
_WINGDINGS = {
    0x6C: "●",
    0x6D: "❍",
    0x6E: "■",
    0x6F: "□",
    0x71: "❑",
    0x72: "❒",
    0x75: "◆",
    0x76: "❖",
    0x77: "⬥",
    0x9F: "•",
    0xA7: "▪",
    0xA8: "◻",
    0xB2: "⟡",
    0xD8: "➢",
    0xDF: "←",
    0xE0: "→",
    0xE1: "↑",
    0xE2: "↓",
    0xE8: "➔",
    0xF0: "⇨",
    0xFB: "✗",
    0xFC: "✓",
    0xFD: "☒",
    0xFE: "☑",
}


@cache
def symbol_table(font: str) -> MappingProxyType[int, str]:
    """Return the characters of a symbol font by code (0 to 255); empty for other fonts."""
    name = font.rsplit("+", maxsplit=1)[-1].replace(" ", "").lower()
    if name.startswith("symbol"):
        low = {0x21 + index: text for index, text in enumerate(_SYMBOL_LOW)}
        high = {0xA0 + index: text for index, text in enumerate(_SYMBOL_HIGH)}
        found = {code: text for code, text in {**low, **high}.items() if text != "\0"}
        return MappingProxyType({0x20: " ", **found})
    if name.startswith("wingdings") and not name.startswith(("wingdings2", "wingdings3")):
        return MappingProxyType(_WINGDINGS)
    return _NONE
