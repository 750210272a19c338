"""Phrases that paraphrase a technical term, in files of ours (CONTRIBUTING.md, Style)."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("solver", "scrapers", "reports", "pipeline", "nonocensus", "configs", "tests", "tools", "benchmarks", "docs")
SUFFIXES = {".py", ".pyi", ".md", ".js", ".j2", ".html", ".css", ".toml", ".yaml"}

PHRASES = {
    r"who (is|are) told|(is|are) told (how|of|that)": "progress callback, reports",
    r"(up to|of|in|with|at most|after|first|next|for|until|all|than) so many|how manieth": "count, N; index",
    r"what (becomes|has become|has come|came|comes) of": "result, outcome",
    r"anew|once more from the beginning": "again, recompute",
    r"strangers?('|\b)|people who are not us": "untrusted input",
    r"(has|have) to see to|sees? to it": "guarantees, is responsible for",
    r"may be assumed|handed over to": "precondition; passed to",
    r"runs? of before|of those days|of before": "legacy, written before version X",
    r"holds best|is taken to be": "best estimate, assumed",
    r"none that there is|is none such": "unknown, missing, invalid",
    r"goes? on from (there|here)": "resumes",
    r"as far as it can be trusted": "up to N, within its confidence",
    r"anybody|nobody|somebody|whoever|no one": "the caller, the user, a client; passive",
    r"in vain": "without result, wasted",
    r"by turns": "alternating, interleaved",
    r"put(s|ting)? aside|tak(es|ing|en) up again": "suspends, resumes; moves to quarantine",
    r"the last word counts": "last write wins",
}
"""What not to write, as a regular expression, and what to write instead. After the guide of the project's style."""

FOUND = re.compile(rf"\b(?:{'|'.join(f'(?P<p{k}>{phrase})' for k, phrase in enumerate(PHRASES))})\b")


def files() -> list[Path]:
    """Every text file of ours, except data, results of benchmarks, and the list of phrases itself."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES]
    left_out = {"data", "drawn", "results", "compiled", "__pycache__"}
    return [*ROOT.glob("*.md"), *(p for p in found if not left_out & set(p.parts) and p != Path(__file__))]


def test_no_paraphrases_of_technical_terms() -> None:
    advice = list(PHRASES.values())
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write {advice[int((match.lastgroup or '')[1:])]}"
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in FOUND.finditer(line.lower())
    ]
    assert not found, "\n".join(found)
