# SPDX-License-Identifier: AGPL-3.0-or-later
"""`text`: what was extracted."""

import argparse

from core.cli.common import (
    Printed,
    add_file_arguments,
    document_json,
    notices_json,
    print_json,
    print_notices,
    read,
)
from core.document.model import Block


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser)


def run(namespace: argparse.Namespace) -> None:
    """Print the text, or all of it as JSON."""
    document = read(namespace.file, namespace, Printed(namespace))
    if not namespace.json:
        print_notices(document.notices, namespace)
        print(document.text)
        return
    pages = [
        {
            "span": [page.start, page.end],
            "width": page.width,
            "height": page.height,
            "rotation": page.rotation,
            "label": page.label,
        }
        for page in document.pages
    ]
    print_json(
        {
            "document": document_json(document, namespace.file),
            "text": document.text,
            "pages": pages,
            "blocks": [block_json(block) for block in document.blocks],
            "notices": notices_json(document.notices),
        }
    )


def block_json(block: Block) -> dict[str, object]:
    """A block as plain values; boxes are those of its page and of later ones."""
    return {
        "span": [block.start, block.end],
        "kind": block.kind,
        "level": block.level,
        "page": block.page,
        "boxes": [{"page": page, "box": box} for page, *box in block.boxes],
        "source": block.source,
        "rows": [list(row) for row in block.rows],
    }
