"""What a study's server knows while it runs: who takes part, which attempts are open, and how to keep what comes.

Everything is on the disk before it is confirmed. Where the disk fails, an OSError (or StorageError) goes to the caller,
what is known is as before, and the same can be sent again.
"""

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from pipeline.errors import InputError, StorageError
from pipeline.serve.records import cells_text, puzzle_record
from pipeline.store.folder import Folder
from pipeline.study import journal, people
from pipeline.study.attempt import (
    MOST_ACTS,
    Act,
    Attempt,
    Given,
    Impossible,
    Name,
    Step,
    begun,
    given_puzzles,
    gone_on,
    step_of,
    text_of,
)
from pipeline.study.consent import paragraphs
from pipeline.study.folder import Study, read_puzzles
from pipeline.study.journal import Head, Line
from pipeline.study.moves import SUFFIX, names_in, of_nobody, read_attempt, write_attempt
from reports.clean import clean
from reports.study.tables import LEFT, RESUMED

HOUR = 3600_000
"""Milliseconds without a message after which an attempt is left."""

AHEAD = 2000
"""Milliseconds by which a client's clock may run before the server's."""

MOST_PEOPLE = 100_000
"""People of a study: somebody who agrees again and again shall not fill the disk."""

SHOWN = ("width", "height", "rows", "columns", "palette")
"""What of a puzzle is given; all else could tell what it shows."""

Clock = Callable[[], int]
"""Milliseconds since 1970."""


class Unknown(Exception):
    """Nobody who takes part has this secret."""


class Full(Exception):
    """No more people can take part."""


class Otherwise(Exception):
    """An attempt stands otherwise than a client thinks: why, and how many of its acts are kept."""

    def __init__(self, why: str, kept: int) -> None:
        super().__init__(why)
        self.kept = kept


class Going(NamedTuple):
    """An attempt that is open.

    shown   when its puzzle was first shown, by the clock
    heard   when the last message came, by the clock
    size    bytes of its journal that are confirmed
    """

    attempt: Attempt
    shown: int
    heard: int
    size: int


def clock() -> Clock:
    """The time, which from now on never jumps: it goes on while the machine sleeps, and nobody can set it."""
    kind = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    start = time.time_ns() - time.clock_gettime_ns(kind)
    return lambda: (start + time.clock_gettime_ns(kind)) // 1_000_000


class Keeper:
    """What happens in a study, whose lock the caller holds. Its methods may be called from any thread.

    An InputError says that something in the folder is damaged.
    """

    def __init__(self, study: Study, now: Clock) -> None:
        self.study, self.now = study, now
        self.lock = threading.Lock()
        self.puzzles = given_puzzles(read_puzzles(study))
        for place in (study.people, study.moves):
            place.sweep()
        for participant in people.withdrawing(study):
            people.erase(study, participant)
        self.people = set(people.known(study))
        self.leaving: set[str] = set()
        self.ended: dict[str, dict[int, Name]] = {participant: {} for participant in self.people}
        self.open: dict[str, Going] = {}
        for name in names_in(study.moves, SUFFIX):
            self._check(study.moves, name, SUFFIX)
            self.ended[name.participant][name.number] = name
        for name in names_in(study.open, journal.SUFFIX):
            self._reopen(name)
        names = [name for those in self.ended.values() for name in those.values()]
        self.given = Counter(name.place for name in [*names, *(going.attempt.name for going in self.open.values())])
        self._leave_overdue()

    @property
    def attempts(self) -> int:
        """Attempts so far, open ones among them."""
        return self.given.total()

    def about(self) -> dict[str, Any]:
        """What people agree to, and how many puzzles there are."""
        return {"consent": paragraphs(self.study.about["consent"]), "puzzles": len(self.puzzles)}

    def agree(self) -> dict[str, Any]:
        """Somebody agrees: their secret, and the id that it stands for. Raises Full."""
        with self.lock:
            if len(self.people) >= MOST_PEOPLE:
                raise Full
            secret = people.agree(self.study)
            participant = people.participant_of(secret)
            self.people.add(participant)
            self.ended[participant] = {}
        return {"secret": secret, "participant": participant}

    def next(self, secret: str) -> dict[str, Any]:
        """The attempt that somebody has open, gone on with, or a new one, or word that no puzzle is left for them.

        Raises Unknown.
        """
        with self.lock:
            participant = self._known(secret)
            going = self.open.get(participant)
            if going is not None:
                going = self._resumed(going)
            else:
                place = self._drawn(participant)
                if place is None:
                    return {"number": None, "of": len(self.puzzles), "done": len(self.ended[participant])}
                going = self._begun(Name(participant, max(self.ended[participant], default=0) + 1, place))
                self.given[place] += 1
            self.open[participant] = going
        attempt = going.attempt
        record = puzzle_record(self.puzzles[attempt.name.place].puzzle)
        return {
            "number": attempt.name.number,
            "of": len(self.puzzles),
            "kept": len(attempt.acts),
            "elapsed": max(going.heard - going.shown, attempt.at),
            "grid": text_of(attempt.grid),
            "puzzle": {name: record[name] for name in SHOWN},
        }

    def moves(self, secret: str, number: int, first: int, acts: Sequence[Act]) -> dict[str, Any]:
        """Somebody's acts in an attempt of theirs, `first` the number of the first one: what is kept of it now.

        Acts that are there already are passed over. Raises Unknown, Otherwise, Impossible.
        """
        with self.lock:
            participant = self._known(secret)
            going = self.open.get(participant)
            if going is not None and going.attempt.name.number == number:
                return self._told(self._gone_on(going, first, acts))
            name = self.ended[participant].get(number)
            if name is None:
                raise Otherwise(f"there is no attempt {number}", 0)
            attempt = read_attempt(self.study, name, self.puzzles)
            if _fresh(attempt, first, acts):
                raise Otherwise(f"the attempt has ended: {attempt.ended}", len(attempt.acts))
            return self._told(attempt)

    def withdraw(self, secret: str) -> dict[str, Any]:
        """Delete everything of somebody's, for good: how many attempts. Raises Unknown."""
        participant = people.participant_of(secret)
        with self.lock:
            if participant not in self.leaving:
                self._refuse_unknown(participant)
                people.begin_to_leave(self.study, participant)
                self.people.remove(participant)
                self.leaving.add(participant)
            people.erase(self.study, participant)
            names = [*self.ended.pop(participant).values()]
            if participant in self.open:
                names.append(self.open.pop(participant).attempt.name)
            self.given.subtract(name.place for name in names)
            self.leaving.remove(participant)
        return {"withdrawn": len(names)}

    def _known(self, secret: str) -> str:
        """Whose secret it is; overdue attempts are left before anything else is done. Raises Unknown."""
        participant = people.participant_of(secret)
        self._refuse_unknown(participant)
        with suppress(OSError, StorageError):  # of others
            self._leave_overdue()
        if participant in self.open and self._is_overdue(self.open[participant]):
            self._leave(self.open[participant])
        return participant

    def _refuse_unknown(self, participant: str) -> None:
        if participant not in self.people:
            raise Unknown

    def _begun(self, name: Name) -> Going:
        now = self.now()
        size = journal.begin(self.study.open, f"{name}{journal.SUFFIX}", Head(now))
        return Going(begun(name, self.puzzles[name.place]), now, now, size)

    def _resumed(self, going: Going) -> Going:
        """An open attempt whose page has been opened again."""
        now, attempt = self.now(), going.attempt
        at = max(now - going.shown, attempt.at)
        if len(attempt.steps) >= MOST_ACTS:
            return going._replace(heard=now)
        attempt = gone_on(attempt, self.puzzles[attempt.name.place], [Step(at, RESUMED)])
        size = self._append(going, Line(at, resumed=True))
        return Going(attempt, going.shown, now, size)

    def _gone_on(self, going: Going, first: int, acts: Sequence[Act]) -> Attempt:
        """An open attempt with what of some acts is new."""
        now, attempt = self.now(), going.attempt
        given = self.puzzles[attempt.name.place]
        fresh = _fresh(attempt, first, acts)
        if fresh and attempt.steps[-1].kind == RESUMED and fresh[0].at < attempt.at:
            raise Otherwise("another page has gone on with this puzzle", len(attempt.acts))
        if fresh and max(act.at for act in fresh) > now - going.shown + AHEAD:
            raise Impossible("a move is later than now")
        gone = gone_on(attempt, given, [step_of(act) for act in fresh])
        if gone.ended is not None:
            self._end(gone)
            return gone
        size = going.size
        if fresh:
            size = self._append(going, Line(max(now - going.shown, gone.at), acts=list(fresh)))
        self.open[gone.name.participant] = Going(gone, going.shown, now, size)
        return gone

    def _append(self, going: Going, line: Line) -> int:
        return journal.append(self.study.open, f"{going.attempt.name}{journal.SUFFIX}", going.size, line)

    def _end(self, attempt: Attempt) -> None:
        """Keep an attempt that has ended. A journal that stays, since the server is killed, is deleted by the next."""
        name = attempt.name
        write_attempt(self.study, attempt, self.puzzles[name.place])
        self.ended[name.participant][name.number] = name
        del self.open[name.participant]
        with suppress(OSError):
            self.study.open.delete(f"{name}{journal.SUFFIX}")

    def _is_overdue(self, going: Going) -> bool:
        return self.now() - going.heard > HOUR

    def _leave_overdue(self) -> None:
        for going in [going for going in self.open.values() if self._is_overdue(going)]:
            self._leave(going)

    def _leave(self, going: Going) -> None:
        attempt = going.attempt
        self._end(gone_on(attempt, self.puzzles[attempt.name.place], [Step(attempt.at, LEFT)]))

    def _drawn(self, participant: str) -> int | None:
        """A puzzle that somebody has not had, drawn among those that were given out least often."""
        had = {name.place for name in self.ended[participant].values()}
        rest = [place for place in range(len(self.puzzles)) if place not in had]
        least = min((self.given[place] for place in rest), default=0)
        return secrets.choice([place for place in rest if self.given[place] == least]) if rest else None

    def _told(self, attempt: Attempt) -> dict[str, Any]:
        """What a client is told of an attempt: of its puzzle nothing before the end."""
        told = None if attempt.ended is None else told_of(self.puzzles[attempt.name.place])
        return {"kept": len(attempt.acts), "ended": attempt.ended, "told": told}

    def _check(self, place: Folder, name: Name, suffix: str) -> None:
        """Raise an InputError for a file that is of nobody, or of a puzzle that the study does not have."""
        file = f"{name}{suffix}"
        if name.participant not in self.people:
            raise of_nobody(place, file)
        if name.place >= len(self.puzzles):
            raise InputError(f"{place.name}/{file} is of puzzle {name.place}, which the study does not have; delete it")
        if name.number in self.ended[name.participant]:
            raise InputError(f"{place.name}/{file} has the number of another attempt; delete one of them")

    def _reopen(self, name: Name) -> None:
        """Go on with an attempt that a server of before has left open."""
        place, file = self.study.open, f"{name}{journal.SUFFIX}"
        if self.ended.get(name.participant, {}).get(name.number) == name:
            place.delete(file)  # it had ended
            return
        self._check(place, name, journal.SUFFIX)
        if name.participant in self.open:
            raise InputError(f"{place.name}/{file} is a second open attempt of one person; delete one of them")
        found = journal.read(place, file)
        if found is None:
            place.delete(file)  # its puzzle was never shown
            return
        given = self.puzzles[name.place]
        try:
            attempt = gone_on(begun(name, given), given, [step for line in found.lines for step in line.steps])
            if attempt.ended is not None:
                raise Impossible("it has ended")
        except Impossible as error:
            raise InputError(f"{place.name}/{file} can't be read: {error}; {journal.ADVICE}") from error
        heard = max([0, *(line.heard for line in found.lines)])
        shown = min(found.head.shown, self.now() - heard)  # clocks may have been set back
        self.open[name.participant] = Going(attempt, shown, shown + heard, found.size)


def _fresh(attempt: Attempt, first: int, acts: Sequence[Act]) -> Sequence[Act]:
    """Those of some acts that an attempt does not have yet. Raises Otherwise if some are missing, or are others."""
    there = attempt.acts
    if first > len(there):
        raise Otherwise(f"acts from number {len(there)} on are missing", len(there))
    known = there[first : first + len(acts)]
    if known != [step_of(act) for act in acts[: len(known)]]:
        raise Otherwise("another page has gone on with this puzzle", len(there))
    return acts[len(known) :]


def told_of(given: Given) -> dict[str, Any]:
    """What is told of a puzzle in the end."""
    about = {name: getattr(given.puzzle, name) for name in ("puzzle_id", "title", "author", "url")}
    told = {name: None if text is None else clean(text) for name, text in about.items()}
    return {**told, "picture": cells_text(given.solution)}
