"""A drawing in pixels, by vl-convert, as large as is bearable; PNG files of it by Pillow, twenty times as small."""

from io import BytesIO
from math import sqrt

import vl_convert
from PIL import Image

from reports.sheet.geometry import CELL
from reports.sheet.svg import Drawing

SCALE = 2.0
"""Pixels a unit, where that is not too much."""

MOST_PIXELS = 16_000_000
"""Of a picture: 250 MB of memory while it is drawn. vl-convert ends the process where there is too little."""


def fitting(drawing: Drawing, most: float = MOST_PIXELS) -> float:
    """Pixels a unit: SCALE, or less, so that the drawing has no more than so many pixels; cells of whole pixels."""
    scale = min(SCALE, sqrt(most / (drawing.width * drawing.height)))
    return int(scale * CELL) / CELL or scale


def image(drawing: Drawing, scale: float) -> Image.Image:
    """The drawing as an RGBA image, at so many pixels a unit; where nothing is drawn it is see-through."""
    opened = Image.open(BytesIO(vl_convert.svg_to_png(drawing.svg, scale=scale)))
    opened.load()
    return opened


def png(drawing: Drawing) -> bytes:
    """The drawing as a PNG file."""
    return encoded(image(drawing, fitting(drawing)))


def encoded(picture: Image.Image) -> bytes:
    """An image as a PNG file."""
    file = BytesIO()
    picture.convert("RGB").save(file, "PNG")
    return file.getvalue()
