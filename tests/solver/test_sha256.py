"""SHA-256 of many texts against hashlib's, one by one."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from solver import jit, sha256

LENGTHS = (*range(140), 1_000, 0, 0, 65_536)
"""Of texts: those around 64 bytes, of which SHA-256 makes a block, and 56, where one more is begun."""


def _texts() -> list[bytes]:
    rng = np.random.default_rng(3)
    return [rng.bytes(length) for length in LENGTHS]


def _ends(texts: list[bytes]) -> np.ndarray:
    return np.cumsum([0, *map(len, texts)])


@pytest.fixture(params=["kernel", "plain Python", "no OpenSSL in reach"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each way of hashing."""
    monkeypatch.setattr(jit, "PLAIN_STEPS", 1 << 60 if request.param == "plain Python" else 0)
    if request.param == "no OpenSSL in reach":
        monkeypatch.setattr(sha256, "FUNCTIONS", ("SHA256_Init", "no such function", "SHA256_Final"))
    sha256._in_openssl.cache_clear()
    yield
    sha256._in_openssl.cache_clear()


@pytest.mark.usefixtures("way")
def test_each_text_as_hashlib_has_it() -> None:
    texts = _texts()
    digests = sha256.sha256_of_each(b"".join(texts), _ends(texts))
    assert [bytes(digest) for digest in digests] == [hashlib.sha256(text).digest() for text in texts]


@pytest.mark.usefixtures("way")
def test_no_texts_and_a_part_of_the_data() -> None:
    assert sha256.sha256_of_each(b"", np.zeros(1, np.int64)).shape == (0, sha256.DIGEST_BYTES)
    digests = sha256.sha256_of_each(b"not this, but this, not this", np.array([10, 18]))
    assert [bytes(digest) for digest in digests] == [hashlib.sha256(b"but this").digest()]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("ends", [[0, 5], [2, 1], [-1, 2], [0, 4, 3], [0, 3, 2, 4]])
def test_ends_that_lead_out_of_the_data(ends: list[int]) -> None:
    with pytest.raises(ValueError, match="texts end before they begin, or beyond the data"):
        sha256.sha256_of_each(b"four", np.array(ends))


def test_openssl_is_in_reach_of_a_python_with_a_shared_one() -> None:
    ssl = pytest.importorskip("_hashlib")
    if "libcrypto" not in Path("/proc/self/maps").read_text():
        pytest.skip(f"{ssl.__name__} has an OpenSSL of its own")
    assert sha256._in_openssl() is not None


def test_a_function_that_hashes_something_else_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a library may have one of the same name."""
    monkeypatch.setattr(sha256, "FUNCTIONS", ("SHA224_Init", "SHA224_Update", "SHA224_Final"))
    sha256._in_openssl.cache_clear()
    assert sha256._in_openssl() is None
    sha256._in_openssl.cache_clear()
