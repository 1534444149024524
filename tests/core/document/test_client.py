# SPDX-License-Identifier: AGPL-3.0-or-later
"""The parent's side of the PDF process: answers in order, deadlines, death, restart, end."""

import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest

from core.document import client as client_module
from core.document.client import PageError, PdfClient
from core.errors import DocumentError, PasswordError
from tests.core.document.made_pdfs import make_pdf, page_text


@pytest.fixture
def pages_pdf(tmp_path: Path) -> Path:
    """Twenty pages, each with its number as a word."""
    return make_pdf(
        tmp_path / "pages.pdf",
        "for number in range(20):\n"
        "    page = document.new_page(width=200, height=100 + number)\n"
        "    page.insert_text((20, 40), f'page{number}')\n",
    )


@pytest.fixture
def client(pages_pdf: Path):
    with PdfClient(pages_pdf) as opened:
        opened.open()
        yield opened


def test_opening_tells_the_sizes_of_all_pages(client):
    heights = [size.height for size in client.info.pages]
    assert heights == [100 + number for number in range(20)]


def test_pages_come_in_the_order_asked_for(client):
    order = [3, 1, 19, 0, 7, 7, 12, 5, 6, 2, 4, 18]
    assert [page_text(page) for page in client.raw_pages(order)] == [f"page{i}" for i in order]


def test_other_requests_may_be_made_between_two_pages(client):
    texts = []
    for page in client.raw_pages(range(20)):
        texts.append(page_text(page))
        assert client.image(page.index, 0.5).height == math.ceil((100 + page.index) / 2)
    assert texts == [f"page{number}" for number in range(20)]


def test_two_streams_of_pages_do_not_mix(client):
    up, down = client.raw_pages(range(20)), client.raw_pages(range(19, -1, -1))
    pairs = [(first.index, second.index) for first, second in zip(up, down, strict=True)]
    assert pairs == [(number, 19 - number) for number in range(20)]


def test_an_abandoned_stream_does_not_disturb_the_next_request(client):
    next(client.raw_pages(range(20)))
    assert page_text(client.raw_page(13)) == "page13"


def test_the_next_request_after_a_kill_is_answered_by_a_new_process(client):
    os.kill(client.pid, signal.SIGKILL)
    with pytest.raises(PageError, match=r"Page 5 of pages\.pdf cannot be read: "):
        client.raw_page(4)
    assert page_text(client.raw_page(4)) == "page4"
    assert client.restarts == 1


def test_a_kill_in_a_stream_costs_one_page_at_most_and_the_rest_goes_on(client):
    stream = client.raw_pages(range(20))
    pages = [next(stream)]
    os.kill(client.pid, signal.SIGKILL)
    pages += stream
    assert [page.index for page in pages] == list(range(20))
    failed = [page for page in pages if page.error]
    assert len(failed) <= 1
    assert all(page_text(page) == f"page{page.index}" for page in pages if not page.error)


def test_a_request_past_its_deadline_names_the_page_and_the_next_one_works(client):
    os.kill(client.pid, signal.SIGSTOP)
    with pytest.raises(PageError, match=r"Page 1 of pages\.pdf .* took longer than 0\.2 s"):
        client.raw_page(0, deadline=0.2)
    assert page_text(client.raw_page(0)) == "page0"


def test_a_late_page_of_a_stream_is_marked_and_the_rest_goes_on(client):
    os.kill(client.pid, signal.SIGSTOP)
    pages = list(client.raw_pages(range(3), deadline=2.0))
    assert "took longer than 2 s" in pages[0].error
    assert (pages[0].width, pages[0].height) == (200, 100)
    assert [page_text(page) for page in pages[1:]] == ["page1", "page2"]


def test_closing_ends_the_process_and_leaves_no_zombie(client):
    process = psutil.Process(client.pid)
    client.close()
    assert not process.is_running()
    assert client.pid is None


def test_a_stopped_process_is_ended_by_closing(client):
    process = psutil.Process(client.pid)
    os.kill(client.pid, signal.SIGSTOP)
    client.close()
    assert not process.is_running()


def test_the_process_ends_with_its_parent(pages_pdf, root):
    program = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from core.document.client import PdfClient\n"
        "if __name__ == '__main__':\n"
        "    client = PdfClient(Path(sys.argv[1]))\n"
        "    client.open()\n"
        "    client.image(0, 1.0)\n"
        "    print(client.pid, flush=True)\n"
        "    os._exit(0) if sys.argv[2] == 'abruptly' else None\n"
    )
    for ending in ("abruptly", "normally"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(pages_pdf), ending],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        assert done.stderr == "" or ending == "abruptly"  # shared memory is then cleaned up, told
        try:
            psutil.Process(int(done.stdout)).wait(timeout=10)
        except psutil.NoSuchProcess:
            continue


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_the_process_loads_neither_qt_nor_a_model_library(client):
    maps = Path(f"/proc/{client.pid}/maps").read_text()
    assert "pymupdf" in maps
    libraries = ("Qt6", "torch", "onnxruntime", "lancedb", "spacy")
    assert [name for name in libraries if name in maps] == []


def test_a_page_beyond_the_document_is_a_mistake_of_the_caller(client):
    with pytest.raises(ValueError, match="page 20 of 20"):
        client.raw_page(20)


def test_a_locked_file_asks_for_its_password_and_says_when_it_is_wrong(tmp_path):
    path = make_pdf(
        tmp_path / "locked.pdf",
        "document.new_page().insert_text((20, 40), 'secret')\n",
        save="encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw='user', owner_pw='owner'",
    )
    with PdfClient(path) as client:
        with pytest.raises(PasswordError, match=r"^locked\.pdf is locked: enter its password$"):
            client.open()
        with pytest.raises(PasswordError, match=r"^The password for locked\.pdf is wrong"):
            client.open("other")
        assert client.open("user").needs_password
        os.kill(client.pid, signal.SIGKILL)
        with pytest.raises(PageError):
            client.raw_page(0)
        assert page_text(client.raw_page(0)) == "secret"  # opened again with the same password


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("none.pdf", None, "does not exist", id="missing"),
        pytest.param("empty.pdf", b"", "empty.pdf is empty (0 bytes)", id="empty"),
        pytest.param("noise.pdf", b"\x00\x01noise" * 50, "noise.pdf cannot be opened", id="noise"),
        pytest.param("page.pdf", b"<html><p>Hi</p></html>", "is not a PDF", id="another kind"),
        pytest.param("folder", "folder", "is not a file", id="folder"),
    ],
)
def test_what_is_no_pdf_is_refused_with_one_line(tmp_path, name, content, message):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with PdfClient(path) as client, pytest.raises(DocumentError) as caught:
        client.open()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_image_has_the_pixels_of_its_scale_and_is_white_where_nothing_is(client):
    image = client.image(0, 2.0)
    pixels = np.frombuffer(image.data, np.uint8).reshape(image.height, image.stride)
    pixels = pixels[:, : image.width * 3].reshape(image.height, image.width, 3)
    assert (image.width, image.height, image.scale) == (400, 200, 2.0)
    assert pixels[:40].min() == 255
    assert pixels[40:90, 40:160].min() < 100


def test_a_tile_is_the_same_part_of_the_whole_picture(client):
    whole, tile = client.image(0, 2.0), client.image(0, 2.0, clip=(10, 20, 110, 60))
    rows = np.frombuffer(whole.data, np.uint8).reshape(whole.height, -1, 3)
    part = np.frombuffer(tile.data, np.uint8).reshape(tile.height, -1, 3)
    assert np.array_equal(part, rows[40:120, 20:220])


def test_a_turned_view_swaps_the_sides(client):
    image = client.image(5, 1.0, rotation=90)
    assert (image.width, image.height) == (105, 200)


def test_a_picture_with_too_many_pixels_is_drawn_smaller_and_says_so(tmp_path):
    path = make_pdf(tmp_path / "huge.pdf", "document.new_page(width=9000, height=9000)\n")
    with PdfClient(path) as client:
        client.open()
        image = client.image(0, 4.0)
    assert image.width * image.height <= 16_100_000
    assert image.scale == pytest.approx(image.width / 9000, rel=1e-3)


def test_clients_that_nobody_closed_are_ended_at_exit(pages_pdf):
    client = PdfClient(pages_pdf)
    client.open()
    process = psutil.Process(client.pid)
    client_module.close_all()
    assert not process.is_running()


def test_an_image_is_drawn_though_the_process_was_killed_while_it_had_nothing_to_do(client):
    before = client.image(0, 1.0)
    os.kill(client.pid, signal.SIGKILL)
    after = client.image(0, 1.0)
    assert after.data == before.data
    assert client.restarts == 1
