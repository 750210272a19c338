"""A twin of webpbn.com and nonograms.org on the loopback, for tests, benchmarks and the demo.

One local server speaks the URLs and the formats of both sites, from puzzles given to it.

webpbn         /export.cgi, /export.cgi/<any name>, /XMLpuz.cgi, /find.cgi; POST or GET
nonograms.org  /nonograms/i/N and /nonograms2/i/N, /nonograms/p/K and /nonograms2/p/K, /search/p/K?sort=6
both           /robots.txt

The XML is webpbn's byte for byte, but for `<authorid>`, which a Puzzle does not keep, line ends in a text, which
readers of XML don't tell apart, the order of the colours, which is that of their first use, and `<license>`, an element
of our own. Links on pages of nonograms.org lead back to the twin. Ratings on its pages are the puzzle's own numbers, in
webpbn's search four times that (webpbn.RATING_SCALE).

Where the sites' ways are not known, the twin does what seems likely. These guesses are marked as such.
"""

from scrapers.twin.twin_puzzles import Archive, archive
from scrapers.twin.twin_server import TwinServer

__all__ = ["Archive", "TwinServer", "archive"]
