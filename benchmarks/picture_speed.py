"""Pictures made unique: random ones, and images made by rule that look like photographs, black on white and in colours.

Set COUNT for fewer pictures of each kind.
"""

import io
import os
import time
from pathlib import Path

import numpy as np

from nonocensus.pipeline.findings.figures_page import FigureTable
from nonocensus.scrapers.pictures.image import ImageOptions, puzzle_of_image
from nonocensus.scrapers.pictures.picture_repair import repair_picture
from nonocensus.scrapers.pictures.rules import random_pictures
from nonocensus.solver.ladder.ladder_options import RUNGS

SIDE = 30
RANDOM, PHOTOGRAPHS = 1_000, 500
SHARE = 0.03
"""Of the cells, that may change."""


def run(archive: Path) -> list[FigureTable]:  # noqa: ARG001
    most = int(os.environ.get("COUNT", RANDOM))
    random = random_pictures(SIDE, SIDE, 0.5, 1, 0, min(most, RANDOM))
    files = [photograph(number) for number in range(min(most, PHOTOGRAPHS))]
    kinds: dict[str, list[tuple[np.ndarray, np.ndarray | None]]] = {"random": [(picture, None) for picture in random]}
    for name, options in (
        ("photographs", ImageOptions(SIDE, SIDE)),
        ("photographs, ordered dither", ImageOptions(SIDE, SIDE, 2, "ordered")),
        ("photographs, Floyd-Steinberg", ImageOptions(SIDE, SIDE, 2, "floyd-steinberg")),
        ("photographs in 4 colours", ImageOptions(SIDE, SIDE, 4)),
    ):
        drawn = [puzzle_of_image(data, options) for data in files]
        kinds[name] = [(each.puzzle.goal, each.cost) for each in drawn if each.puzzle.goal is not None]
    rows = [figures(name, pictures, rung) for name, pictures in kinds.items() for rung in ("search", "line")]
    heading = ["pictures", "count", "wanted", "reached", f"changed under {SHARE:.0%}", "already so", "changed: median"]
    heading += ["95th of 100", "most", "s: median", "95th of 100", "most"]
    return [FigureTable(f"{SIDE}x{SIDE} made unique, one core", heading, rows)]


def figures(name: str, pictures: list[tuple[np.ndarray, np.ndarray | None]], rung: str) -> list[object]:
    assert rung in RUNGS
    repair_picture(*pictures[0][:1], rung)  # compiles what it takes
    found, seconds = [], []
    for picture, cost in pictures:
        start = time.process_time()
        found.append(repair_picture(picture, rung, cpu_limit=60.0, cost=cost))
        seconds.append(time.process_time() - start)
    changed = np.array([each.changed for each in found])
    reached = np.array([each.reached for each in found])
    few = reached & (changed < SHARE * SIDE * SIDE)
    return [
        *(name, len(pictures), "one solution" if rung == "search" else "line logic"),
        *(f"{share.mean():.1%}" for share in (reached, few, reached & (changed == 0))),
        *(int(np.quantile(changed, q)) for q in (0.5, 0.95, 1)),
        *(float(np.quantile(seconds, q)) for q in (0.5, 0.95, 1)),
    ]


def photograph(number: int) -> bytes:
    """Return an image like a photograph, as a PNG: some textured things before a background, lit from the side and
    blurred.
    """
    from PIL import Image, ImageFilter

    draw = np.random.default_rng([7, number])
    height, width = 240, 240
    y, x = np.mgrid[:height, :width] / height
    light = _noise(draw, height, 3)
    picture = np.repeat((0.5 + 0.4 * light)[:, :, None], 3, 2) * (0.4 + 0.6 * draw.random(3))
    for _ in range(int(draw.integers(2, 7))):
        centre, turned = draw.random(2), draw.random() * np.pi
        right, down = x - centre[0], y - centre[1]
        along, across = right * np.cos(turned) + down * np.sin(turned), down * np.cos(turned) - right * np.sin(turned)
        size = 0.08 + 0.25 * draw.random(2)
        inside = (along / size[0]) ** 2 + (across / size[1]) ** 2 + 0.3 * _noise(draw, height, 5) < 1
        shade = (0.75 + 0.8 * along / size[0] * draw.uniform(-0.4, 0.4) + 0.15 * _noise(draw, height, 24)).clip(0, 1.2)
        picture = np.where(inside[:, :, None], shade[:, :, None] * draw.random(3), picture)
    image = Image.fromarray((picture.clip(0, 1) * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(1))
    file = io.BytesIO()
    image.save(file, "PNG")
    return file.getvalue()


def _noise(draw: np.random.Generator, side: int, knots: int) -> np.ndarray:
    """Smooth noise about 0, float64[side, side], that changes over a `knots`-th of the side."""
    from PIL import Image

    coarse = Image.fromarray(draw.normal(size=(knots + 1, knots + 1)).astype(np.float32))
    return np.asarray(coarse.resize((side, side), Image.Resampling.BICUBIC), np.float64)
