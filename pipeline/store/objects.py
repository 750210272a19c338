"""Conditional writes and abortable uploads to object storage, by obstore (the extra `cloud`).

Arrow's S3 and GCS filesystems write unconditionally, and complete an upload when its stream is closed even after an
error, so Arrow only reads there.
"""

import configparser
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, unquote

import pyarrow as pa

from nonocensus.pipeline.errors import StorageError, UserError
from nonocensus.scrapers.url import Url, redact
from nonocensus.solver.extras import extra

if TYPE_CHECKING:
    from obstore import UpdateVersion, WritableFile
    from obstore.store import ObjectStore

Version: TypeAlias = "UpdateVersion | Literal['create']"
"""The version that a conditional write replaces, or NEW."""

NEW: Literal["create"] = "create"
"""The version of an object that does not exist."""

UPLOAD_CHUNK, UPLOADS_AT_ONCE = 8 << 20, 4
"""Bytes per part of a multipart upload (S3 allows 10,000 parts), and parts in flight, which bound the buffer."""

DELEGATED = "delegated"
"""Key in a bucket's configuration for the AWS profile setting that only boto3 supports."""

DELEGATING = ("credential_process", "sso_session", "sso_start_url", "role_arn")
"""AWS profile settings that name another source of credentials."""

CREDENTIALS_TTL = timedelta(minutes=5)
"""How long boto3's credentials are cached; it renews them ten minutes before they expire."""

CLIENT = {"timeout": "120s", "connect_timeout": "10s"}


class ConflictError(OSError):
    """A conditional write was refused: the object has another version."""


class StoredObject(NamedTuple):
    """An object as read; `modified` is by the server's clock."""

    data: bytes
    version: Version
    modified: datetime


class Bucket(NamedTuple):
    """An obstore bucket, and a URI for error messages."""

    store: "ObjectStore"
    uri: Url

    def read(self, key: str) -> StoredObject | None:
        """Read a small object; None if missing."""
        import obstore

        with self._errors(key):
            try:
                found = obstore.get(self.store, key)
                return StoredObject(bytes(found.bytes()), _version(found.meta), found.meta["last_modified"])
            except FileNotFoundError:
                return None

    def write(self, key: str, data: bytes, over: Version) -> Version:
        """Replace a small object at version `over`; return its new version. Raises ConflictError."""
        import obstore

        with self._errors(key):
            return _version(obstore.put(self.store, key, data, mode=over, use_multipart=False))

    def server_time(self, key: str) -> datetime:
        """Return the server's time, by writing and deleting a scratch object."""
        import obstore

        with self._errors(key):
            obstore.put(self.store, key, b"", use_multipart=False)
            now = obstore.head(self.store, key)["last_modified"]
            obstore.delete(self.store, key)
            return now

    @contextmanager
    def upload(self, key: str) -> Iterator[pa.NativeFile]:
        """Upload an object of any size in bounded memory; an exception in the block aborts the upload."""
        import obstore
        from obstore import exceptions

        with self._errors(key):
            writer = obstore.open_writer(self.store, key, buffer_size=UPLOAD_CHUNK, max_concurrency=UPLOADS_AT_ONCE)
        try:
            yield pa.PythonFile(_Sink(self, key, writer), mode="w")
        except BaseException as error:
            with suppress(exceptions.BaseError):  # an incomplete upload never becomes an object
                writer.__exit__(type(error), error, error.__traceback__)  # aborts it
            raise
        with self._errors(key):
            writer.close()

    @contextmanager
    def _errors(self, key: str) -> Iterator[None]:
        """Translate obstore's errors to one-line OSErrors."""
        from obstore import exceptions

        try:
            yield
        except (exceptions.AlreadyExistsError, exceptions.PreconditionError) as error:
            raise ConflictError(f"{self.uri}: {key} has been changed by another command") from error
        except (exceptions.BaseError, FileNotFoundError) as error:
            what = " ".join(str(error).partition("Debug source:")[0].split())
            raise OSError(redact(f"{self.uri}: {what[:500]}")) from error


def _version(about: Any) -> Version:
    """Return the version in a response: an ETag, on GCS also a generation number."""
    version: UpdateVersion = {}
    if about["e_tag"] is not None:
        version["e_tag"] = about["e_tag"]
    if about["version"] is not None:
        version["version"] = about["version"]
    return version


class _Sink(io.RawIOBase):
    """File object that Arrow writes an upload to; closing it does not complete the upload."""

    def __init__(self, bucket: Bucket, key: str, writer: "WritableFile") -> None:
        self.bucket, self.key, self.writer = bucket, key, writer

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        with self.bucket._errors(self.key):
            return self.writer.write(bytes(data))  # Arrow may free its buffer as soon as this returns


def open_bucket(uri: str, options: str, region: str | None) -> Bucket:
    """Open a bucket for writing.

    Raises MissingExtra if obstore is not installed, UserError if the scheme has no conditional writes.

    uri       s3://BUCKET/..., gs://BUCKET/... or az://CONTAINER/...; of s3, perhaps with ACCESS_KEY:SECRET_KEY@ first
    options   Arrow's URI query with the ?: region, scheme, endpoint_override, force_virtual_addressing
    region    the bucket's, as found by Arrow
    """
    scheme, _, rest = Url(uri).secret.partition("://")
    if scheme not in ("s3", "gs", "gcs", "az"):
        raise UserError(
            f"{uri} is read-only: {scheme}:// has no conditional writes, without which two writers would "
            "lose data; write to a local folder, s3://, gs:// or az://"
        )
    credentials, _, bucket = rest.partition("/")[0].rpartition("@")
    parameters = dict(parse_qsl(Url(options).secret.removeprefix("?")))
    config = {"s3": _s3, "az": _azure}.get(scheme, _gcs)(credentials, parameters, region)
    endpoint = config.get("endpoint", config.get("base_url", ""))
    return Bucket(_open_client(scheme, bucket, endpoint.startswith("http://"), tuple(config.items())), Url(uri))


@cache
def _open_client(scheme: str, bucket: str, plain_http: bool, config: tuple[tuple[str, Any], ...]) -> "ObjectStore":
    """Return the bucket's client, shared because it pools connections."""
    with extra("cloud"):
        from obstore.store import AzureStore, GCSStore, S3Store
    kind: Any = {"s3": S3Store, "az": AzureStore}.get(scheme, GCSStore)
    options = dict(config)
    delegated = options.pop(DELEGATED, None)
    provider = _boto3_provider(bucket, delegated) if delegated else None
    client_options = {**CLIENT, "allow_http": plain_http}
    store: ObjectStore = kind(bucket, config=options, client_options=client_options, credential_provider=provider)
    return store


def _boto3_provider(bucket: str, setting: str) -> Any:
    """Return the credential provider for an AWS profile setting that obstore does not support."""
    try:
        from botocore.exceptions import BotoCoreError
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        raise UserError(f"writing to s3:// with {setting} in the AWS profile needs boto3: pip install boto3") from None
    try:
        return Boto3CredentialProvider(ttl=CREDENTIALS_TTL)
    except (BotoCoreError, ValueError) as error:
        raise StorageError(f"s3://{bucket}: no credentials by {setting} in the AWS profile: {error}") from error


def _s3(credentials: str, parameters: dict[str, str], region: str | None) -> dict[str, Any]:
    """Configure obstore for S3; it takes the rest from the environment or the instance's role."""
    config: dict[str, Any] = {"conditional_put": "etag"}
    if region:
        config["region"] = region
    endpoint = parameters.get("endpoint_override") or os.environ.get(
        "AWS_ENDPOINT_URL_S3", os.environ.get("AWS_ENDPOINT_URL", "")
    )
    if endpoint:
        config["endpoint"] = endpoint if "://" in endpoint else f"{parameters.get('scheme', 'https')}://{endpoint}"
    if parameters.get("force_virtual_addressing", "").lower() in ("1", "true"):
        config["virtual_hosted_style_request"] = True
    if credentials:
        key, _, secret = credentials.partition(":")
        return config | {"access_key_id": unquote(key), "secret_access_key": unquote(secret)}
    return config | ({} if "AWS_ACCESS_KEY_ID" in os.environ else _profile())


def _profile() -> dict[str, str]:
    """Return the keys in the AWS profile, or, as DELEGATED, the setting that names their source.

    obstore does not read profiles; Arrow and boto3 do.
    """
    home, name = Path.home() / ".aws", os.environ.get("AWS_PROFILE", "default")
    files = [
        (os.environ.get("AWS_CONFIG_FILE") or home / "config", name if name == "default" else f"profile {name}"),
        (os.environ.get("AWS_SHARED_CREDENTIALS_FILE") or home / "credentials", name),
    ]
    found: dict[str, str] = {}
    for file, section in files:
        parser = configparser.RawConfigParser()
        with suppress(KeyError, configparser.Error, UnicodeDecodeError):
            parser.read(file, encoding="utf-8")
            found |= parser[section]
    names = {"aws_access_key_id": "access_key_id", "aws_secret_access_key": "secret_access_key",
             "aws_session_token": "session_token"}  # fmt: skip
    keys = {names[name]: value for name, value in found.items() if name in names}
    delegated = next((name for name in DELEGATING if name in found), None)
    return keys if keys or delegated is None else {DELEGATED: delegated}


def _azure(_credentials: str, _parameters: dict[str, str], _region: str | None) -> dict[str, Any]:
    """Configure obstore for Azure's blob storage, which takes all from the environment."""
    endpoint = os.environ.get("AZURE_STORAGE_ENDPOINT")
    return {"endpoint": endpoint} if endpoint else {}


def _gcs(credentials: str, parameters: dict[str, str], _region: str | None) -> dict[str, Any]:
    """Configure obstore for Google Cloud Storage."""
    config: dict[str, Any] = {"skip_signature": True} if credentials == "anonymous" else {}
    if endpoint := parameters.get("endpoint_override"):
        config["base_url"] = endpoint if "://" in endpoint else f"{parameters.get('scheme', 'https')}://{endpoint}"
    return config
