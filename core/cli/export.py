# SPDX-License-Identifier: AGPL-3.0-or-later
"""`export`: write chunks, a report, pictures or code; the ending of the file decides."""

import argparse
import os
from pathlib import Path

from core.cli.flags import add_file_arguments, add_recipe_arguments
from core.cli.printing import Printed, print_json, print_notices
from core.cli.reading import PASSWORD_VARIABLE, read
from core.cli.recipes import mode_of, model_of, needs_model, recipe_of, score_settings
from core.cli.score import parse_weights, scores_json
from core.errors import ParameterError
from core.export.exported import FRAMEWORKS, Exported
from core.export.formats import FORMATS, WITH_SCORES, check_target, export
from core.pipeline import Pipeline
from core.scores.options import score_options


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags of this command."""
    add_file_arguments(parser)
    add_recipe_arguments(parser)
    parser.add_argument(
        "--to", type=Path, required=True, metavar="OUT", help=f"ends in {', '.join(FORMATS)}"
    )
    parser.add_argument("--page", type=int, metavar="N", help="only this page, from 1")
    parser.add_argument("--framework", choices=FRAMEWORKS, help="of code; plain Python without")
    parser.add_argument("--force", action="store_true", help="write over an existing file")
    parser.add_argument("--embedder", metavar="E", help="a model's name, or toy")
    parser.add_argument("--weights", default="", metavar="RC=1,ICC=0", help="of the mean")


def run(namespace: argparse.Namespace) -> None:
    """Chunk, and write the file."""
    recipe = recipe_of(namespace)
    check_target(namespace.to, force=namespace.force)
    progress = Printed(namespace)
    document = read(namespace.file, namespace, progress)
    page = _page(namespace, len(document.pages))
    with_scores = namespace.to.suffix.lower() in WITH_SCORES
    pipeline = Pipeline(model_of(namespace) if with_scores or needs_model(recipe) else None)
    chunks = pipeline.chunk(recipe, document, progress=progress, allow_many=True)
    scores = None
    if with_scores:
        options = score_options(
            score_settings(namespace),
            mode=mode_of(namespace),
            weights=parse_weights(namespace.weights),
        )
        pipeline.find_pairs(document, progress=progress)
        scores = scores_json(pipeline.score(document, chunks, options, progress=progress))
    password = namespace.password or os.environ.get(PASSWORD_VARIABLE, "")
    framework = namespace.framework
    exported = Exported(namespace.file, document, recipe, chunks, page, password, framework, scores)
    export(exported, namespace.to, force=namespace.force)
    progress.end()
    if namespace.json:
        written = {"to": str(namespace.to), "bytes": namespace.to.stat().st_size}
        print_json({**written, "chunks": len(chunks)})
        return
    print_notices((*document.notices, *chunks.notices), namespace)
    print(f"{len(chunks):,} chunks by {recipe.word} written to {namespace.to}")


def _page(namespace: argparse.Namespace, count: int) -> int | None:
    """The index of the page that is asked for.

    Raises:
        ParameterError: the document has no such page.
    """
    if namespace.page is None:
        return None
    last = max(1, count)
    if not 1 <= namespace.page <= last:
        raise ParameterError(
            f"page is {namespace.page}, but must be 1 to {last}: choose a page in that range"
        )
    return int(namespace.page) - 1
