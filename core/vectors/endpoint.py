# SPDX-License-Identifier: AGPL-3.0-or-later
"""Embedders behind an endpoint with OpenAI's API: `POST {base}/embeddings`.

Text leaves this machine only to a host that the user has confirmed once. Nothing here starts a
connection before the first text is encoded.
"""

import ipaddress
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np

from core.arrays import Spans, Vectors, as_spans
from core.cancel import NEVER, CancelToken, Progress, silent
from core.errors import ModelError
from core.units.tokens import token_table
from core.vectors.cache import Space, VectorCache, encode_through
from core.vectors.models import ModelEntry

OPENAI_BASE = "https://api.openai.com/v1"
BASE_VARIABLE = "CHUNKSCOPE_ENDPOINT"
KEY_VARIABLES = ("CHUNKSCOPE_ENDPOINT_KEY", "OPENAI_API_KEY")
CONFIRMED_VARIABLE = "CHUNKSCOPE_ENDPOINT_CONFIRMED"  # host names, separated by commas
KEYRING_SERVICE = "chunkscope"

BATCH_TEXTS = 256
MOST_TRIES = 5
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
TIMEOUT_SECONDS = 60.0
TOKENIZER = "cl100k_base"  # of OpenAI's models; for all others an estimate


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, for which model, and whether the user agreed that text goes there."""

    base: str
    model: str
    key: str | None = field(default=None, repr=False)
    is_confirmed: bool = False

    @property
    def host(self) -> str:
        """The host's name, without port."""
        return urlsplit(self.base).hostname or ""

    @property
    def is_local(self) -> bool:
        """True if text does not leave this machine."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


@dataclass(frozen=True, slots=True, eq=False)
class EndpointEmbedder:
    """A model behind an endpoint. It gives no token vectors."""

    endpoint: Endpoint
    cache: VectorCache
    window: int | None = None
    query_prefix: str = ""
    document_prefix: str = ""
    known_dimension: int | None = None
    sleep: Callable[[float], None] = time.sleep
    has_token_vectors: bool = False
    _found: dict[str, int] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The model's name at the endpoint."""
        return self.endpoint.model

    @property
    def dimension(self) -> int:
        """Components of a vector; if nothing is known yet, one word is sent to find it."""
        known = self.known_dimension or self._found.get("dimension")
        return known or self._request(["dimension"], NEVER).shape[1]

    def encode(
        self, texts: Sequence[str], cancel: CancelToken = NEVER, progress: Progress = silent
    ) -> Vectors:
        """Unit vectors, float32 (n, d). An empty text is never sent: its vector is zero."""
        return self._encode(texts, self.document_prefix, cancel, progress)

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, float32 (n, d), with the query prefix."""
        return self._encode(texts, self.query_prefix, NEVER, silent)

    def pieces(self, text: str) -> Spans:
        """int64 (n, 2): spans of cl100k tokens; an estimate for models that are not OpenAI's."""
        table = token_table(text, TOKENIZER)
        return as_spans(np.stack([table.starts, table.ends], axis=1))

    def _encode(
        self, texts: Sequence[str], prefix: str, cancel: CancelToken, progress: Progress
    ) -> Vectors:
        wanted = [text for text in texts if text]
        vectors = np.zeros((len(texts), self.dimension), np.float32)

        def compute(missing: list[str], keep: Callable[[list[str], Vectors], None]) -> None:
            for low in range(0, len(missing), BATCH_TEXTS):
                cancel.check()
                progress(low, len(missing), "vectors")
                batch = missing[low : low + BATCH_TEXTS]
                keep(batch, self._request([self._cut(prefix + text) for text in batch], cancel))
            progress(len(missing), len(missing), "vectors")

        space = Space(self.id, self.endpoint.base, self.window, prefix)
        if wanted:
            rows = [row for row, text in enumerate(texts) if text]
            vectors[rows] = encode_through(
                self.cache, space, wanted, compute, dimension=self.dimension
            )
        return vectors

    def _cut(self, text: str) -> str:
        """The text up to the window: an endpoint refuses what is longer."""
        if self.window is None or len(text) <= self.window:
            return text
        pieces = self.pieces(text)
        return text if len(pieces) <= self.window else text[: pieces[self.window - 1, 1]]

    def _request(self, texts: list[str], cancel: CancelToken) -> Vectors:
        """Unit vectors of at most `BATCH_TEXTS` texts, none empty, by one successful request."""
        if not (self.endpoint.is_confirmed or self.endpoint.is_local):
            raise ModelError(
                f"'{self.id}' would send the text to {self.endpoint.host}: confirm this once in "
                f"the window, or with {CONFIRMED_VARIABLE}={self.endpoint.host}"
            )
        vectors = _read_vectors(self._answer(texts, cancel), len(texts), self.endpoint.host)
        known = self.known_dimension or self._found.get("dimension")
        if known and vectors.shape[1] != known:
            raise ModelError(
                f"{self.endpoint.host} gave vectors of {vectors.shape[1]} components for "
                f"'{self.id}', but {known} are expected: is it another model?"
            )
        self._found["dimension"] = vectors.shape[1]
        return vectors

    def _answer(self, texts: list[str], cancel: CancelToken) -> Any:
        """The JSON of the answer; busy and failing servers are asked again, ever later."""
        headers = {"Authorization": f"Bearer {self.endpoint.key}"} if self.endpoint.key else {}
        body = {"model": self.id, "input": texts, "encoding_format": "float"}
        url = f"{self.endpoint.base.rstrip('/')}/embeddings"
        problem = ""
        with httpx.Client(timeout=TIMEOUT_SECONDS) as client:
            for attempt in range(MOST_TRIES):
                cancel.check()
                wait = min(FIRST_WAIT_SECONDS * 2**attempt, LONGEST_WAIT_SECONDS)
                try:
                    response = client.post(url, json=body, headers=headers)
                except httpx.TransportError as error:
                    problem = str(error) or type(error).__name__
                else:
                    if response.status_code == httpx.codes.OK:
                        return _json(response, self.endpoint.host)
                    problem = f"status {response.status_code}: {response.text[:200]}"
                    if not _is_worth_another_try(response.status_code):
                        break
                    wait = _asked_wait(response.headers, wait)
                if attempt + 1 < MOST_TRIES:
                    self.sleep(wait)
        raise ModelError(f"{self.endpoint.host} gives no vectors for '{self.id}': {problem}")


def configured_endpoint(entry: ModelEntry, *, cache: VectorCache) -> EndpointEmbedder:
    """The embedder of a registry entry, with address, key and consent from the environment.

    The key is taken from the environment or the system's keyring, never from a file.
    """
    base, _, named = entry.id.partition("#")
    if not named:
        base, named = os.environ.get(BASE_VARIABLE, OPENAI_BASE), entry.id
    endpoint = Endpoint(base, named)
    confirmed = {host.strip() for host in os.environ.get(CONFIRMED_VARIABLE, "").split(",")}
    return EndpointEmbedder(
        Endpoint(base, named, find_key(endpoint.host), endpoint.host in confirmed),
        cache,
        window=entry.window,
        query_prefix=entry.query_prefix,
        document_prefix=entry.document_prefix,
        known_dimension=entry.dimension,
    )


def find_key(host: str) -> str | None:
    """The key for a host, from the environment or the keyring; None: none is needed or there."""
    for variable in KEY_VARIABLES:
        if os.environ.get(variable):
            return os.environ[variable]
    import keyring
    from keyring.errors import KeyringError

    try:
        found: str | None = keyring.get_password(KEYRING_SERVICE, host)
    except (KeyringError, RuntimeError):  # no keyring on this machine
        return None
    return found


def _read_vectors(answer: Any, count: int, host: str) -> Vectors:
    """Unit vectors, float32 (n, d), in the order of the texts; zero where one is not finite."""
    try:
        rows = sorted(answer["data"], key=lambda row: row["index"])
        indices = [row["index"] for row in rows]
        vectors = np.array([row["embedding"] for row in rows], np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{host} gave an answer without vectors: {error!r}") from error
    if indices != list(range(count)) or vectors.ndim != 2:
        raise ModelError(f"{host} gave {len(rows)} vectors for {count} texts")
    vectors[~np.isfinite(vectors).all(axis=1)] = 0.0
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    np.divide(vectors, norms, out=vectors, where=norms > 0)
    return vectors.astype(np.float32)


def _json(response: httpx.Response, host: str) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise ModelError(f"{host} gave an answer that is not JSON") from error


def _is_worth_another_try(status: int) -> bool:
    return status == httpx.codes.TOO_MANY_REQUESTS or status >= httpx.codes.INTERNAL_SERVER_ERROR


def _asked_wait(headers: Mapping[str, str], default: float) -> float:
    """Seconds that the server asks for, within bounds; else `default`."""
    try:
        asked = float(headers.get("retry-after", ""))
    except ValueError:
        return default
    return min(max(asked, 0.0), LONGEST_WAIT_SECONDS)
