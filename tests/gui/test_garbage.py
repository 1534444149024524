# SPDX-License-Identifier: AGPL-3.0-or-later
"""Automatic collection of garbage is off in the window, whatever a library does."""

import subprocess
import sys

PROGRAM = """
import gc
from PySide6.QtCore import QObject
from gui.garbage import Collector
import srsly
assert gc.isenabled()
collector = Collector(QObject())
assert not gc.isenabled()
srsly.msgpack_loads(srsly.msgpack_dumps({"a": 1}))
assert not gc.isenabled()
collector.collect()
print("off")
"""


def test_a_library_that_turns_collection_on_does_not(root):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.stdout == "off\n", done.stderr
