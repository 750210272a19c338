"""What the study's page sends: checked as it is read, and described by the same types."""

from typing import Annotated

import msgspec
from msgspec import Meta

from pipeline.study.attempt import MOST_ACTS, Act

Secret = Annotated[str, Meta(pattern="^[0-9a-f]{32}$", description="what consent has replied")]
Count = Annotated[int, Meta(ge=0, le=1 << 31)]


class Agree(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody agrees to what is kept of them."""

    agreed: Annotated[bool, Meta(description="true: nobody takes part who does not agree")]


class Next(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants a puzzle, or to go on with the one that they have."""

    secret: Secret


class Moves(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody does in an attempt: acts one after the other, of which some may have been sent before."""

    secret: Secret
    number: Annotated[int, Meta(ge=1, le=1 << 31, description="the attempt, as next has numbered it")]
    first: Annotated[Count, Meta(description="the number of the first act, from 0 over all acts of the attempt")]
    acts: Annotated[list[Act], Meta(max_length=MOST_ACTS)]


class Withdraw(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Somebody wants everything of theirs to be deleted."""

    secret: Secret


KINDS = (Agree, Next, Moves, Withdraw)
