# SPDX-License-Identifier: AGPL-3.0-or-later
"""The embedding model in force: loaded beside the window, changed without a gap.

What was made with the old model stays in force and on the screen until the new one is loaded and
the vectors of the document shown are made with it.
"""

from PySide6.QtCore import QObject, Signal

from core.engine_process import EngineProcess
from core.errors import ChunkscopeError
from core.pipeline import Pipeline
from core.vectors.endpoint import Endpoint
from core.vectors.fetch import confirm_host, fetch_model, is_confirmed, note_host
from core.vectors.late import late_vectors
from core.vectors.models import PACKAGED_MODEL, find_model
from core.vectors.remote import RemoteEmbedder, remote_embedder
from gui import settings
from gui.jobs import Jobs, JobToken
from gui.state import State

SLOT = "model"
FIRST = -20  # before all that waits in the lane


class ModelChoice(QObject):
    """Loads models, downloads them when asked, and notes which hosts may be sent text.

    Signals:
        loading: name of a model.
        ready: the RemoteEmbedder that is in force now.
        failed: what went wrong; the model before stays in force.
        consent_needed: host, name of the model; ask the user, then call `confirm`.
        downloaded: name of a model that is on this machine now.
    """

    loading = Signal(str)
    ready = Signal(object)
    failed = Signal(str)
    consent_needed = Signal(str, str)
    downloaded = Signal(str)

    def __init__(
        self,
        state: State,
        jobs: Jobs,
        pipeline: Pipeline,
        engine: EngineProcess,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._jobs = jobs
        self._pipeline = pipeline
        self._engine = engine
        for host in settings.read(settings.ENDPOINT_HOSTS).splitlines():
            note_host(host)

    @property
    def current(self) -> RemoteEmbedder | None:
        """The model in force."""
        embedder = self._pipeline.embedder
        return embedder if isinstance(embedder, RemoteEmbedder) else None

    def load_remembered(self) -> None:
        """Load the model that was in force when the program ended, or else the packaged one."""
        name, _, window = settings.read(settings.MODEL).partition("\n")
        self.load(name or PACKAGED_MODEL, int(window) if window.isdigit() else None)

    def load(self, name: str, window: int | None = None) -> None:
        """Put a model into force, once it is ready.

        Args:
            name: an id, an alias, a folder, or URL#MODEL of an endpoint.
            window: word pieces that it reads; None: as its library would.
        """
        host = endpoint_host(name)
        if host and not is_confirmed(host):
            self.consent_needed.emit(host, name)
            return
        current = self._state.current
        document = current.document if current is not None else None
        has_results = self._pipeline.embedder is not None

        def work(token: JobToken) -> object:
            embedder = remote_embedder(name, self._engine, window=window, cancel=token)
            is_waiting = has_results and embedder.has_token_vectors
            if is_waiting and document is not None and document.text.strip():
                late_vectors(document.text, embedder, cancel=token, progress=token.progress)
            return embedder

        def done(embedder: object) -> None:
            assert isinstance(embedder, RemoteEmbedder), "the engine's model"
            self._pipeline.set_embedder(embedder)
            if has_results and document is not None and embedder.has_token_vectors:
                self._pipeline.token_vectors(document)  # made above: only mapped here
            settings.write(settings.MODEL, f"{name}\n{window or ''}")
            self.ready.emit(embedder)

        def failed(error: Exception) -> None:
            self.failed.emit(str(error))
            if not has_results and name != PACKAGED_MODEL:  # the remembered one is gone
                self.load(PACKAGED_MODEL)

        self.loading.emit(name)
        # The first one goes before references and vectors: mostly only its facts are read.
        lane = "model" if has_results else "query"
        if has_results:
            self._jobs.cancel_all("exact ")  # of the old model: nobody would see them
        self._jobs.request(
            SLOT, lane, work, done, failed=failed, priority=FIRST, title="Loading model"
        )

    def confirm(self, host: str, name: str) -> None:
        """The user agrees that text goes to a host, now and later; then load the model."""
        note_host(host)
        known = settings.read(settings.ENDPOINT_HOSTS).splitlines()
        settings.write(settings.ENDPOINT_HOSTS, "\n".join(dict.fromkeys([*known, host])))

        def work(token: JobToken) -> object:
            return self._engine.call(confirm_host, host, cancel=token)

        def done(_: object) -> None:
            self.load(name)

        self._jobs.request("consent", "model", work, done)

    def download(self, name: str) -> None:
        """Download a model; only called by the user's click."""

        def work(token: JobToken) -> object:
            return self._engine.call(fetch_model, name, cancel=token, progress=token.progress)

        def done(_: object) -> None:
            self.downloaded.emit(name)
            self.load(name)

        def failed(error: Exception) -> None:
            self.failed.emit(str(error))

        self._jobs.request(
            "download", "model", work, done, failed=failed, title="Downloading model"
        )


def endpoint_host(name: str) -> str:
    """The host that text would be sent to; empty for a model of this machine."""
    try:
        entry = find_model(name)
    except ChunkscopeError:
        return ""  # loading says what is wrong
    if entry.kind != "openai":
        return ""
    from core.vectors.endpoint import OPENAI_BASE

    base, _, named = entry.id.partition("#")
    endpoint = Endpoint(base, named) if named else Endpoint(OPENAI_BASE, entry.id)
    return "" if endpoint.is_local else endpoint.host
