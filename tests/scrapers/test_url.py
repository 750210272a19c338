"""URLs without their secrets."""

import copy
import json
import pickle

import pytest

from nonocensus.scrapers.url import Url, redact


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("s3://KEY:SECRET@bucket/store?region=x", "s3://bucket/store?region=x"),
        ("s3://KEY:SEC/RE+T@bucket/a", "s3://bucket/a"),
        ("s3://KEY:12/CRET@bucket/a", "s3://bucket/a"),
        ("s3://bucket/a?endpoint_override=http%3A%2F%2Fbob:pw@host", "s3://bucket/a?endpoint_override=http%3A%2F%2Fhost"),
        ("s3://bucket/a?endpoint_override=http%3A%2F%2Fbob%3Apw%40h%3A9&region=x",
         "s3://bucket/a?endpoint_override=http%3A%2F%2Fh%3A9&region=x"),
        ("http://bob:pw@host:80/p?X-Amz-Credential=A&X-Amz-Signature=b&a=1",
         "http://host:80/p?X-Amz-Credential=***&X-Amz-Signature=***&a=1"),
        ("https://h/?AWSAccessKeyId=A&Signature=a%2Bb==&Expires=1", "https://h/?AWSAccessKeyId=***&Signature=***&Expires=1"),
        ("https://h/?sv=1&sig=abc#x", "https://h/?sv=1&sig=***#x"),
        ("https://h/x?id=5#access_token=abc", "https://h/x?id=5#access_token=***"),
        ("https://TOKEN@github.com/x", "https://github.com/x"),
        ("HTTP://BOB:PW@HOST/x", "HTTP://HOST/x"),
        ("http://bob:p@ss@host/x", "http://host/x"),
        ("http://bob:pa/ss@host/x", "http://host/x"),
        ("http://bob:pa?ss@host/x", "http://host/x"),
        ("sftp://user:pw@host/x", "sftp://user@host/x"),
        ("zip://a.zip::https://bob:pw@host/a.zip", "zip://a.zip::https://host/a.zip"),
        ("--out=s3://KEY:SECRET@bucket/a", "--out=s3://bucket/a"),
        ("Cannot parse URI: 's3://KEY:SEC/RET@bucket'", "Cannot parse URI: 's3://bucket'"),
        ("too many retries with url: /p?token=abc: 404", "too many retries with url: /p?token=***: 404"),
    ],
)  # fmt: skip
def test_secrets_are_removed(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        *("s3://bucket/a:b@c", "http://host:8080/a@b", "http://[::1]:8080/x@y", "hf://datasets/a/b@revision/x"),
        *("gs://anonymous@bucket/x", "hdfs://user@host:9000/x", "https://webpbn.com/export.cgi?id=5&fmt=xml&go=1"),
        *("/home/me@host/c:d", "see http://host/x, and mail me@host", "http://host:80 me@host", ""),
    ],
)
def test_text_without_secrets_stays(text: str) -> None:
    assert redact(text) == text


def test_only_secret_has_the_secret() -> None:
    text = "s3://KEY:SECRET@bucket/a"
    url = Url(text)
    assert url.secret == text
    shown = f"{url}", str(url), repr(url), json.dumps([url]), url + "/b", url.rstrip("/"), " ".join([url])
    assert not any("SECRET" in shape for shape in shown)
    for same in (str(url), Url(url), copy.deepcopy(url), pickle.loads(pickle.dumps(url))):
        assert (same.secret, same) == (text, "s3://bucket/a")


def test_credentials_are_borrowed_within_a_bucket() -> None:
    run = Url("s3://KEY:SECRET@bucket/run")
    assert Url("s3://bucket/store").borrow_user(run).secret == "s3://KEY:SECRET@bucket/store"
    for other in ("s3://bucket2/store", "s3://K:S@bucket/store", "/home/store"):
        assert Url(other).borrow_user(run).secret == other
    assert Url("/tmp/x/store").borrow_user(Url("/tmp/x/run")).secret == "/tmp/x/store"
