"""Duplicates by clues: equal, turned or mirrored, recoloured; and which pictures are too plain to count as such.

Canonical hashes are equal for puzzles that differ by rotation, reflection or colours (`solver.model.identity`). Where
puzzles with equal ones may differ in colours, they are compared by clues with their colours, their looks.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nonocensus.reports.numbers.row_classes import Rows, select, sql_words

DUPLICATES = pa.schema(
    [
        ("original", pa.string()),
        ("puzzle_id", pa.string()),
        ("likeness", pa.string()),  # equal; turned, or mirrored; recoloured, perhaps turned as well; near
        ("cells", pa.int64()),  # in which near pictures differ, else null
        ("share", pa.float64()),  # of the rarer cells (pipeline.findings.near), likewise
        ("plain", pa.bool_()),  # as `are_plain` returns
    ]
)
"""One row per duplicate, grouped by original."""

COPIES = ("equal", "turned")
"""The likenesses of puzzles that repeat another one in its colours."""

IS_COPY = f"likeness in {sql_words(COPIES)}"
"""SQL of whether a row of DUPLICATES has one of COPIES."""

LEAST_CELLS = 64
"""Cells of the smallest puzzle whose likeness to another is no coincidence: many authors draw the same 5x5."""

PLAIN_CLUES = 2
"""Most different clues on each side of a plain picture."""

SAMPLES = 12
"""Lines of each side that are looked at first."""

CLUES = ("rows", "columns", "palette")


def are_plain(rows: Rows) -> np.ndarray:
    """Return which puzzles have at most PLAIN_CLUES different clues on each side and LEAST_CELLS cells, bool[rows].

    So have fills, stripes, crosses, frames and chessboards, which many draw without having seen another's.

    rows   columns width, height, rows and columns; unknown clues are not plain
    """
    found = pc.greater_equal(pc.multiply(rows["width"].cast(pa.int64()), rows["height"].cast(pa.int64())), LEAST_CELLS)
    plain: np.ndarray = pc.fill_null(found, False).to_numpy(zero_copy_only=False).copy()
    for side in ("rows", "columns"):
        lines = pc.fill_null(pc.list_value_length(rows[side]), 0).to_numpy()
        blocks = pc.fill_null(pc.list_value_length(pc.list_flatten(rows[side])), 0).to_numpy()
        plain &= lines > 0
        places = np.flatnonzero(plain)
        starts, lines = (np.cumsum(lines) - lines)[places], lines[places]
        samples = blocks[starts + lines * np.arange(SAMPLES)[:, None] // SAMPLES]
        numbers = np.bitwise_or.reduce(np.uint64(1) << np.minimum(samples, 63).astype(np.uint64), axis=0)
        plain[places] = np.bitwise_count(numbers) <= PLAIN_CLUES
    places = np.flatnonzero(plain)
    for side in ("rows", "columns"):
        clues = rows[side].take(pa.array(places)).to_pylist()
        plain[places] &= np.array([len(set(map(str, lines))) <= PLAIN_CLUES for lines in clues], np.bool_)
    return plain


def colors_of(palettes: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return the colours of each palette in order, as hex digits; empty for null."""
    entries = pc.struct_field(pc.list_flatten(palettes), "rgb")
    rgb = pa.chunked_array([entries] if isinstance(entries, pa.Array) else entries.chunks, pa.string()).combine_chunks()
    ends = np.append(0, np.cumsum(pc.fill_null(pc.list_value_length(palettes), 0).to_numpy()))
    rgb = pc.ascii_lower(pc.fill_null(rgb, ""))
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(ends, pa.int32()), rgb), "")


def looks(rows: Rows, numbers: np.ndarray) -> pa.Table:
    """Return a text of each puzzle: equal for two exactly if one is the other turned or mirrored, in its colours.

    rows     columns CLUES
    numbers  int64[rows]

    Returns the columns number and look.
    """
    texts = [_look(*row.values()) for row in rows.select(CLUES).to_pylist()]
    return pa.table({"number": pa.array(numbers, pa.int64()), "look": pa.array(texts, pa.string())})


def _look(rows: Any, columns: Any, palette: Any) -> str:
    """Return the background and the least of the eight images of the clues; empty if they are unknown.

    Of untrusted files: clues may be null, and their colours missing from the palette.
    """
    if None in (rows, columns) or not palette:
        return ""
    rgb = {color: str(entry and entry["rgb"]).lower() for color, entry in enumerate(palette)}
    one, other = (
        [[(block["length"] or 0, rgb.get(block["color"], "")) for block in clue or () if block] for clue in side]
        for side in (rows, columns)
    )
    images = (
        [[clue[::along] for clue in side[::across]] for side, across, along in ((up, y, x), (left, x, y))]
        for up, left in ((one, other), (other, one))
        for y in (1, -1)
        for x in (1, -1)
    )
    return f"{rgb[0]} {min(images)}"


RANKED_SQL = """
    select *, row_number() over (order by site_date nulls last, earliest, number nulls last, place) as rank
    from (
        select *, try_cast(source_id as bigint) as number, min(place) over (partition by source) as earliest from dated
    )
"""
"""SQL of the order in which a puzzle is the original of others that are like it, the column rank, from 1.

dated   place, source, source_id, site_date, and more
"""

NEEDING_LOOKS = """
    select number from numbered
    where canonical_hash in (
        select canonical_hash from numbered group by canonical_hash
        having min(colors) <> max(colors) or (min(clue_hash) <> max(clue_hash) and max(length(colors)) > 12)
    )
"""
"""SQL of the puzzles whose `looks` COPIES_SQL needs: those whose canonical hash does not settle the colours.

numbered   number, canonical_hash, clue_hash, colors (as `colors_of` returns)
"""

COPIES_SQL = """
    with keyed as (
        select number, canonical_hash, clue_hash, colors, coalesce(look, '') as look
        from numbered left join looks using (number) where canonical_hash is not null
    ), twins as (
        select
            canonical_hash, look, min(number) as twin,
            arg_min_null(clue_hash, number) as twin_hash, arg_min_null(colors, number) as twin_colors
        from keyed group by all
    )
    select
        number,
        case when twin < number then twin else original end as original,
        case
            when twin = number then 'recoloured'
            when clue_hash is not distinct from twin_hash and colors = twin_colors then 'equal'
            else 'turned'
        end as likeness
    from keyed
    join twins using (canonical_hash, look)
    join (select canonical_hash, min(twin) as original from twins group by all) using (canonical_hash)
    where number > original
"""
"""SQL of the duplicates among the puzzles of `numbered`, given `looks`: the number of each, and of its original.

The original is the first of the same look, or for a puzzle with a look of its own the first of all.
"""


def find_repeated(shown: pa.Table) -> pa.Table:
    """Find duplicates by canonical hash, as rows of DUPLICATES; originals are the first by RANKED_SQL.

    shown  columns FACTS, width, height and CLUES; null hashes equal nothing
    """
    facts = shown.select([*FACTS]).append_column("colors", colors_of(shown["palette"]))
    numbered = select(_NUMBERED, dated=facts.append_column("listed", pa.array(np.arange(len(shown)))))
    wanted = select(f"select number, listed from numbered where number in ({NEEDING_LOOKS})", numbered=numbered)
    compared = looks(shown.take(wanted["listed"]), wanted["number"].to_numpy())
    found = select(_REPEATED, numbered=numbered, looks=compared)
    plain = are_plain(shown.take(found["listed"]))
    return found.drop_columns(["listed"]).append_column("plain", pa.array(plain)).cast(DUPLICATES)


FACTS = ("puzzle_id", "clue_hash", "canonical_hash", "source", "source_id", "site_date", "place")

_NUMBERED = f"""
    select * exclude (number), rank as number from ({RANKED_SQL})
    where canonical_hash is not null and puzzle_id is not null
"""

_REPEATED = f"""
    select
        earlier.puzzle_id as original, later.puzzle_id, likeness,
        null::bigint as cells, null::double as share, later.listed
    from ({COPIES_SQL}) as found
    join numbered as earlier on earlier.number = found.original
    join numbered as later on later.number = found.number
    order by found.original, likeness, found.number
"""
