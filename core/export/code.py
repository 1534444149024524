# SPDX-License-Identifier: AGPL-3.0-or-later
"""Code: a script that makes exactly these chunks again, in plain Python or for a framework.

No framework has most of the strategies, and none gives the same cuts at the same settings, so the
script cuts at our offsets and checks itself by hashes. It names the framework's own nearest
splitter for who wants to go on with that.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from core import VERSION
from core.errors import ParameterError, nearest
from core.export.exported import FRAMEWORKS, Exported
from core.strategies.recipe import Recipe

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Nearest:
    """A splitter of a framework that is nearest to a strategy, as a call."""

    langchain: str
    llamaindex: str
    haystack: str


def code_bytes(exported: Exported) -> bytes:
    """The script.

    Raises:
        ParameterError: an unknown framework.
    """
    framework = exported.framework
    if framework is not None and framework not in FRAMEWORKS:
        raise ParameterError(
            f"framework is '{framework}', but must be one of {', '.join(FRAMEWORKS)}"
            f"{nearest(framework, FRAMEWORKS)}"
        )
    rows = exported.rows()
    texts = [row["text"] for row in rows]
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=False,  # Python, not HTML: values are written by `repr`
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    script = environment.get_template("code.py.jinja").render(
        version=VERSION,
        source=_comment(exported.source.name),
        recipe=_comment(exported.recipe.word),
        framework=framework,
        nearest=nearest_splitter(exported.recipe, framework) if framework else "",
        sha256=exported.document.sha256,
        chunks_sha256=texts_digest(texts),
        strategy=repr(exported.recipe.word),
        rows=[
            (row["spans"] or [], row["pages"], repr(row["text"]) if row["spans"] is None else None)
            for row in rows
        ],
    )
    return script.encode("utf-8", "backslashreplace")


def texts_digest(texts: list[str]) -> str:
    """SHA-256 over the chunks' texts with their lengths before them."""
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def nearest_splitter(recipe: Recipe, framework: str) -> str:
    """The framework's own splitter that comes nearest, as a call."""
    kind = _KINDS.get(recipe.code) or _KINDS_OF_FAMILIES.get(
        recipe.strategy.declaration.family, "recursive"
    )
    call: str = getattr(_NEAREST[kind], framework)
    values = recipe.parameters
    size, overlap = values.get("size", 1000), values.get("overlap", 0)
    sentences = values.get("sentences", 1)
    return call.format(size=size, overlap=overlap, sentences=sentences)


_NEAREST = {
    "characters": Nearest(
        'CharacterTextSplitter(separator="", chunk_size={size}, chunk_overlap={overlap})',
        "TokenTextSplitter(chunk_size=…, chunk_overlap=…)  # it counts tokens, not characters",
        'DocumentSplitter(split_by="word", …)  # it counts words, not characters',
    ),
    "tokens": Nearest(
        'TokenTextSplitter(encoding_name="cl100k_base", '
        "chunk_size={size}, chunk_overlap={overlap})",
        "TokenTextSplitter(chunk_size={size}, chunk_overlap={overlap})",
        'RecursiveDocumentSplitter(split_unit="token", '
        "split_length={size}, split_overlap={overlap})",
    ),
    "recursive": Nearest(
        "RecursiveCharacterTextSplitter(chunk_size={size}, chunk_overlap={overlap})",
        "SentenceSplitter(chunk_size={size}, chunk_overlap={overlap})  # it counts tokens",
        'RecursiveDocumentSplitter(split_unit="char", '
        "split_length={size}, split_overlap={overlap})",
    ),
    "sentences": Nearest(
        "NLTKTextSplitter()  # it fills chunks with sentences up to a size",
        "SentenceWindowNodeParser(window_size=0)",
        'DocumentSplitter(split_by="sentence", split_length={sentences})',
    ),
    "paragraphs": Nearest(
        'CharacterTextSplitter(separator="\\n\\n")',
        'SentenceSplitter(paragraph_separator="\\n\\n")',
        'DocumentSplitter(split_by="passage", split_length=1)',
    ),
    "semantic": Nearest(
        "SemanticChunker(embeddings)  # of langchain_experimental",
        "SemanticSplitterNodeParser(embed_model=…)",
        "EmbeddingBasedDocumentSplitter(document_embedder=…)",
    ),
    "sections": Nearest(
        "MarkdownHeaderTextSplitter(headers_to_split_on=…)  # of the markdown form",
        "MarkdownNodeParser()  # of the markdown form",
        "MarkdownHeaderSplitter()  # of the markdown form",
    ),
    "parents": Nearest(
        "ParentDocumentRetriever(child_splitter=…, parent_splitter=…)",
        "HierarchicalNodeParser.from_defaults(chunk_sizes=…)",
        "HierarchicalDocumentSplitter(block_sizes=…)",
    ),
    "pages": Nearest(
        'PyPDFLoader(path, mode="page")',
        "PDFReader()  # one document a page",
        'DocumentSplitter(split_by="page", split_length=1)',
    ),
}
_KINDS = {
    "FCC": "characters",
    "FC": "tokens",
    "OFC": "tokens",
    "SWC": "tokens",
    "DFC": "tokens",
    "K1b": "tokens",
    "LCTS": "tokens",
    "SBC": "sentences",
    "SGC": "sentences",
    "LAC": "sentences",
    "LCSI": "sentences",
    "PBC": "paragraphs",
    "PGC": "paragraphs",
    "LCPI": "paragraphs",
    "PCC": "parents",
    "PAGE": "pages",
    "S1": "sections",
    "SEBC": "semantic",
    "SBDC": "semantic",
    "SSTC": "semantic",
    "SVAC": "semantic",
    "K4": "semantic",
    "TBC": "semantic",
}
_KINDS_OF_FAMILIES = {"hybrids": "recursive"}


def _comment(text: str) -> str:
    """A text that cannot end the comment it stands in."""
    return " ".join(text.split())
