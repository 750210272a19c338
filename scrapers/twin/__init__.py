"""A twin of webpbn.com and nonograms.org on the loopback, for tests, benchmarks and the demo.

One local server has the URLs and formats of both sites that a crawl asks for.

webpbn         /export.cgi, /export.cgi/<any name>, /find.cgi; POST or GET
nonograms.org  /nonograms/i/N and /nonograms2/i/N, /nonograms/p/K and /nonograms2/p/K, /search/p/K?sort=6
both           /robots.txt

The XML is webpbn's byte for byte, except for `<authorid>`, which a Puzzle lacks, line ends in text, the order of the
colours, which is that of first use, and `<license>`, our extension. Links on pages of nonograms.org lead to the twin.
Ratings on its pages are the puzzle's, in webpbn's search four times that (webpbn.RATING_SCALE).

Unknown behaviour of the sites is guessed, and marked as a guess.
"""

from nonocensus.scrapers.twin.twin_puzzles import TwinArchive, build_archive
from nonocensus.scrapers.twin.twin_server import TwinServer

__all__ = ["TwinArchive", "TwinServer", "build_archive"]
