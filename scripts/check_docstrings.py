# SPDX-License-Identifier: AGPL-3.0-or-later
"""Check that public functions have docstrings, and that bare arrays in them say their shape.

A function whose signature names an array without saying what it holds (`NDArray[np.float64]`,
`np.ndarray`) must give a shape such as `(n,)` or `(n, 2)` in its docstring or, for a method, in
that of its class. The names of `core/arrays.py` (`Spans`, `Values`, ...) say theirs, and
`NDArray[Any]` is any array.

Usage: check_docstrings.py FOLDER...    Exit status 1 where something is missing.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

BARE_ARRAY = re.compile(r"\bNDArray\[(?!Any\])|\bndarray\b")
SHAPE = re.compile(r"\(\s*\w+(\s*[-+*]\s*\w+)?\s*,[^()]*\)|\bscalar\b")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_public(function: Function) -> bool:
    """Say whether other modules may call it."""
    return not function.name.startswith("_")


def list_functions(tree: ast.Module) -> Iterator[tuple[Function, str]]:
    """Yield each public function and method with the docstring of its class, or ""."""
    for node in tree.body:
        if isinstance(node, Function) and is_public(node):
            yield node, ""
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            about_class = ast.get_docstring(node) or ""
            for member in node.body:
                if isinstance(member, Function) and is_public(member):
                    yield member, about_class


def has_bare_array(function: Function) -> bool:
    """Say whether the signature names an array without its meaning."""
    arguments = function.args
    annotations = [
        argument.annotation
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    annotations.append(function.returns)
    return any(node and BARE_ARRAY.search(ast.unparse(node)) for node in annotations)


def is_overload(function: Function) -> bool:
    """Say whether it is only a signature, or the setter of a documented property."""
    names = {ast.unparse(decorator).rpartition(".")[2] for decorator in function.decorator_list}
    return bool(names & {"overload", "setter", "deleter"})


def find_faults(source: str) -> list[tuple[int, str]]:
    """Return line and fault of each function of a module that says too little."""
    faults = []
    for function, about_class in list_functions(ast.parse(source)):
        docstring = ast.get_docstring(function)
        if is_overload(function):
            continue
        if docstring is None:
            faults.append((function.lineno, f"{function.name} has no docstring"))
        elif has_bare_array(function) and not SHAPE.search(docstring + about_class):
            faults.append(
                (function.lineno, f"{function.name} takes or returns an array, but says no shape")
            )
    return faults


def main(folders: list[str]) -> int:
    """Print the faults of all modules below the folders; return the exit status."""
    count = 0
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.py")):
            for line, fault in find_faults(path.read_text(encoding="utf-8")):
                print(f"{path}:{line}: {fault}")
                count += 1
    print(f"{count} docstrings say too little" if count else "All public functions say enough")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
