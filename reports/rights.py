"""Which puzzles may be redistributed, and removal of the content of all others.

Clues, pictures and texts belong to their designers. They are redistributed if the row's licence requires no more than
attribution: public domain, CC0, CC-BY, CC-BY-SA, MIT, Apache-2.0, BSD, Unlicense. Excluded are

- NC and ND: users of a dataset must not have to check whether their use is commercial, and clues made from a picture
  are a derivative;
- GPL and similar licences: they require source code, which is undefined for a picture;
- unknown licences ("free for my friends"), and no licence at all.

Puzzles made by rule (`scrapers.pictures`) have no designer.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrapers.pictures.kinds import KINDS

CONTENT = (
    *("title", "author", "description", "copyright", "site_note", "palette", "rows", "columns", "goal"),
    *("solution", "second_solution"),
    *("change", "mended"),
)
"""Columns with content protected by copyright. A `site_note` may quote its author."""

MADE_BY_RULE = tuple(KINDS)
"""Sources of puzzles made by `nonocensus generate`."""

TERMS = {
    "webpbn": "each belongs to its designer; the site lets them be downloaded for personal use, not redistributed "
    "freely, unless their designer allowed it",
    "nonograms": "the site's pages say that reprinting needs a written agreement",
    "demo": "the demo of nonocensus, Apache-2.0",
    "local": "files of whoever made this run; ids are the files' names",
    **dict.fromkeys(MADE_BY_RULE, "made by rule with `nonocensus generate`: nobody's"),
}
"""Known terms of use of sources."""

FREE = (
    r"cc0(-1\.0)?(-universal)?",
    r"cc-by(-sa)?(-\d\.\d(-(at|au|de|fr|igo|jp|nl|uk|us|international|unported))?)?",
    r"(cc-)?(public-domain|pdm(-1\.0)?)|pddl(-1\.0)?",
    r"mit(-0)?(-license)?",
    r"apache(-license)?(-version)?-2\.0",
    r"0bsd|bsd-[123]-clause(-license)?",
    r"(the-)?unlicense",
    r"https?://creativecommons\.org/(licenses/by(-sa)?/\d\.\d|publicdomain/(zero|mark)/1\.0)/?(deed\.[a-z_]+)?",
)
"""Patterns of licences that permit redistribution, in lower case with hyphens, mostly SPDX names."""


def shareable(puzzles: pa.RecordBatch) -> pa.BooleanArray:
    """Return whether each row may be redistributed, by its columns source and license; never null."""
    return pc.or_(_free(puzzles["license"]), pc.is_in(puzzles["source"], pa.array(MADE_BY_RULE)))


def is_free(license_: str) -> bool:
    """Return whether puzzles under a licence may be redistributed."""
    free: bool = _free(pa.array([license_]))[0].as_py()
    return free


def _free(licenses: pa.Array) -> pa.BooleanArray:
    words = pc.replace_substring_regex(pc.utf8_lower(pc.utf8_trim_whitespace(licenses)), r"[\s_]+", "-")
    return pc.match_substring_regex(words, f"^({'|'.join(FREE)})$").fill_null(False)


def withheld(rows: pa.RecordBatch, keep: pa.BooleanArray) -> pa.RecordBatch:
    """Return the rows with the columns CONTENT set to null, except where `keep` is true.

    rows   with columns of the puzzles, results or mendings tables
    """
    kept = pa.array(np.arange(len(rows)), mask=~keep.to_numpy(zero_copy_only=False))
    arrays = [rows[name].take(kept) if name in CONTENT else rows[name] for name in rows.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=rows.schema)
