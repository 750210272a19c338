"""Who has agreed to a study: a file each, which says nothing of them but the day and what they agreed to.

Who withdraws is gone from the moment when people/ID.json is renamed to people/ID.withdrawn, which needs no room on the
disk. Then all else of theirs is deleted, and that file last: so a killed server goes on with it when it starts again.
"""

import hashlib
import re
import secrets
from datetime import UTC, datetime
from pathlib import Path

from pipeline.study.folder import Study, sync, undated

HERE, LEAVING = ".json", ".withdrawn"

SECRET_BYTES = 16


def participant_of(secret: str) -> str:
    """The id that a secret stands for; who reads a study has ids and no secrets, so nobody can speak for another."""
    return hashlib.sha256(secret.encode()).hexdigest()[:16]


def known(study: Study) -> list[str]:
    """The ids of those who have agreed and not withdrawn."""
    return _ids(study, HERE)


def withdrawing(study: Study) -> list[str]:
    """The ids of those who have withdrawn, of whom not all is deleted yet."""
    return _ids(study, LEAVING)


def _ids(study: Study, suffix: str) -> list[str]:
    found = (re.fullmatch(rf"([0-9a-f]{{16}}){re.escape(suffix)}", name) for name in study.people.names())
    return [match[1] for match in found if match]


def agree(study: Study) -> str:
    """Keep that somebody has agreed; returns their secret, which is kept nowhere."""
    secret = secrets.token_hex(SECRET_BYTES)
    file = f"{participant_of(secret)}{HERE}"
    consent = hashlib.sha256(study.about["consent"].encode()).hexdigest()
    study.people.write_json(file, {"day": f"{datetime.now(UTC):%Y-%m-%d}", "consent": consent})
    undated(study.people, file)
    sync(study.people)
    return secret


def begin_to_leave(study: Study, participant: str) -> None:
    """Have somebody withdrawn, whatever comes; may be called again."""
    here, leaving = (Path(study.people.path, f"{participant}{suffix}") for suffix in (HERE, LEAVING))
    if not leaving.exists():
        here.rename(leaving)
    sync(study.people)


def erase(study: Study, participant: str) -> None:
    """Delete all attempts of somebody who has withdrawn, and then that they ever were here; may be called again."""
    for place in (study.open, study.moves):
        for path in Path(place.path).glob(f"{participant}-*"):  # unfinished files among them
            path.unlink(missing_ok=True)
        if Path(place.path).exists():
            sync(place)
    Path(study.people.path, f"{participant}{LEAVING}").unlink(missing_ok=True)
    sync(study.people)
