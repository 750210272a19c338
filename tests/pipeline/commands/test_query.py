"""The commands query and export, compared with pyarrow."""

import gzip
import io
import json
import lzma
import os
import shutil
import stat
import threading
from collections import Counter
from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from runs import CONFIG, rewrite_results, run_serially, start_run
from stores import Nonocensus, Refused, flip_page

from nonocensus.pipeline.findings.sql_tables import results_table
from nonocensus.pipeline.run.run_folder import Run
from nonocensus.pipeline.sql import ADVICE, database
from nonocensus.pipeline.store.parts import Store, append, create_store, one_batch
from nonocensus.reports.clean import UNSAFE
from nonocensus.reports.numbers.derived_measures import DERIVED, derived_measures
from nonocensus.reports.rights import CONTENT
from nonocensus.solver.model.puzzle import Color, from_picture
from nonocensus.solver.model.tables import PUZZLES, puzzle_batch


def asked(nonocensus: Nonocensus, place: Run | Store, query: str) -> list[dict[str, object]]:
    """Return the rows that a query returns."""
    result = nonocensus("query", place.folder.uri, query, "--json")
    assert result.code == 0, result.err
    rows: list[dict[str, object]] = json.loads(result.out)
    return rows


def test_query_of_a_run(run: Run, nonocensus: Nonocensus) -> None:
    table = run.table()
    counted = asked(nonocensus, run, "select label, count(*) as n from results group by label")
    assert {row["label"]: row["n"] for row in counted} == Counter(table["label"].to_pylist())
    assert len(counted) > 1
    query = "select puzzle_id, solution from results where technique is null and sweeps > 6 order by all"
    wanted = table.filter(pc.and_(pc.is_null(table["technique"]), pc.greater(table["sweeps"], 6))).sort_by("puzzle_id")
    assert asked(nonocensus, run, query) == [
        {"puzzle_id": row["puzzle_id"], "solution": row["solution"].hex()} for row in wanted.to_pylist()
    ]
    assert 0 < len(wanted) < 80
    query = "select sum(p.width * p.height - r.cells) as n from puzzles p join results r using (puzzle_id)"
    assert asked(nonocensus, run, query) == [{"n": 0}]


def test_store_has_only_the_table_puzzles(store: Store, nonocensus: Nonocensus) -> None:
    (row,) = asked(nonocensus, store, "select rows, columns[1] as first from puzzles limit 1")
    puzzle = next(store.batches()).to_pylist()[0]
    assert row == {"rows": puzzle["rows"], "first": puzzle["columns"][0]}
    refused = nonocensus("query", store.folder.uri, "select * from results")
    said = "Table with name results does not exist; a run has puzzles, results, certificates, mendings and grades, "
    assert (refused.code, refused.err) == (2, f"nonocensus: the query: {said}a store only puzzles; {ADVICE}\n")


def test_query_covers_only_parts_and_rows_of_the_run(store: Store, nonocensus: Nonocensus, tmp_path: Path) -> None:
    """Parts added to the store later are excluded; of two files with the same row the later wins."""
    run = run_serially(store, tmp_path / "run")
    append(store, [next(store.batches())])
    assert asked(nonocensus, store, "select count(*) as n from puzzles") == [{"n": 305}]
    assert asked(nonocensus, run, "select count(*) as n from puzzles") == [{"n": 300}]
    one = min((tmp_path / "run/results").glob("*.json"))
    later = one.with_name(one.name.replace("part-0001", "part-0002"))
    shutil.copy(one, later)
    rows = pq.read_table(one.with_suffix(".parquet"))
    renamed = pa.array(["later"] * len(rows))
    place = rows.schema.get_field_index("engine")
    rewrite_results(run, later.stem, rows.set_column(place, "engine", renamed))
    with database() as connection:
        connection.register("results", results_table(run))
        for _ in range(2):
            found = connection.sql("select count(*), count(distinct puzzle_id) from results where engine = 'later'")
            assert found.fetchall() == [(len(rows), len(rows))]
            assert connection.sql("select count(*) from results").fetchall() == [(300,)]


def test_puzzles_have_their_number_of_colours(nonocensus: Nonocensus, tmp_path: Path) -> None:
    palette = [Color(name, symbol, f"{k}" * 6) for k, (name, symbol) in enumerate(["a.", "bB", "cC"])]
    pictures = {"a/two": [[0, 1, 2, 1]], "a/one": [[0, 1, 1, 0]], "a/none": [[0, 0]]}
    store = create_store(str(tmp_path / "colored"))
    append(store, [puzzle_batch([from_picture(cells, palette, puzzle_id=name) for name, cells in pictures.items()])])
    found = asked(nonocensus, store, "select puzzle_id, colors from puzzles")
    assert {row["puzzle_id"]: row["colors"] for row in found} == {"a/two": 2, "a/one": 1, "a/none": 0}


def test_query_of_a_run_without_results(store: Store, tmp_path: Path, nonocensus: Nonocensus) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    assert asked(nonocensus, run, "select count(*) as n from results") == [{"n": 0}]
    assert asked(nonocensus, run, "select puzzle_id from results") == []
    assert nonocensus("query", run.folder.uri, "select puzzle_id from results").out.split() == ["puzzle_id"]
    assert nonocensus("export", run.folder.uri, "--csv", "-").out.startswith(
        '"puzzle_id","title","author","grade","source",'
    )


def test_csv_round_trip(run: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    query = (
        "select * exclude (solution, second_solution), solution as picture, null as nothing from results order by all"
    )
    assert "80 rows written to out/rows.csv" in nonocensus("query", run.folder.uri, query, "--csv", "out/rows.csv").out
    table = run.table().sort_by("puzzle_id")
    types = {field.name: field.type for field in table.schema} | {"picture": pa.string()}
    options = csv.ConvertOptions(column_types=types, strings_can_be_null=True, quoted_strings_can_be_null=False)
    read = csv.read_csv(tmp_path / "out/rows.csv", convert_options=options)
    same = [name for name in table.column_names if "solution" not in name or name == "solutions"]
    assert read.select(same).to_pylist() == table.select(same).to_pylist()
    assert read["picture"].to_pylist() == [cells and cells.hex() for cells in table["solution"].to_pylist()]
    assert (
        nonocensus("query", run.folder.uri, query, "--csv", "-").out.encode()
        == (tmp_path / "out/rows.csv").read_bytes()
    )


def test_any_type_as_json_and_csv(run: Run, nonocensus: Nonocensus) -> None:
    query = """select 'nan'::double as a, [{'x': 1.5, 'y': 'z'::blob}] as b, 2::hugeint as c, date '2020-02-01' as d,
        interval 3 day as e, map {'k': 1} as f, 'u'::enum('u', 'v') as g, 1.25::decimal(5, 2) as h, 1 as i, 2 as i,
        timestamptz '2020-02-01 10:00:00+00' as j, null as k, 'say "x", y' as l, -'infinity'::double as m"""
    (row,) = asked(nonocensus, run, query)
    assert list(row.values()) == [
        *(None, [{"x": 1.5, "y": "7a"}], 2, "2020-02-01", [0, 3, 0], [["k", 1]], "u"),
        *(1.25, 1, 2, "2020-02-01T10:00:00+00:00", None, 'say "x", y', None),
    ]
    assert list(row)[8:10] == ["i", "i_1"]
    written = nonocensus("query", run.folder.uri, query, "--csv", "-").out
    assert csv.read_csv(io.BytesIO(written.encode())).to_pylist()[0] | {"a": 0, "j": 0} == row | {
        "a": 0, "b": json.dumps(row["b"]), "d": date(2020, 2, 1), "j": 0,
        "e": json.dumps(row["e"]), "f": json.dumps(row["f"]), "m": float("-inf"),
    }  # fmt: skip


@pytest.mark.usefixtures("terminal")
def test_terminal_gets_first_rows_and_fitting_columns(run: Run, nonocensus: Nonocensus) -> None:
    printed = nonocensus("query", run.folder.uri, "select 'a[b]' as t, i * 1000 as n, rows from puzzles, range(3) r(i)")
    lines = printed.out.splitlines()
    assert lines[0].split() == ["t", "n", "rows"]
    assert {line[:22] for line in lines[1:101]} <= {f"a[b]  {n}  [[{{length" for n in ("    0", "1,000", "2,000")}
    assert all(line.rstrip().endswith("…") for line in lines[1:101])
    assert lines[101:] == ["... and 140 more rows (--csv FILE or --json gives all)"]
    wide = nonocensus("query", run.folder.uri, "select * from puzzles limit 1").out
    assert "columns that don't fit: " in wide
    assert all(len(line) <= 80 for line in wide.splitlines())
    odd = """select 'nan'::double as a, -'infinity'::double as b, 1e300 as c, 2.5::decimal(3, 1) as d, null as e,
        ['x', null] as f"""
    assert nonocensus("query", run.folder.uri, odd).out.split() == [
        *("a", "b", "c", "d", "e", "f"),
        *("nan", "-inf", "1e+300", "2.5", "[x", "null]"),
    ]


def test_pipe_gets_all_rows_and_columns(run: Run, nonocensus: Nonocensus) -> None:
    """Separated by tabs, untruncated, regardless of width."""
    printed = nonocensus("query", run.folder.uri, "select * from puzzles, range(3) order by puzzle_id").out
    lines = [line.split("\t") for line in printed.splitlines()]
    assert lines[0] == [*PUZZLES.names, "colors", "range"]
    assert {len(line) for line in lines} == {len(lines[0])}
    assert len(lines) == 1 + 3 * 80
    assert not any("…" in value for line in lines for value in line)
    odd = nonocensus(
        "query", run.folder.uri, "select 1234567 as a, 'x' || chr(9) || chr(10) || 'y' as b, 0.1 + 0.2 as c"
    )
    assert odd.out == "a\tb\tc\n1234567\tx y\t0.3\n"


def test_query_escapes_control_characters(store: Store, nonocensus: Nonocensus) -> None:
    """The terminal gets none of them, and JSON keeps them escaped."""
    title = "\x1b]0;owned\x07\x1b[31m\x9b31m\u202eabc"
    append(store, [puzzle_batch([from_picture(np.eye(2, dtype=np.uint8), puzzle_id="x/1", source="x", title=title)])])
    query = ("query", store.folder.uri, "select title from puzzles where puzzle_id = 'x/1'")
    printed = nonocensus(*query)
    assert not UNSAFE.search(printed.out)
    assert "]0;owned" in printed.out
    as_json = nonocensus(*query, "--json").out
    assert not UNSAFE.search(as_json)
    assert json.loads(as_json) == [{"title": title}]
    failing = nonocensus("query", store.folder.uri, "select title::int from puzzles where puzzle_id = 'x/1'")
    assert failing.code == 2
    assert not UNSAFE.search(failing.err)


@pytest.mark.parametrize("value", ["timestamp 'infinity'", "timestamptz '-infinity'", "date 'infinity'"])
def test_values_beyond_python_are_reported(run: Run, nonocensus: Nonocensus, value: str) -> None:
    for options in ([], ["--json"], ["--csv", "-"]):
        result = nonocensus("query", run.folder.uri, f"select {value} as moment", *options)
        assert (result.code, len(result.err.splitlines())) == (2, 1)
        assert result.out.replace('"', "").strip() in ("", "moment")
        assert "nonocensus: the query: " in result.err
        assert "::varchar" in result.err
    assert "infinity" in nonocensus("query", run.folder.uri, f"select ({value})::varchar as moment").out


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("selec 1", "the query: syntax error at or near"),
        ("select nosuch from puzzles", f'the query: unknown column "nosuch"; {ADVICE}'),
        ("select titel from puzzles", f'the query: unknown column "titel"; perhaps "title"; {ADVICE}'),
        ('select * from puzzles where title = "Cup"', f"unknown column \"Cup\"; text is in 'single quotes'; {ADVICE}"),
        ("select cast(puzzle_id as integer) from puzzles", "Conversion Error"),
        ("select ?", "Values were not provided"),
        ("select 1; select 2", "not a single SELECT"),
        ("copy puzzles to 'x.csv'", "not a single SELECT"),
        ("attach 'x.db'", "not a single SELECT"),
        ("set threads = 1", "not a single SELECT"),
        ("", "not a single SELECT"),
        ("select * from read_csv('/etc/hostname')", "disabled by configuration"),
        ("select * from 'run.json'", "disabled by configuration"),
        ("select * from connection", "does not exist"),
    ],
)
def test_wrong_queries_are_refused(run: Run, query: str, said: str, refused: Refused, tmp_path: Path) -> None:
    for options in ([], ["--json"], ["--csv", "x.csv"]):
        line = refused("query", run.folder.uri, query, *options)
        assert line.startswith("nonocensus: the query")
        assert said in line
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.usefixtures("store")
def test_lost_part_is_named(refused: Refused, tmp_path: Path) -> None:
    (tmp_path / "store/puzzles/part-00000.parquet").unlink()
    assert "part-00000.parquet" in refused("query", "store", "select title from puzzles", code=3)


def test_damaged_page_is_no_other_value(run: Run, refused: Refused, tmp_path: Path) -> None:
    """A flipped bit, which decompresses to other values."""
    shutil.copytree(run.folder.path, tmp_path / "damaged")
    for path in (tmp_path / "damaged/results").glob("*.parquet"):
        flip_page(path, "line_solves")
    for command in (["query", "damaged", "select max(line_solves) from results"], ["compare", "damaged", "damaged"]):
        assert "CRC checksum verification failed" in refused(*command, code=3)


def test_connection_is_read_only() -> None:
    """Even for statements that pass the check."""
    with database() as connection:
        for statement in ("set enable_external_access = true", "install httpfs", "copy (select 1) to 'x.csv'"):
            with pytest.raises(duckdb.Error):
                connection.execute(statement)


def test_export_writes_a_line_a_puzzle(run: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    said = json.loads(nonocensus("export", run.folder.uri, "--csv", "all.csv", "--json").out)
    assert (said["rows"], said["file"]) == (80, "all.csv")
    read = csv.read_csv(tmp_path / "all.csv")
    assert said["columns"] == read.num_columns
    assert {*CONTENT} & {*read.column_names} == {"title", "author"}
    assert read.column_names[:4] == ["puzzle_id", "title", "author", "grade"]
    results = run.table()
    puzzles = pa.concat_tables(pa.Table.from_batches([batch]) for batch in run.store.batches()).sort_by("puzzle_id")
    ordered = results.sort_by("puzzle_id")
    read = read.sort_by("puzzle_id")
    for name in ("label", "cpu_seconds", "line_solves", "nodes"):
        assert read[name].to_pylist() == ordered[name].to_pylist()
    for name in ("title", "author", "width", "kind", "clue_hash", "source_id"):
        assert read[name].to_pylist() == puzzles[name].to_pylist()
    computed = derived_measures(one_batch(ordered), one_batch(puzzles)).to_pydict()
    assert {name: read[name].to_pylist() for name in DERIVED.names} == computed
    assert read["site_quality"].null_count == 80


def test_export_where_selects_rows(run: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    condition = "label = 'multiple' and difficulty > 0.6 and width = 12"
    result = nonocensus("export", run.folder.uri, "--csv", "some.csv.gz", "--where", condition)
    read = csv.read_csv(io.BytesIO(gzip.decompress((tmp_path / "some.csv.gz").read_bytes())))
    assert 0 < len(read) < 80
    assert f"{len(read)} puzzles with" in result.out
    nonocensus("export", run.folder.uri, "--csv", "some.csv.xz", "--where", condition)
    assert csv.read_csv(io.BytesIO(lzma.decompress((tmp_path / "some.csv.xz").read_bytes()))) == read
    assert set(read["label"].to_pylist()) == {"multiple"}
    assert min(read["difficulty"].to_pylist()) > 0.6
    for condition in ("grade is null", "label <> 'minutes'"):
        assert nonocensus("export", run.folder.uri, "--csv", "all.csv", "--where", condition).code == 0
        assert len(csv.read_csv(tmp_path / "all.csv")) == 80


def test_csv_keeps_pipes_links_and_file_modes(run: Run, nonocensus: Nonocensus, tmp_path: Path) -> None:
    """A pipe and a link stay what they are, a file keeps its mode."""
    query = ("query", run.folder.uri, "select 1 as n", "--csv")
    os.mkfifo(tmp_path / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    assert nonocensus(*query, "pipe").code == 0
    reader.join()
    assert (read, stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)) == ([b'"n"\n1\n'], True)
    (tmp_path / "private.csv").touch(mode=0o600)
    (tmp_path / "link.csv").symlink_to("private.csv")
    assert nonocensus(*query, "link.csv").code == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "private.csv").read_bytes() == b'"n"\n1\n'
    assert stat.S_IMODE((tmp_path / "private.csv").stat().st_mode) == 0o600
    (tmp_path / "dangling.csv").symlink_to("new.csv")
    assert nonocensus(*query, "dangling.csv").code == 0
    assert (tmp_path / "dangling.csv").is_symlink()
    assert (tmp_path / "new.csv").exists()
    assert nonocensus(*query, "/dev/null").code == 0
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
