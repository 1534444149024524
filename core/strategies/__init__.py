# SPDX-License-Identifier: AGPL-3.0-or-later
"""Chunking strategies, one file a family. Importing this package registers all of them."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__, prefix=f"{__name__}."):
    import_module(_module.name)
