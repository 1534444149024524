# SPDX-License-Identifier: AGPL-3.0-or-later
import numpy as np
import pytest

from core.errors import Cancelled
from core.vectors.cache import Space, VectorCache, cache_folder, encode_through, pack

SPACE = Space("model", "1", 256)
FILE = "vectors-1.sqlite"


def vector(number):
    return np.full(4, number, np.float32)


def keys(count):
    return [SPACE.key(str(number)) for number in range(count)]


def filled(folder, count=3, **limits):
    cache = VectorCache(folder, **limits)
    cache.put({key: vector(number) for number, key in enumerate(keys(count))})
    return cache


def test_vectors_come_back_from_the_disk_as_they_were(tmp_path):
    filled(tmp_path)
    found = VectorCache(tmp_path).find(keys(4))
    assert [found[key].tolist() for key in keys(3)] == [[n] * 4 for n in range(3)]
    assert len(found) == 3


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cache = filled(None)
    assert len(cache.find(keys(3))) == 3
    assert cache.size() == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "other",
    [
        Space("other", "1", 256),
        Space("model", "2", 256),
        Space("model", "1", 512),
        Space("model", "1", 256, prefix="query: "),
        Space("model", "1", 256, dtype="bfloat16"),
        Space("model", "1", 256, kind="windows"),
    ],
    ids=["model", "revision", "window", "prefix", "dtype", "kind"],
)
def test_all_that_a_vector_depends_on_is_in_its_key(other):
    assert other.key("text") != SPACE.key("text")


def test_memory_is_limited_and_the_least_recent_goes_first():
    cache = VectorCache(memory_bytes=3 * (16 + 300))
    for number, key in enumerate(keys(3)):
        cache.put({key: vector(number)})
    cache.find([keys(1)[0]])
    cache.put({b"new": vector(9)})
    assert list(cache.find(keys(3))) == [keys(3)[0], keys(3)[2]]


def test_the_file_keeps_to_its_limit(tmp_path):
    limit = 400_000
    cache = VectorCache(tmp_path, disk_bytes=limit)
    for low in range(0, 20_000, 2_000):
        cache.put({b"%d" % n: vector(n) for n in range(low, low + 2_000)})
    cache.put({b"last": vector(1)})
    newest = VectorCache(tmp_path, disk_bytes=limit).find([b"last"])
    assert len(newest) == 1
    assert (tmp_path / FILE).stat().st_size < 2 * limit


@pytest.mark.parametrize("damage", [b"not a database", b"SQLite format 3\x00" + b"\xff" * 5_000])
def test_a_damaged_file_is_dropped_and_made_again(tmp_path, damage):
    (tmp_path / FILE).write_bytes(damage)
    cache = VectorCache(tmp_path)
    assert cache.find(keys(1)) == {}
    filled(tmp_path)
    assert len(VectorCache(tmp_path).find(keys(3))) == 3


def test_a_file_cut_short_is_no_error(tmp_path):
    filled(tmp_path, 2_000)
    file = tmp_path / FILE
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    VectorCache(tmp_path).find(keys(2_000))
    filled(tmp_path)
    assert len(VectorCache(tmp_path).find(keys(3))) == 3


def test_vectors_that_are_not_numbers_are_not_believed(tmp_path):
    VectorCache(tmp_path).put({b"bad": np.array([np.nan, 1], np.float32)})
    assert VectorCache(tmp_path).find([b"bad"]) == {}


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = filled(tmp_path / "file" / "cache")
    assert len(cache.find(keys(3))) == 3


def test_clearing_forgets_memory_and_disk(tmp_path):
    cache = filled(tmp_path)
    assert cache.size() > 0
    cache.clear()
    assert not (tmp_path / FILE).exists()
    assert cache.find(keys(3)) == {}


def test_the_folder_can_be_chosen_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("CHUNKSCOPE_CACHE_DIR", str(tmp_path))
    assert cache_folder() == tmp_path


def encode(cache, texts, asked, fail_after=None):
    def compute(missing, keep):
        for text in missing:
            if fail_after is not None and len(asked) >= fail_after:
                raise Cancelled
            asked.append(text)
            keep([text], np.full((1, 4), len(text), np.float32))

    return encode_through(cache, SPACE, texts, compute, dimension=4)


def test_only_unknown_unique_texts_are_computed():
    cache, asked = VectorCache(), []
    encode(cache, ["a", "bb", "a"], asked)
    vectors = encode(cache, ["ccc", "bb", "ccc", "a"], asked)
    assert asked == ["a", "bb", "ccc"]
    assert vectors[:, 0].tolist() == [3, 2, 3, 1]


def test_what_was_done_before_cancelling_is_kept():
    cache, asked = VectorCache(), []
    with pytest.raises(Cancelled):
        encode(cache, ["a", "bb", "ccc"], asked, fail_after=2)
    encode(cache, ["a", "bb", "ccc"], asked)
    assert asked == ["a", "bb", "ccc"]


def test_a_vector_of_another_length_is_computed_again():
    cache, asked = VectorCache(), []
    cache.put({SPACE.key("a"): np.zeros(7, np.float32)})
    assert encode(cache, ["a"], asked).shape == (1, 4)
    assert asked == ["a"]


def test_no_texts_give_an_empty_array():
    assert encode(VectorCache(), [], []).shape == (0, 4)


def write_numbers(folder):
    np.save(folder / "numbers.npy", np.arange(1_000))


def test_arrays_are_made_once_and_found_again(tmp_path):
    cache = VectorCache(tmp_path)
    made = []

    def make(folder):
        made.append(folder)
        write_numbers(folder)

    places = {cache.arrays(b"key", make, lambda folder: True) for _ in range(3)}
    assert len(made) == len(places) == 1
    assert len(np.load(places.pop() / "numbers.npy")) == 1_000


def test_arrays_that_could_not_be_made_leave_nothing(tmp_path):
    def fail(folder):
        write_numbers(folder)
        raise Cancelled

    with pytest.raises(Cancelled):
        VectorCache(tmp_path).arrays(b"key", fail, lambda folder: True)
    assert not list((tmp_path / "tokens-1").iterdir())


def test_the_oldest_arrays_go_when_the_limit_is_passed(tmp_path):
    cache = VectorCache(tmp_path, disk_bytes=2 * 20_000)
    for number in range(6):
        cache.arrays(b"%d" % number, write_numbers, lambda folder: True)
    left = {folder.name for folder in (tmp_path / "tokens-1").iterdir()}
    assert b"5".hex() in left
    assert len(left) <= 3


def test_shipped_vectors_and_arrays_are_found_and_never_written(tmp_path):
    own = filled(tmp_path / "own")
    own.arrays(b"key", write_numbers, lambda folder: True)
    pack(own.folder, tmp_path / "shipped")
    before = sorted(tmp_path.glob("shipped/**/*"))

    cache = VectorCache(tmp_path / "new", shipped=tmp_path / "shipped")
    assert [each.tolist() for each in cache.find(keys(3)).values()] == [[n] * 4 for n in range(3)]
    place = cache.arrays(b"key", write_numbers, lambda folder: True)
    assert place.is_relative_to(tmp_path / "shipped")
    assert sorted(tmp_path.glob("shipped/**/*")) == before


def test_damaged_shipped_vectors_are_no_error(tmp_path):
    (tmp_path / "shipped").mkdir()
    (tmp_path / "shipped" / FILE).write_bytes(b"not a database")
    assert VectorCache(tmp_path / "new", shipped=tmp_path / "shipped").find(keys(3)) == {}
