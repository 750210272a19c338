"""Upload of a dataset folder to the Hugging Face Hub (the extra `hub`).

The client hashes each file and skips those that the repository has, so that an upload that was interrupted resumes, and
one that is repeated changes nothing.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from nonocensus.pipeline.errors import NetworkError, UserError
from nonocensus.pipeline.findings.dataset_folder import CARD, CROISSANT, DATA_FILE, DEPOSIT, MARK
from nonocensus.reports.dataset_columns import SPLITS
from nonocensus.solver.extras import extra

if TYPE_CHECKING:
    from huggingface_hub import HfApi

DESTINATION = re.compile(r"hf://(?:datasets/)?([\w.-]+/[\w.-]+)/?")

FRESH = re.compile(rf"\.gitattributes|{'|'.join(map(re.escape, (CARD, CROISSANT, DEPOSIT)))}|data/{DATA_FILE.pattern}")
"""Files of a repository that is new, or to which an upload was interrupted."""

LOG_IN = "run `hf auth login`, or set HF_TOKEN"


class HubUpload(NamedTuple):
    """What an upload has done: whether it changed the repository, and whether that is private."""

    changed: bool
    private: bool


class HubRepository(NamedTuple):
    """A dataset repository on the Hub, which need not exist."""

    name: str  # USER/NAME
    api: "HfApi"

    @property
    def address(self) -> str:
        """The address of its page."""
        return f"{self.api.endpoint}/datasets/{self.name}"

    def check(self, public: bool) -> None:
        """Raise UserError or NetworkError if a dataset can't be uploaded there, as far as is known before.

        public   whether the dataset may become public, which an existing repository can be
        """
        import huggingface_hub
        from huggingface_hub.errors import RepositoryNotFoundError

        if not huggingface_hub.get_token():
            raise UserError(f"no token for {self.api.endpoint}: {LOG_IN}")
        with self._errors():
            try:
                there = self.api.dataset_info(self.name)
            except RepositoryNotFoundError:
                return
        names = {file.rfilename for file in there.siblings or ()}
        if MARK not in names and any(not FRESH.fullmatch(name) for name in names):
            raise UserError(
                f"{self.address} holds something else than a dataset of nonocensus; name another repository"
            )
        if not there.private and not public:
            raise UserError(f"{self.address} is public; give --public to publish there, or name another repository")

    def upload(self, folder: str, files: Iterable[str], public: bool) -> HubUpload:
        """Create it, if it does not exist, and replace its dataset.

        folder   local path
        files    of the dataset, relative to the folder; other files stay behind
        public   for a new repository
        """
        with self._errors():
            self.api.create_repo(self.name, repo_type="dataset", private=not public, exist_ok=True)
            there = self.api.dataset_info(self.name)
            made = self.api.upload_folder(
                repo_id=self.name,
                repo_type="dataset",
                folder_path=folder,
                allow_patterns=list(files),
                delete_patterns=[f"data/{split}-?????.parquet" for split in SPLITS],
                commit_message="Upload a dataset of nonocensus",
            )
        return HubUpload(made.oid != there.sha, bool(there.private))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Translate the client's errors to one-line NetworkErrors."""
        from huggingface_hub.errors import HfHubHTTPError

        try:
            yield
        except HfHubHTTPError as error:
            refused = {
                401: f"the token is not accepted: {LOG_IN}",
                403: f"the token does not permit it: make one that may write, then {LOG_IN}",
            }
            what = refused.get(error.response.status_code) or _first_line(error)
            raise NetworkError(f"{self.address}: {what}") from error
        except Exception as error:  # of its HTTP client and of hf_xet, which have no base class in common
            raise NetworkError(f"{self.address}: {_first_line(error)}; the same command resumes") from error


def hub_repository(uri: str, quiet: bool = False) -> HubRepository:
    """Return the repository hf://USER/NAME. Raises UserError if it is written otherwise, MissingExtra.

    quiet   without the client's progress bars
    """
    with extra("hub"):
        import huggingface_hub
        from huggingface_hub.errors import HFValidationError
        from huggingface_hub.utils import disable_progress_bars, validate_repo_id  # type: ignore[attr-defined]
    found = DESTINATION.fullmatch(uri)
    if not found:
        raise UserError(f"--push {uri}: write it as hf://USER/NAME")
    try:
        validate_repo_id(found[1])
    except HFValidationError as error:
        raise UserError(f"--push {uri}: {_first_line(error)}") from error
    if quiet:
        disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # else it warns of an upload that changes nothing
    return HubRepository(found[1], huggingface_hub.HfApi())


def upload_sizes(folder: str, data_files: Iterable[str]) -> dict[str, int]:
    """Return the files of a dataset to upload, the card last, with their sizes in bytes."""
    names = [*data_files, *(name for name in (MARK, DEPOSIT, CROISSANT, CARD) if Path(folder, name).exists())]
    return {name: Path(folder, name).stat().st_size for name in names}


def left_behind(folder: str, files: Iterable[str]) -> list[str]:
    """Return the other files of the folder, relative to it."""
    there = (str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())
    return sorted(set(there) - set(files))


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
