# SPDX-License-Identifier: AGPL-3.0-or-later
"""What all tests share: the environment, folders of their own, the shared test data.

The environment is set before anything imports Qt, numpy or a model.
"""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
for _variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")  # xdist shares the cores among processes

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.hostile import HOSTILE_TEXTS

ROOT = Path(__file__).resolve().parent.parent
MARKED_FOLDERS = ("corpus", "end_to_end", "torture")

# No deadline: the first example may load a tokenizer. `function_scoped_fixture` is about
# fixtures that change between examples; ours are read-only.
_SHARED = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}
settings.register_profile("dev", max_examples=50, **_SHARED)
settings.register_profile("ci", max_examples=100, derandomize=True, print_blob=True, **_SHARED)
settings.register_profile("long", max_examples=2_000, **_SHARED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

# Automatic collection may begin in any thread and within any call of Qt, where it crashes the
# process. So it is off, as in the window, and each test ends with a collection; and it stays off,
# although srsly, which reads spaCy's models, turns it on.
gc.disable()
gc.enable = lambda: None
YOUNG, MIDDLE, ALL = 0, 1, 2
MIDDLE_AFTER, ALL_AFTER = 10, 50  # collections of the generation before


def shared_path() -> Path | None:
    """Return the folder of shared test data, or None; usable while tests are collected.

    It is `CHUNKSCOPE_SHARED`, or `shared` beside this repository.
    """
    folder = Path(os.environ.get("CHUNKSCOPE_SHARED", ROOT.parent / "shared"))
    return folder if folder.is_dir() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared test data; the test is skipped where it is absent."""
    folder = shared_path()
    if folder is None:
        pytest.skip("no shared test data: set CHUNKSCOPE_SHARED to its folder")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project, with `main.py`."""
    return ROOT


@pytest.fixture(scope="session")
def hostile_texts() -> dict[str, str]:
    """All hostile texts by name; better, parametrise over `tests.hostile.HOSTILE_TEXTS`."""
    return HOSTILE_TEXTS


@pytest.fixture(scope="session", autouse=True)
def _own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests out of the user's folders: caches, indexes and settings are temporary."""
    base = tmp_path_factory.mktemp("user")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CACHE", "DATA", "CONFIG"):
            folder = base / name.lower()
            folder.mkdir()
            patch.setenv(f"CHUNKSCOPE_{name}_DIR", str(folder))
        # QSettings and other libraries that ask the desktop for the user's folder
        patch.setenv("XDG_CONFIG_HOME", str(base / "config"))
        yield


@pytest.fixture(autouse=True)
def _no_widget_outlives_its_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose window or dialog is still alive after it.

    Usual causes: a `lambda` or `partial` that holds `self`, connected to a sender that lives
    longer; a widget without a parent that was not given to `qtbot.addWidget`.
    """
    if "qtbot" not in request.fixturenames:
        yield
        return
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication

    application = request.getfixturevalue("qapp")
    before = set(QApplication.topLevelWidgets())
    yield
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = set(QApplication.topLevelWidgets()) - before
    if left:
        del left
        gc.collect()
        application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        left = set(QApplication.topLevelWidgets()) - before
    assert not left, f"widgets outlive the test: {sorted(map(repr, left))}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of certain folders, so that no file can forget it."""
    for item in items:
        folder = item.path.relative_to(ROOT / "tests").parts[0]
        if folder in MARKED_FOLDERS:
            item.add_marker(folder)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave `tests/torture` out unless it is asked for by name."""
    asked = any("torture" in argument for argument in config.invocation_params.args)
    if collection_path == ROOT / "tests" / "torture" and not asked:
        return True
    return None


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Collect garbage in the main thread once the fixtures are gone."""
    _, middle, old = gc.get_count()
    gc.collect(ALL if old >= ALL_AFTER else MIDDLE if middle >= MIDDLE_AFTER else YOUNG)


def pytest_report_header() -> str:
    """Say at the top of a run where the shared data is taken from."""
    return f"shared test data: {shared_path() or 'absent'}; python {sys.version.split()[0]}"
