"""What commands refuse: one line says what and where, exit status 2, and no file is left."""

import os
import shlex
from pathlib import Path

import numpy as np
import pytest
from runs import run_of
from stores import DIAMOND, Refused

from nonocensus.scrapers.demo import demo_puzzles
from nonocensus.scrapers.formats import named
from nonocensus.solver.model.puzzle import from_picture

LINK = "3x3:1/3/1/1/3/1"
BAD_LINK = "this link is damaged or cut off: copy all of it again"
NO_ADDRESS = "not an address like https://webpbn.com"
BAD_RATE = "--rate: rate must be from 0 to 86,400 seconds"
ONE_WAY = "one of --ids, --new, --ratings and --reparse"
NO_RANGE = "is neither a number nor a range"
LOOPBACK = "--base-url http://127.0.0.1:9"
NEW = "--out new"

REFUSED = {
    "bench random --size 10": "width x height",
    "bench random --size 0x5": "width x height",
    "bench random --cpus 2": "No such option",
    "bench random --engine dfs": "--engine",
    "bench random --density nan": "--density",
    "bench puzzles": "needs files",
    "bench survey nowhere": "nowhere does not exist",
    "bench lines --csv x.csv": "--csv",
    "bench exhaustive --size 30x30": "most cells",
    "bench engines": "engines needs files",
    "bench engines --csv x.csv": "--csv",
    f"bench engines good.non --visits {10**29}": "--visits",
    "certify nowhere": "nowhere",
    "certify run --cpu-limit nan": "--cpu-limit",
    "certify run --where 'nosuch = 1'": "nosuch",
    "check": "check takes a puzzle and an answer, or --tasks and --answers",
    "check good.non": "check takes a puzzle and an answer",
    "check good.non two.jsonl --out x": "--out is for these",
    "check --tasks missing.jsonl --answers good.non": "missing.jsonl: No such file",
    "check --tasks t.jsonl": "--tasks and --answers go together",
    "check - -": "puzzle and answer can't both be standard input",
    "classify": "Missing argument 'STORE'; see nonocensus",
    "classify --nope": "No such option: --nope; --where selects by columns",
    "classify --depht 3": "No such option: --depht; did you mean --depth? See nonocensus",
    f"classify store {NEW} --serial --cpus 2": "--serial cannot be combined",
    f"classify store {NEW} --address auto --cpus 2": "--cpus is for this machine",
    f"classify store {NEW} --address ''": "--address is empty",
    f"classify store {NEW} --address foo": "not the address of a Ray cluster",
    f"classify store {NEW} --address host:99999": "not the address of a Ray cluster",
    f"classify store {NEW} --ids ,": "names no puzzle",
    f"classify store {NEW} --ids a --ids @nowhere.txt": "--ids @nowhere.txt can't be read",
    f"""classify store {NEW} --ids '"a,b'""": "quote an id with a comma",
    f"classify store {NEW} --ids test/unknown": "store has no puzzle test/unknown; its ids look like demo/1",
    f"classify store {NEW} --ids @latin.txt": "--ids @latin.txt: byte 3 is not UTF-8",
    f"classify store {NEW} --ids @/dev/zero": "--ids @/dev/zero can't be read: it is neither",
    f"classify store {NEW} --ids @large.txt": "--ids @large.txt can't be read: it is larger",
    f"classify nosuch://x {NEW}": "nosuch://x: Protocol not known: nosuch",
    f"classify store {NEW} --where 'nosuch = 1'": "--where 'nosuch = 1': unknown column",
    f"classify store {NEW} --where 'grade > 3'": "puzzles without a verdict have only those of the table puzzles",
    f"classify store {NEW} --serial --cpu-limit inf": "--cpu-limit",
    f"classify store {NEW} --serial --cpu-limit nan": "--cpu-limit",
    f"classify store {NEW} --serial --cpu-limit 1e308": "--cpu-limit",
    f"classify store {NEW} --cpus {10**29}": "--cpus",
    f"classify store {NEW} --limit {10**29}": "--limit",
    f"classify nowhere {NEW}": "nowhere is not a store of puzzles",
    f"classify good.non {NEW}": (
        "good.non is a file, not a store or a run; import it: nonocensus import good.non --out STORE"
    ),
    f"classify full {NEW}": "full is not a store of puzzles; import what is in it: nonocensus import",
    f"classify run {NEW}": "it is a run; nonocensus status run names its store",
    "classify store --out run --serial --cpu-limit 5": (
        "run was started differently: cpu_limit is 10.0 there and 5.0 here; choose another --out, or --force"
    ),
    "classify store --out run --serial --cpu-limit 10 -c": "run was started differently: check_goal is False there",
    "classify store --out store": "store is not empty and not a run",
    "compare run run --html -": "--html",
    "convert good.non - --to jsonl --json": "both write to standard output",
    "convert - out.non": "- does not exist; standard input is read by solve, check and sudoku only",
    "convert good.non": "Missing argument 'IN...': it takes IN... OUT; see",
    "convert good.non full": "full: no format is written with this suffix; for files in this folder write full/",
    "convert good.non out.xyz": "out.xyz: no format is written with this suffix; end it in .non, .jsonl, .png or",
    "convert good.non out.gif": "no format is written with this suffix; solve --save FILE.gif animates",
    "convert good.non out.jpg": "no format is written with this suffix; end it in",
    "convert good.non out.svg.gz": "no format is written with this suffix; solve --save FILE.svg draws a puzzle",
    "convert good.non out.non --to json": "unknown format 'json'; did you mean jsonl or lists? docs/FORMATS.md",
    "convert good.non out.non --to XML": "unknown format 'XML'; did you mean webpbn-xml? docs/FORMATS.md",
    "convert good.non out.non --to xyz": "unknown format 'xyz'; docs/FORMATS.md lists all",
    "convert missing.non out.non": "missing.non does not exist",
    "convert good.non out.non -n 0": "Invalid value for '-n': 0 is not between 1 and 10,000,000,000",
    "convert good.non out.non -n 9": "no puzzle could be written",
    f"convert good.non out.non -n {10**29}": "-n",
    "convert images out.non": "no puzzle found in images; images are read if they are named, like folder/*.png",
    "convert good.non out.non --format nin": "no puzzle could be written: good.non: ",
    "convert http://example.org/a.zip x.jsonl": "http://example.org/a.zip: files are downloaded by https only",
    "convert https://example.org/a.zip x.jsonl": "give --contact, or set NONOCENSUS_CONTACT",
    "crawl": "Missing argument 'SITE'. Choose from: webpbn, nonograms, demo; see nonocensus crawl --help",
    f"crawl demo --ids 1 {NEW}": "python -m nonocensus.pipeline.commands.twin",
    f"crawl webpbn --rate 0 {NEW} --ids x": f"'x' {NO_RANGE}",
    f"crawl webpbn --rate 0 {NEW} --ids 5-1": "5-1 runs backwards",
    f"crawl webpbn --rate 0 {NEW} --ids 0-4": "ids begin at 1",
    f"crawl webpbn --rate 0 {NEW} --ids {'9' * 5000}": NO_RANGE,
    f"crawl webpbn --rate 0 {NEW}": ONE_WAY,
    f"crawl webpbn --rate 0 {NEW} --ids 1 --new": ONE_WAY,
    f"crawl webpbn --rate 0 {NEW} --new --refresh": "--refresh goes with --ids",
    f"crawl webpbn --rate 0 {NEW} --ids 1 --kind mono": "--kind is for nonograms",
    f"crawl webpbn --rate 1.5 {NEW} --ids 1": "--contact",
    f"crawl webpbn --rate 0 {NEW} --ids 1 --base-url webpbn.com": NO_ADDRESS,
    f"crawl webpbn --rate 0 {NEW} --ids 1 --base-url http://127.0.0.1:99999": NO_ADDRESS,
    f"crawl webpbn --rate 0 {NEW} --ids 1 --base-url http://[::1": NO_ADDRESS,
    f"crawl webpbn --rate 0 {NEW} --ids 1 --base-url http://{'a' * 5000}:x": NO_ADDRESS,
    **{
        f"crawl webpbn --rate 0 {NEW} --ids 1 --base-url 'http://{address}'": "takes no ?, # or name and password"
        for address in ("127.0.0.1?x=1", "127.0.0.1/a?", "127.0.0.1#f", "u:secret@127.0.0.1", "u@127.0.0.1/a")
    },
    f"crawl webpbn --rate 0 {NEW} --ids 1 --contact a@b.c": "rate must be at least 1.5 s for webpbn.com, not 0",
    f"crawl webpbn --rate 1.4 {NEW} --ids 1 --contact a@b.c": "rate must be at least 1.5 s for webpbn.com, not 1.4",
    f"crawl webpbn --rate 0 {NEW} --ids 1 {LOOPBACK} --base-url https://example.org --contact a@b.c": (
        "rate must be at least 1.5 s for example.org"
    ),
    f"crawl webpbn {NEW} --ids 1 {LOOPBACK} --rate inf": BAD_RATE,
    f"crawl webpbn {NEW} --ids 1 {LOOPBACK} --rate -1": BAD_RATE,
    f"crawl webpbn --rate 0 {NEW} --ids 1 {LOOPBACK} --contact x": "--contact: contact must be an e-mail address",
    "dataset nowhere --out new": "nowhere",
    "dataset run --out new --private --with-clues": "--with-clues",
    "dedup nowhere": "nowhere does not exist; make a store with: nonocensus import",
    "dedup store --csv x --json": "exclude each other",
    "dedup store --csv out/": "out/ is a folder",
    "dedup store --cells -0.1": "share of rarer cells must be from 0 to 0.2, not -0.1",
    "dedup store --cells 0.5": "share of rarer cells must be from 0 to 0.2, not 0.5",
    "dedup store --cells nan": "share of rarer cells must be from 0 to 0.2, not nan",
    "export store --csv x": "store is not a run",
    "export run --csv x --where 'goal is null'": "--where 'goal is null': unknown column",
    "generate random 4x3 --out new": "--count is required for random pictures",
    "generate exhaustive 4x3 --count 3 --out new": "--count is not for exhaustive: all pictures of the size",
    "generate exhaustive 4x3 --seed 3 --out new": "--seed is not for",
    "generate exhaustive 4x3 --density 0.0 --out new": "--density is not for",
    "generate blobs 4 --count 3 --out new": "a size is width x height like 30x20",
    f"generate random {'9' * 5000} --count 1 --out new": "a size is width x height like 30x20",
    f"generate random {'9' * 5000}x1 --count 1 --out new": "9...",
    "generate random 3x3 --count 1 --density nan --out new": "--density",
    "generate waves 4x3 --count 3 --out new": "unknown kind waves; choose one of random, blobs, ",
    "generate letters 4x9 --count 3 --out new": "no letters of 4x9: a letter takes 5x7 cells",
    "generate letters 9x9 --count 3 --density 0.5 --out new": "--density is not for letters",
    "generate cycles 4x5 --count 3 --out new": "no cycles of 4x5: they are square",
    "generate dominoes 6x6 --out new": "no dominoes of 6x6: they are square with an odd side",
    "generate dominoes 7x7 --seed 1 --out new": "--seed is not for dominoes",
    "generate random 5x5 --count 1 --colors 32 --out new": "32 is not between 1 and 31",
    "generate random 5x5 --count 1 --seed -1 --out new": "-1 is not between 0 and",
    "serve --host 'no such host' --port 0": "no such host",
    "serve full --port 0": "full is neither a run nor a store; make a store with: nonocensus import FILES --out STORE",
    "serve --port 65536": "65536 is not between 0 and 65,535",
    "generate random 5x5 --count 1 --out memory://x --serial": "memory:// has no conditional",
    "generate random 8x8 --count 5 --out new --minutes 5": (
        "--minutes takes two numbers like 5-10 or 0.5-2, the lower one first; not 5\n"
    ),
    **{
        f"generate random 8x8 --count 5 --out new {option}={value}": f"{option} takes"
        for option, values in (("--minutes", "10-5 -5-10 five-ten"), ("--stars", "4-3"), ("--grade", "0 -3 3-10 hard"))
        for value in [*values.split(), ""]
    },
    "generate random 8x8 --count 5 --out new --grade 4-3": (
        "--grade takes a grade from 1 to 9, or two like 3-4, the lower one first; not 4-3\n"
    ),
    "generate random 8x8 --count 5 --out new --grade 3 --serial --cpus 2": "--serial cannot be combined",
    "generate random 8x8 --out new --grade 3": "--count is required for random pictures",
    "grade nothing": "nothing does not exist",
    "grade run --cpu-limit 0": "--cpu-limit",
    "grade run --serial --cpus 2": "--serial cannot be combined",
    "grade run --format xyz": "unknown format 'xyz'",
    "grade store --dry-run": "nonocensus classify",
    "hint a.non": "No such command 'hint'; see nonocensus",
    f"import nowhere.non {NEW}": "nowhere.non does not exist",
    f"import empty {NEW}": "no puzzle found in empty",
    "solve outer/page": "outer/page is a report, not puzzle files",
    "solve outer": "no puzzle found in outer; name the store in it: outer/store",
    f"import run {NEW}": "run is a run, not puzzle files; explain one puzzle: nonocensus solve run ID --explain",
    "import good.non --out full": "full is not empty and not a store",
    "import good.non --out good.non": "good.non is a file, not a folder",
    "import good.non --out s3://": "s3:// names no bucket; write it as s3://bucket/folder",
    "import good.non --out good.non/store": "good.non is a file, not a folder; name a folder",
    f"import /dev/null {NEW}": "/dev/null: it is a device or a pipe; name a file or a folder",
    f"import www.example.org/a.zip {NEW}": "does not exist; an address begins with https://",
    f"import memory://nowhere {NEW}": "memory://nowhere does not exist",
    f"import nosuch://x/y {NEW}": "nosuch://x/y: Protocol not known: nosuch",
    f"import az://x/y {NEW}": "az://x/y: AZURE_STORAGE_ACCOUNT_NAME is not set",
    f"import http://example.org/a.zip {NEW}": "http://example.org/a.zip: files are downloaded by https only",
    f"import https://example.org/a.zip {NEW}": "give --contact, or set NONOCENSUS_CONTACT",
    "mend nothing": "nothing does not exist",
    "mend store --to non": "name it with --out",
    "mend store --out - --to non": "standard output gets the report; name a file",
    "mend store --out x.unknown": "no format is written with this suffix",
    "nope": "No such command 'nope'; see nonocensus",
    f"pack run {NEW} --spread grade": "has no grades yet; make them with: nonocensus grade",
    f"pack run {NEW} --where 'minutes < 5'": "has no grades yet; make them with: nonocensus grade",
    "export run --csv x --where 'stars < 2'": "has no grades yet; make them with: nonocensus grade",
    "mend run --where 'Grade < 3'": "has no grades yet; make them with: nonocensus grade",
    f"pack run {NEW} --where 'width = '": "--where 'width = '",
    f"pack run {NEW} --where 'width = 77'": (
        "--private takes any); 40 of density 0.1 or more (--min-density); 0 that meet --where\n"
    ),
    f"pack run {NEW} --grade 3": "No such option: --grade; --where selects by columns, like --where 'grade <= 3'; see",
    f"pack run {NEW} --ids nosuch": "40 in the run; 0 that --ids names",
    f"pack run {NEW} --to papyrus": "unknown format 'papyrus'",
    f"pack run {NEW} --to pdf": "--pdf 4 writes a book with up to 4 puzzles per page",
    f"pack run {NEW} --to taai --where 'width <> height'": "no chosen puzzle can be packed",
    f"pack run {NEW} --count 0": "0 is not between 1 and",
    f"pack run {NEW} --pdf 3": "--pdf takes 1, 2, 4 or 6 puzzles per page, or 4-letter for Letter paper; not 3",
    f"pack run {NEW} --pdf 4-a5": "or 4-letter for Letter paper; not 4-a5",
    "picture images/1.png --size 4": "a size is width x height",
    "picture images/1.png --out x.unknown": "no format is written with this suffix",
    "picture images/1.png --to mk": "name it with --out",
    "picture images/1.png --out - --to mk --json": "both write to standard output",
    "picture images/1.png --colors 40": "--colors",
    "picture nothing.png": "nothing.png",
    "query nowhere 'select 1'": "nowhere does not exist; make a store with: nonocensus import",
    "query store 'select 1' --csv x --json": "exclude each other",
    "query store 'select 1' --csv full": "full/ is a folder; name a file",
    f"report good.non {NEW}": "good.non is a file, not a store or a run; import it",
    "report full": "Missing option '--out'; see nonocensus report --help",
    f"report full {NEW}": "full is not a run",
    f"report store {NEW}": "store is not a run but a store; classify it first: nonocensus classify store --out RUN",
    "report run --out run": "run is a run or a store; name another folder for the report",
    "report run --out store": "store is a run or a store; name another folder for the report",
    f"report run {NEW} --study=x": "No such option: --study; see nonocensus",
    "retry store --cpu-limit 9": "store",
    "retry run --cpu-limit inf": "--cpu-limit",
    "solve nowhere.non": "nowhere.non does not exist",
    "solve store -n 1": "explain one puzzle: nonocensus solve store ID --explain; write all: nono",
    "solve good.non -b --xml": "one of --brief, --xml and --json",
    "solve good.non -b --json": "one of --brief, --xml and --json",
    "solve good.non -t --json": "--stats cannot be combined",
    "solve good.non --all 2 -b": "--all cannot be combined",
    f"solve good.non --all {10**24}": "--all",
    "solve good.non -n two": "'two' is not a whole number; see",
    "solve good.non -x soon": "'soon' is not a number; see",
    "solve good.non --refresh": "go with ids",
    "solve good.non --base-url http://127.0.0.1:1": "go with ids",
    "solve good.non --depth 0": "--depth",
    "solve good.non --rung guess": "--rung",
    f"solve good.non -n {10**29}": "-n",
    f"solve good.non --hint -n {10**29}": "-n",
    "solve webpbn/1": "NONOCENSUS_CONTACT",
    "solve webpbn/abc": "nor an id like webpbn/6574 or nonograms/6574; for a puzzle of a store or run: nonocensus",
    "solve webpbn/1 --contact a@b.c --base-url ftp:/x": "not an address",
    "solve http://example.org/a.non": "http://example.org/a.non: files are downloaded by https only",
    "solve two.jsonl --save a.png": "--save is for one puzzle: choose it with -n",
    "solve good.non -m -b": "--explain cannot be combined with --brief or --xml",
    "solve good.non -n 2": "-n 2: good.non has fewer puzzles",
    "solve good.non -n 2 --hint": "-n 2: good.non has fewer puzzles",
    "solve good.non --save a.bmp": "end it in .png, .svg, .pdf, .html, .gif, or / for a folder; convert writes",
    "solve good.non --save -": "--save -: unknown format",
    "solve good.non --hint --all 2 -m": "--hint can't be combined with --explain, --all",
    "solve two.jsonl --hint": "--hint is for one puzzle, two.jsonl: choose one with -n",
    f"solve {LINK} --state no.txt": "--state no.txt does not exist",
    f"solve {LINK} --state a --from-saved 1": "--state can't be combined with --from-saved",
    "solve 'http://x/#puzzle?share=eJyr' --hint": BAD_LINK,
    f"solve '#puzzle?share={'A' * 100_000}'": BAD_LINK,
    "status started": "started is not a run or a store yet: a command is starting",
    "status full": "full is neither a run nor a store",
    "status store --failed": "classify it: nonocensus classify store --out RUN",
    "status store --metrics": "store",
    "status caf\udce9": "is not UTF-8",
    "status https://example.com/run": "https://example.com/run: Unrecognized filesystem type",
    "sudoku good.non --compare --engine brute": "--compare runs all engines; leave out --engine",
    "sudoku good.non --engine bits": "'bits' is not one of",
    "sudoku good.non --cpu-limit nan": "nan is not between",
    "sudoku /dev/null": "/dev/null: not a Sudoku: it is empty",
    "sudoku images/1.png": "1.png: not a Sudoku: it is a binary file, not text",
    "sudoku full/note.txt": "note.txt: not a Sudoku: no lines of 81 characters and no grids",
    "sudoku good.non": "good.non: not a Sudoku: no lines of 81 characters and no grids; for nonograms there is `solve`",
    "sudoku full": "full: Is a directory",
    "sudoku missing": "missing does not exist",
    "tasks run --out t.jsonl --minutes 1-20": "has no grades yet",
    "tasks run --out t.jsonl --where 'width > 1000'": "has no puzzle that qualifies: 40 in the run",
}
"""What the line says, by command."""

OTHERS = {
    "query store 'select 1' --csv /proc/x": (4, ": /proc/x: No such file or directory"),
    "check --tasks good.non --answers good.non": (3, "good.non, line 1: not a task"),
    "check --tasks /dev/null --answers good.non": (3, "/dev/null has no tasks; make some with: nonocensus tasks RUN"),
    f"classify store {NEW} --address 127.0.0.1:1": (6, "127.0.0.1:1 can't be reached: Connection refused"),
    f"classify store {NEW} --address ray://127.0.0.1:1": (6, "127.0.0.1:1 can't be reached: Connection refused"),
    f"solve {'y' * 100_000}": (2, "does not exist"),
}
"""With another exit status, or a long line."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of the store next to it, puzzle files, and what can't be read."""
    place = tmp_path_factory.mktemp("place")
    run_of(place, demo_puzzles()[:40])
    for name in ("full", "empty", "images", "started"):
        (place / name).mkdir()
    (place / "started/writer.lock").touch()
    (place / "full/note.txt").write_text("mine")
    for file in (place / "outer/store/store.json", place / "outer/page/report.json"):
        file.parent.mkdir(parents=True)
        file.touch()
    (place / "images/1.png").write_bytes(named("png").write(from_picture(np.eye(4, dtype=np.uint8))))
    (place / "good.non").write_text(DIAMOND)
    (place / "two.jsonl").write_bytes(named("jsonl").write(demo_puzzles()[0]) * 2)
    (place / "latin.txt").write_bytes("caf\xe9".encode("latin-1"))
    (place / "large.txt").touch()
    os.truncate(place / "large.txt", (64 << 20) + 1)
    return place


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [*((command, 2, said) for command, said in REFUSED.items()), *((c, *said) for c, said in OTHERS.items())],
    ids=lambda value: value[:60] if isinstance(value, str) else value,
)
def test_wrong_use(
    refused: Refused, place: Path, monkeypatch: pytest.MonkeyPatch, command: str, code: int, said: str
) -> None:
    for name in ("NONOCENSUS_CONTACT", "AZURE_STORAGE_ACCOUNT_NAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(place)
    before = sorted(place.rglob("*"))
    line = refused(*shlex.split(command), code=code)
    assert said in line
    assert len(line) < 400 or command in OTHERS
    assert sorted(place.rglob("*")) == before
