# SPDX-License-Identifier: AGPL-3.0-or-later
"""Strategies of the user's: a Python file in their folder, or an installed entry point.

Such code can do whatever its author wants, so it runs only after the user has agreed, once for each
version of a file; the agreement names the file's SHA-256, and exactly the bytes that were agreed to
are run. An error in it is told with file and line, and nothing else breaks.
"""

import hashlib
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import msgspec

from core.errors import Cancelled, ChunkscopeError, ParameterError
from core.strategies.chunks import Chunks
from core.strategies.registry import Strategy, forget, strategies, strategy
from core.strategies.source import Source
from core.strategies.watched import TookTooLong, watched

GROUP = "chunkscope.strategies"
AGREEMENTS = "agreed_strategies.json"
LOAD_SECONDS = 60.0  # an import of a large library may take some
CUT_SECONDS = 10.0  # it should take milliseconds
HOW_TO_AGREE = (
    "your agreement: once you know what is inside, start main.py without a command and press Load"
)


class UserStrategyError(ChunkscopeError):
    """A strategy of the user's failed; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class UserStrategy:
    """A file or entry point that was found.

    place: the file's path, or "entry point NAME = VALUE".
    version: SHA-256 of the file's bytes, or of the entry point's distribution, version and value.
    agreed: True if the user has agreed to this version.
    """

    place: str
    version: str
    agreed: bool


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a load did: the codes that are now registered, and what could not be loaded."""

    codes: tuple[str, ...]
    errors: tuple[UserStrategyError, ...]


def config_folder() -> Path:
    """The folder of the user's settings; `CHUNKSCOPE_CONFIG_DIR` sets another."""
    if chosen := os.environ.get("CHUNKSCOPE_CONFIG_DIR"):
        return Path(chosen)
    from platformdirs import user_config_path

    return user_config_path("chunkscope", appauthor=False)


def strategies_folder() -> Path:
    """The folder whose files are strategies of the user's."""
    return config_folder() / "strategies"


def found() -> list[UserStrategy]:
    """All files and entry points, whether agreed to or not; none is run or imported."""
    agreed = _agreements()
    versions = {str(path): _file_version(path.read_bytes()) for path in _files()}
    versions |= {_place(point): _point_version(point) for point in _points()}
    return [
        UserStrategy(place, version, agreed.get(place) == version)
        for place, version in versions.items()
    ]


def unagreed() -> list[UserStrategy]:
    """Files and entry points that are not run because the user has not agreed to this version."""
    return [each for each in found() if not each.agreed]


def naming(code: str, among: Iterable[UserStrategy]) -> UserStrategy | None:
    """The first file in whose source `code` stands as a string; the source is not run."""
    string = re.compile(rf"""(["']){re.escape(code)}\1""".encode(), re.IGNORECASE)
    for each in among:
        path = Path(each.place)
        if path.is_file() and string.search(path.read_bytes()):
            return each
    return None


def agree(place: str | Path) -> UserStrategy:
    """Remember that the user agrees to run this version.

    Args:
        place: the path of a file in the user's folder, or an entry point's `place`.

    Raises:
        UserStrategyError: there is no such file or entry point.
    """
    wanted = _absolute(place)
    for each in found():
        if each.place in (str(place), wanted):
            _write_agreements({**_agreements(), each.place: each.version})
            return UserStrategy(each.place, each.version, agreed=True)
    raise UserStrategyError(
        f"'{place}' is no strategy of yours: put the file into {strategies_folder()}"
    )


def disagree(place: str | Path) -> None:
    """Forget an agreement; what is loaded stays until the next start or `load_agreed`."""
    left = _agreements()
    for each in (str(place), _absolute(place)):
        left.pop(each, None)
    _write_agreements(left)


def load_agreed() -> Loaded:
    """Load all that the user has agreed to, and take out what has changed or is gone.

    A version that is loaded already is not run again.
    """
    strategies()  # the built-in ones come first, so that their codes are taken
    agreed = _agreements()
    wanted: dict[str, tuple[str, Callable[[], None]]] = {}
    for path in _files():
        source = path.read_bytes()
        wanted[str(path)] = (_file_version(source), _runner(path, source))
    for point in _points():
        wanted[_place(point)] = (_point_version(point), _importer(point))
    wanted = {place: each for place, each in wanted.items() if agreed.get(place) == each[0]}
    for place in [each for each in _LOADED if _version(wanted, each) != _LOADED[each][0]]:
        for code in _LOADED.pop(place)[1]:
            forget(code)
    errors = []
    for place, (version, run) in wanted.items():
        if place not in _LOADED:
            try:
                _LOADED[place] = (version, _registered(place, run))
            except UserStrategyError as error:
                errors.append(error)
    return Loaded(tuple(code for _, codes in _LOADED.values() for code in codes), tuple(errors))


_LOADED: dict[str, tuple[str, tuple[str, ...]]] = {}  # place -> version, codes


def _version(wanted: dict[str, tuple[str, Callable[[], None]]], place: str) -> str | None:
    return wanted[place][0] if place in wanted else None


# --- files, entry points, agreements -------------------------------------------------------------


def _files() -> list[Path]:
    folder = strategies_folder()
    if not folder.is_dir():
        return []
    named = (path for path in folder.glob("*.py") if not path.name.startswith(("_", ".")))
    return sorted(path.absolute() for path in named if path.is_file())


def _points() -> Iterable[EntryPoint]:
    return _points_in(tuple((folder, _changed(folder)) for folder in sys.path))


@lru_cache(maxsize=1)
def _points_in(folders: tuple[tuple[str, int], ...]) -> tuple[EntryPoint, ...]:
    """Reads a file of every installed package, so only anew when a folder has changed."""
    del folders
    return tuple(entry_points(group=GROUP))


def _changed(folder: str) -> int:
    try:
        return os.stat(folder or ".").st_mtime_ns
    except OSError:
        return 0


def _place(point: EntryPoint) -> str:
    return f"entry point {point.name} = {point.value}"


def _absolute(place: str | Path) -> str:
    return str(Path(place).expanduser().absolute())


def _file_version(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()


def _point_version(point: EntryPoint) -> str:
    from_package = f"{point.dist.name} {point.dist.version}" if point.dist else "unknown"
    return hashlib.sha256(f"{from_package} {point.value}".encode()).hexdigest()


def _agreements() -> dict[str, str]:
    try:
        raw = (config_folder() / AGREEMENTS).read_bytes()
        return msgspec.json.decode(raw, type=dict[str, str])
    except (OSError, msgspec.DecodeError):
        return {}  # a lost agreement only means to be asked again


def _write_agreements(agreed: dict[str, str]) -> None:
    path = config_folder() / AGREEMENTS
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(f".{os.getpid()}.tmp")
    try:
        new.write_bytes(msgspec.json.format(msgspec.json.encode(agreed), indent=2))
        new.replace(path)
    finally:
        with suppress(FileNotFoundError):
            new.unlink()


# --- running what was agreed to ------------------------------------------------------------------


def _runner(path: Path, source: bytes) -> Callable[[], None]:
    def run() -> None:
        module = ModuleType(f"chunkscope_user_{path.stem}")
        module.__file__ = str(path)
        code: CodeType = compile(source, str(path), "exec")
        exec(code, module.__dict__)

    return run


def _importer(point: EntryPoint) -> Callable[[], None]:
    def run() -> None:
        point.load()

    return run


def _registered(place: str, run: Callable[[], None]) -> tuple[str, ...]:
    """Run the code of a place, and guard the strategies that it registers.

    Raises:
        UserStrategyError: it failed, or registered nothing; nothing of it stays registered.
    """
    before = set(strategies())
    try:
        with _guard(place, watched(seconds=LOAD_SECONDS)):
            run()
        codes = tuple(code for code in strategies() if code not in before)
        if not codes:
            raise UserStrategyError(
                f"{place} registers no strategy: decorate its cut with @strategy(…, prepare=…)"
            )
        for code in codes:
            _check_defaults(place, strategies()[code])
    except (Exception, SystemExit) as error:  # also what the code means for the user itself
        for code in set(strategies()) - before:
            forget(code)
        if isinstance(error, UserStrategyError):
            raise
        raise _told(place, error) from error
    for code in codes:
        made = strategies()[code]
        forget(code)
        _register_guarded(place, made)
    return codes


def _check_defaults(place: str, made: Strategy) -> None:
    try:
        made.declaration.check({})
    except ParameterError as error:
        told = f"{place}: the defaults of {made.declaration.code} cannot be used: {error}"
        raise UserStrategyError(told) from error


@dataclass(frozen=True, slots=True)
class _Prepared:
    value: Any
    length: int  # characters of the text


def _register_guarded(place: str, made: Strategy) -> None:
    code = made.declaration.code

    def prepare(source: Source, **slow: Any) -> _Prepared:
        with _guard(place, watched(cancel=source.cancel)):
            return _Prepared(made.prepare(source, **slow), len(source.text))

    def cut(prepared: _Prepared, **fast: Any) -> Chunks:
        with _guard(place, watched(seconds=CUT_SECONDS)):
            chunks = made.cut(prepared.value, **fast)
        if wrong := _fault(chunks, prepared.length):
            raise UserStrategyError(f"{_begin_of(made.cut, place)}: {code} {wrong}")
        return chunks

    strategy(made.declaration, prepare=prepare, origin=place)(cut)


@contextmanager
def _guard(place: str, watch: AbstractContextManager[None]) -> Iterator[None]:
    """Turn whatever the user's code raises into an error with file and line.

    What it prints goes to standard error: on standard output it would stand before the JSON.
    """
    try:
        with redirect_stdout(sys.stderr), watch:
            yield
    except (ChunkscopeError, Cancelled):
        raise
    except (Exception, SystemExit) as error:
        raise _told(place, error) from error


def _begin_of(function: Callable[..., Any], place: str) -> str:
    """The file and line where a function of the user's begins."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return place if code is None else f"{code.co_filename}, line {code.co_firstlineno}"


def _fault(chunks: object, length: int) -> str:
    """What is wrong with the result of a cut; empty if nothing is."""
    if not isinstance(chunks, Chunks):
        return f"must return Chunks, but returned {type(chunks).__name__}"
    kinds = {chunks.spans.dtype.kind, chunks.pointers.dtype.kind}
    if not kinds <= {"i", "u"}:
        return f"must make spans of whole numbers, int64, but made {chunks.spans.dtype}"
    n = len(chunks)
    if len(chunks.start_reasons) != n or len(chunks.end_reasons) != n:
        return f"made {n} chunks, but reasons of another number of boundaries"
    spans = chunks.spans
    if spans.size and (
        spans.min() < 0 or spans.max() > length or (spans[:, 0] > spans[:, 1]).any()
    ):
        return f"made a span outside of [0, {length}) or with its end before its start"
    return ""


def _told(place: str, error: BaseException) -> UserStrategyError:
    """The error with the file and the line nearest to it in the user's code."""
    what = f"{type(error).__name__}: {error}"
    if isinstance(error, TookTooLong):
        what = "had not ended after some seconds, and was stopped here: is this loop endless?"
    if isinstance(error, SyntaxError) and error.filename == place:
        return UserStrategyError(f"{place}, line {error.lineno}: SyntaxError: {error.msg}")
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename == place]
    if not own:  # an entry point: the last line outside of this program
        own = [frame for frame in frames if f"{os.sep}core{os.sep}" not in frame.filename]
    if own:
        return UserStrategyError(f"{own[-1].filename}, line {own[-1].lineno}: {what}")
    return UserStrategyError(f"{place}: {what}")
