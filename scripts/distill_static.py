# SPDX-License-Identifier: AGPL-3.0-or-later
"""Distil a static model from the packaged MiniLM into the user's data folder; no network.

A static model has one vector a token and no context: it is about a hundred times as quick and
less exact. The method and the format are model2vec's.
"""

import argparse
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

DIMENSION = 256


def main() -> int:
    """Distil the model, unless it is there already."""
    from core.vectors.models import STATIC_MODEL, models_folder, packaged_folder

    parser = argparse.ArgumentParser(description="Distil a static model from the packaged MiniLM.")
    parser.add_argument(
        "--out", type=Path, default=models_folder() / STATIC_MODEL.replace("/", "--")
    )
    parser.add_argument("--force", action="store_true", help="make it again")
    arguments = parser.parse_args()
    source = packaged_folder()
    if source is None:
        print("the packaged model is not installed: run 'make setup'", file=sys.stderr)
        return 1
    if arguments.out.is_dir() and not arguments.force:
        print(f"already there: {arguments.out}")
        return 0
    distil(source, arguments.out)
    print(arguments.out)
    return 0


def distil(source: Path, target: Path) -> None:
    """Write the static model of `source`, under a temporary name until it is whole."""
    from model2vec.distill import distill_from_model
    from transformers import AutoModel, AutoTokenizer

    model = AutoModel.from_pretrained(source, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(source, local_files_only=True)
    static = distill_from_model(model, tokenizer, pca_dims=DIMENSION, device="cpu")
    partial = target.with_name(target.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    static.save_pretrained(partial)
    shutil.rmtree(target, ignore_errors=True)
    partial.rename(target)


if __name__ == "__main__":
    sys.exit(main())
