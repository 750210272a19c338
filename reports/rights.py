"""Which puzzles may be passed on, and how to leave out of a table what may not.

Clues, pictures and texts are their designers'. They may be passed on where the row's licence says so, in a way that
asks for no more than naming them: public domain, CC0, CC-BY, CC-BY-SA, MIT, Apache-2.0, BSD, Unlicense. Not so are

- NC and ND: who takes over a dataset must not have to find out whether he earns money, and a dataset of clues that was
  made from a picture is a derivative;
- GPL and the like: they ask for a source, and what that is of a picture nobody knows;
- words that we don't know ("free for my friends"), and no licence at all.

Puzzles made by rule (`scrapers.pictures`) have no designer: anybody can make them again.
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
"""The columns of all tables that hold what is somebody's. A `site_note` may be anybody's words."""

MADE_BY_RULE = tuple(KINDS)
"""Sources whose puzzles `nonocensus generate` makes."""

TERMS = {
    "webpbn": "each belongs to its designer; the site lets them be downloaded for personal use, not redistributed "
    "freely, unless their designer allowed it",
    "nonograms": "the site's pages say that reprinting needs a written agreement",
    "demo": "the demo of nonocensus, Apache-2.0",
    "local": "files of whoever made this run; ids are the files' names",
    **dict.fromkeys(MADE_BY_RULE, "made by rule with `nonocensus generate`: nobody's"),
}
"""What is known of the rights in a source's puzzles."""

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
"""Licences to pass a puzzle on, each as a whole, in lower case, with hyphens for blanks: most as SPDX spells them."""


def shareable(puzzles: pa.RecordBatch) -> pa.BooleanArray:
    """Whether the content of each row may be passed on, by its columns source and license; never null."""
    return pc.or_(_free(puzzles["license"]), pc.is_in(puzzles["source"], pa.array(MADE_BY_RULE)))


def is_free(license_: str) -> bool:
    """Return whether puzzles under a licence may be passed on."""
    free: bool = _free(pa.array([license_]))[0].as_py()
    return free


def _free(licenses: pa.Array) -> pa.BooleanArray:
    words = pc.replace_substring_regex(pc.utf8_lower(pc.utf8_trim_whitespace(licenses)), r"[\s_]+", "-")
    return pc.match_substring_regex(words, f"^({'|'.join(FREE)})$").fill_null(False)


def withheld(rows: pa.RecordBatch, keep: pa.BooleanArray) -> pa.RecordBatch:
    """The rows, with nulls for what is somebody's wherever `keep` does not say to keep it.

    rows   of the puzzles table, the results table, what mend has found, or several: some columns
    """
    kept = pa.array(np.arange(len(rows)), mask=~keep.to_numpy(zero_copy_only=False))
    arrays = [rows[name].take(kept) if name in CONTENT else rows[name] for name in rows.schema.names]
    return pa.RecordBatch.from_arrays(arrays, schema=rows.schema)
