# SPDX-License-Identifier: AGPL-3.0-or-later
"""The two modules of NLTK that are used, without all that NLTK imports beside them."""

import sys
import threading  # noqa: TID251 - two lanes may ask at once
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

PACKAGES = ("nltk", "nltk.tokenize")
_lock = threading.Lock()


def nltk_module(name: str) -> ModuleType:
    """The module `name` of NLTK, such as "nltk.tokenize.punkt".

    WORKAROUND: `import nltk` imports SciPy and every part of NLTK, 1.1 s of processor time in
    which the window stutters. The modules that are used need 0.07 s. They are imported below
    empty packages that are taken away again, so that others may import NLTK as usual.
    """
    with _lock:
        if "nltk" in sys.modules:
            return import_module(name)
        for package in PACKAGES:
            sys.modules[package] = _bare(package)
        try:
            return import_module(name)
        finally:
            for loaded in [each for each in sys.modules if each.split(".")[0] == "nltk"]:
                del sys.modules[loaded]


def _bare(package: str) -> ModuleType:
    """A package that runs none of its own code; its modules are found where they are."""
    spec = find_spec("nltk") if package == "nltk" else None
    if spec is not None and spec.submodule_search_locations:
        places = list(spec.submodule_search_locations)
    else:
        places = [str(Path(place) / "tokenize") for place in sys.modules["nltk"].__path__]
    made = ModuleType(package)
    made.__path__ = places
    return made
