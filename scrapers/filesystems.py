"""Filesystems by URI: Arrow's own, Azure's blob storage, and the others of fsspec, which are only read."""

import os
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from nonocensus.scrapers.url import Url
from nonocensus.solver.extras import extra

UNKNOWN = "Unrecognized filesystem type"
"""Arrow's words for a scheme that it does not have."""


def open_filesystem(uri: str) -> tuple[fs.FileSystem, str]:
    """Return a URI's filesystem, and the path in it.

    Arrow has s3, gs, hf and hdfs; az is Azure's blob storage; other schemes are fsspec's, whose implementations raise
    errors of their own. Raises ValueError if the URI is invalid or of an unknown scheme, OSError, MissingExtra.
    """
    uri = Url(uri).secret
    scheme = uri.partition("://")[0]
    if scheme == "az":
        return _open_azure(), uri.removeprefix("az://").partition("?")[0]
    try:
        found: tuple[fs.FileSystem, str] = fs.FileSystem.from_uri(uri)
        return found
    except ImportError as error:  # hf's packages; the message names the missing one
        raise ValueError(str(error)) from error
    except pa.ArrowInvalid as error:
        if UNKNOWN not in str(error) or scheme in ("http", "https"):
            raise
    with extra("fsspec"):
        import fsspec
    try:
        filesystem, path = fsspec.core.url_to_fs(uri)
    except ImportError as error:  # names the package to install
        raise ValueError(str(error)) from error
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem)), path


def _open_azure() -> fs.FileSystem:
    """Open the account that obstore's environment variables name; without a key or token, by Azure's own lookup."""
    account = os.environ.get("AZURE_STORAGE_ACCOUNT_NAME")
    if not account:
        raise ValueError("AZURE_STORAGE_ACCOUNT_NAME is not set")
    options: dict[str, str | None] = {
        "account_key": os.environ.get("AZURE_STORAGE_ACCOUNT_KEY"),
        "sas_token": os.environ.get("AZURE_STORAGE_SAS_TOKEN"),
    }
    endpoint = urlsplit(os.environ.get("AZURE_STORAGE_ENDPOINT", ""))
    if endpoint.netloc:
        authority = endpoint.netloc.removeprefix(account)  # Arrow adds the account in front of a dot
        options |= {
            "blob_storage_authority": authority,
            "blob_storage_scheme": endpoint.scheme,
            "dfs_storage_authority": authority.replace(".blob.", ".dfs."),
            "dfs_storage_scheme": endpoint.scheme,
        }
    return fs.AzureFileSystem(account, **options)
