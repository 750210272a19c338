"""The embedded archive as files, as if somebody had downloaded it."""

from pathlib import Path

from scrapers.demo import demo_puzzles
from scrapers.formats import non, webpbn_xml


def write_archive(place: Path) -> int:
    """Write every demo puzzle as a file, plain mono ones as .non and the others as XML; returns their number."""
    place.mkdir(parents=True, exist_ok=True)
    puzzles = demo_puzzles()
    for puzzle in puzzles:
        plain = puzzle.kind == "mono" and not puzzle.blotted
        name, form = (".non", non) if plain else (".xml", webpbn_xml)
        (place / f"{puzzle.source_id}{name}").write_bytes(form.write(puzzle))
    return len(puzzles)
