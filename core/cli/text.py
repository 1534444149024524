# SPDX-License-Identifier: AGPL-3.0-or-later
"""`text`: what was extracted."""

import argparse

from core.cli.flags import add_file_arguments
from core.cli.printing import Printed, print_json, print_notices
from core.cli.reading import read
from core.document.geometry import boxes_of
from core.document.model import Block, Document
from core.export.plain_values import document_json, notices_json


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
            "document": document_json(document, str(namespace.file)),
            "text": document.text,
            "pages": pages,
            "blocks": [block_json(document, block) for block in document.blocks],
            "notices": notices_json(document.notices),
        }
    )


def block_json(document: Document, block: Block) -> dict[str, object]:
    """A block as plain values.

    `boxes` are on its page, one a line; of a block without characters, such as a figure, its
    region. `continued` are those on later pages.
    """
    boxes = [(each["page"], each["box"]) for each in boxes_of(document, block.start, block.end)]
    boxes = boxes or [(page, [round(side, 2) for side in box]) for page, *box in block.boxes]
    return {
        "span": [block.start, block.end],
        "kind": block.kind,
        "level": block.level,
        "page": block.page,
        "boxes": [box for page, box in boxes if page == block.page],
        "continued": [{"page": page, "box": box} for page, box in boxes if page != block.page],
        "source": block.source,
        "rows": [list(row) for row in block.rows],
    }
