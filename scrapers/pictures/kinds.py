"""Kinds of generated pictures, and their parameters."""

from collections.abc import Callable
from typing import NamedTuple


class PictureKind(NamedTuple):
    """A kind of generated pictures.

    about     description for the help text
    density   whether it takes a ratio of black cells
    seed      whether its pictures are random
    total     returns the number of pictures of a width and height, if fixed
    refusal   returns why a width and height are invalid, or an empty string
    """

    about: str
    density: bool = False
    seed: bool = True
    total: Callable[[int, int], int] | None = None
    refusal: Callable[[int, int], str] = lambda *_: ""

    @property
    def colored(self) -> bool:
        """Whether its pictures may have several colours: those of random kinds."""
        return self.seed


def _square(width: int, height: int) -> str:
    return "" if width == height > 1 else "they are square, 2x2 or larger"


def _odd_square(width: int, height: int) -> str:
    return "" if width == height and width % 2 and width > 2 else "they are square with an odd side, 3x3 or larger"


def _room_for_a_letter(width: int, height: int) -> str:
    return "" if width >= 5 and height >= 7 else "a letter takes 5x7 cells"


KINDS: dict[str, PictureKind] = {
    "random": PictureKind("each cell black independently with probability --density", density=True),
    "blobs": PictureKind("smooth areas from averaged noise", density=True),
    "symmetric": PictureKind("random cells with a vertical axis of symmetry", density=True),
    "shapes": PictureKind("overlapping discs, rings, boxes and bars", density=True),
    "letters": PictureKind("lines of random letters and digits", refusal=_room_for_a_letter),
    "cycles": PictureKind("two black cells per row, on the diagonal and a random permutation", refusal=_square),
    "dominoes": PictureKind(
        "Wolter's n-Dom puzzle for width 2n + 1", seed=False, total=lambda *_: 1, refusal=_odd_square
    ),
    "exhaustive": PictureKind("all pictures of the size", seed=False, total=lambda w, h: 1 << w * h),
}
