# SPDX-License-Identifier: AGPL-3.0-or-later
"""The endpoint is a real HTTP server on the loopback."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from core.errors import Cancelled, ModelError
from core.vectors.cache import VectorCache
from core.vectors.endpoint import Endpoint, EndpointEmbedder, find_key
from core.vectors.models import load_embedder


class Server:
    """Answers as told: `plan` holds a status for each request to come, else 200."""

    def __init__(self):
        self.requests, self.headers, self.plan = [], [], []
        self.answer = None  # a function of the texts, in place of the ordinary answer
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.requests.append(body)
                outer.headers.append(dict(self.headers))
                status, extra = outer.plan.pop(0) if outer.plan else (200, {})
                data = (outer.answer or outer.vectors)(body["input"]) if status == 200 else "busy"
                payload = data if isinstance(data, bytes) else json.dumps(data).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(payload)), **extra}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(payload)

            def log_message(self, *_arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self._server.server_port}/v1"

    @staticmethod
    def vectors(texts):
        """Vectors (length, 1), in reversed order, as an endpoint may answer."""
        rows = [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(texts)]
        return {"data": rows[::-1]}

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.close()


@pytest.fixture
def waits():
    return []


@pytest.fixture
def embedder(server, waits):
    endpoint = Endpoint(server.base, "tiny", key="secret")
    return EndpointEmbedder(endpoint, VectorCache(), sleep=waits.append)


def unit(*components):
    return pytest.approx(np.array(components) / np.linalg.norm(components), abs=1e-6)


def test_answers_are_put_in_order_and_normalised(embedder):
    vectors = embedder.encode(["abc", "a"])
    assert vectors.dtype == np.float32
    assert vectors[0] == unit(3, 1)
    assert vectors[1] == unit(1, 1)


def test_the_request_names_model_format_and_key(embedder, server):
    embedder.encode(["abc"])
    assert server.requests[-1] == {"model": "tiny", "input": ["abc"], "encoding_format": "float"}
    assert server.headers[-1]["Authorization"] == "Bearer secret"


def test_an_empty_text_is_never_sent(embedder, server):
    vectors = embedder.encode(["", "abc", ""])
    assert all("" not in request["input"] for request in server.requests)
    assert not vectors[[0, 2]].any()
    assert embedder.encode([]).shape == (0, 2)


def test_a_request_has_at_most_256_texts(embedder, server):
    vectors = embedder.encode([f"{'x' * n}" for n in range(1, 601)])
    assert max(len(request["input"]) for request in server.requests) == 256
    assert vectors[599] == unit(600, 1)


def test_a_known_text_is_not_sent_again(embedder, server):
    embedder.encode(["abc"])
    sent = len(server.requests)
    embedder.encode(["abc", "abc"])
    assert len(server.requests) == sent


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again_ever_later(embedder, server, waits, status):
    server.plan = [(status, {})] * 3
    assert embedder.dimension == 2
    assert waits == [1, 2, 4]


def test_the_wait_that_a_server_asks_for_is_kept(embedder, server, waits):
    server.plan = [(429, {"Retry-After": "7"}), (429, {"Retry-After": "never"})]
    assert embedder.dimension == 2
    assert waits == [7, 2]


def test_after_five_tries_it_is_an_error(embedder, server, waits):
    server.plan = [(503, {})] * 5
    with pytest.raises(ModelError, match=r"127\.0\.0\.1 gives no vectors for 'tiny': status 503"):
        embedder.encode(["abc"])
    assert len(server.requests) == 5
    assert len(waits) == 4


def test_a_refusal_is_not_tried_again(embedder, server):
    server.plan = [(401, {})]
    with pytest.raises(ModelError, match="status 401"):
        embedder.encode(["abc"])
    assert len(server.requests) == 1


def test_a_server_that_is_not_there_is_an_error(waits):
    endpoint = Endpoint("http://127.0.0.1:9/v1", "tiny")
    with pytest.raises(ModelError, match="gives no vectors"):
        EndpointEmbedder(endpoint, VectorCache(), sleep=waits.append).encode(["abc"])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(lambda texts: b"<html>", "not JSON", id="not JSON"),
        pytest.param(lambda texts: {"error": "no"}, "without vectors", id="no data"),
        pytest.param(lambda texts: {"data": []}, "0 vectors for 1 texts", id="too few"),
        pytest.param(
            lambda texts: {"data": [{"index": 1, "embedding": [1.0]}]},
            "1 vectors",
            id="wrong index",
        ),
    ],
)
def test_a_wrong_answer_is_an_error(embedder, server, answer, message):
    server.answer = answer
    with pytest.raises(ModelError, match=message):
        embedder.encode(["abc"])


def test_another_dimension_than_expected_is_an_error(server, waits):
    endpoint = Endpoint(server.base, "tiny")
    embedder = EndpointEmbedder(endpoint, VectorCache(), known_dimension=3, sleep=waits.append)
    with pytest.raises(ModelError, match="2 components for 'tiny', but 3 are expected"):
        embedder.encode(["abc"])


def test_a_vector_that_is_not_finite_becomes_zero(embedder, server):
    server.answer = lambda texts: b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'
    assert not embedder.encode(["abc"]).any()


def test_text_goes_to_no_host_that_was_not_confirmed():
    endpoint = Endpoint("https://vectors.example/v1", "tiny")
    with pytest.raises(ModelError, match=r"would send the text to vectors\.example: confirm"):
        EndpointEmbedder(endpoint, VectorCache(), known_dimension=2).encode(["abc"])


@pytest.mark.parametrize(
    ("base", "is_local"),
    [
        ("http://localhost:1/v1", True),
        ("http://127.0.0.2/v1", True),
        ("http://[::1]:8/v1", True),
        ("http://localhost.example/v1", False),
        ("https://10.0.0.1/v1", False),
    ],
)
def test_only_the_loopback_is_this_machine(base, is_local):
    assert Endpoint(base, "tiny").is_local == is_local


def test_the_key_is_in_no_message():
    assert "secret" not in repr(Endpoint("http://localhost", "tiny", key="secret"))


def test_cancelling_stops_before_the_next_request(embedder, server):
    class Now:
        """Cancels at once."""

        def check(self):
            raise Cancelled

    with pytest.raises(Cancelled):
        embedder.encode(["abc"], Now())
    assert all(request["input"] == ["dimension"] for request in server.requests)


def test_it_is_loaded_by_address_and_model_with_the_environment(server, monkeypatch):
    monkeypatch.setenv("CHUNKSCOPE_ENDPOINT_KEY", "from the environment")
    embedder = load_embedder(f"{server.base}#tiny", cache=VectorCache())
    assert embedder.encode_queries(["abc"])[0] == unit(3, 1)
    assert server.headers[-1]["Authorization"] == "Bearer from the environment"


def test_long_texts_are_cut_for_models_whose_limit_is_known(server, waits):
    endpoint = Endpoint(server.base, "tiny")
    embedder = EndpointEmbedder(endpoint, VectorCache(), window=5, sleep=waits.append)
    embedder.encode(["one two three four five six seven"])
    assert server.requests[-1]["input"] == ["one two three four five"]


def test_the_environment_comes_before_the_keyring(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    assert find_key("api.openai.com") == "key"
