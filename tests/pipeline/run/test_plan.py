"""Plans: all rows, a selection, or timeouts."""

from pathlib import Path

import pyarrow as pa
import pytest
from runs import CONFIG, lasting, run_serially, start_run, work_on

from nonocensus.pipeline.errors import UserError
from nonocensus.pipeline.run.configuration import configuration
from nonocensus.pipeline.run.plan import Selection, plan_rest, plan_retry
from nonocensus.pipeline.run.progress import summarize
from nonocensus.pipeline.sql import condition
from nonocensus.pipeline.store.parts import Store

ROWS = pa.table({"width": pa.array([1, 2, None], pa.uint16()), "title": ["a", "b", None]})


@pytest.mark.parametrize(
    ("where", "met"),
    [
        ("width > 1", [False, True, False]),
        ("puzzles.width = 1 or title is null", [True, False, True]),
        ("width -- a comment", [True, True, False]),
        ("columns('wid') > 1", [False, True, False]),
        ("null", [False, False, False]),
    ],
)
def test_condition_is_met_or_not_by_each_row(where: str, met: list[bool]) -> None:
    with condition(where, ROWS.schema) as function:
        assert function is not None
        assert function(ROWS).tolist() == met


@pytest.mark.parametrize(
    ("where", "error"),
    [
        ("count(*) > 0", "WHERE clause cannot contain aggregates"),
        ("sum(width) over () > 0", "WHERE clause cannot contain window functions"),
        ("unnest([true, false])", "UNNEST not supported here"),
        ("columns('width|title') is not null", "COLUMNS stands for several columns; name each"),
        ("width > (select avg(width) from puzzles)", "Table with name puzzles does not exist"),
        ("true) from puzzles; drop table puzzles; select (true", "syntax error"),
        ("true; select 1", "more than one statement"),
        ("true, false", "only a single expression"),
        ("", "SELECT clause without selection list"),
    ],
)
def test_condition_of_more_than_a_row_is_refused(where: str, error: str) -> None:
    with pytest.raises(UserError, match=rf"^--where .*{error}") as raised, condition(where, ROWS.schema):
        pass
    assert "\n" not in str(raised.value)


@pytest.mark.slow
def test_selections_by_ids_condition_and_limit(store: Store, tmp_path: Path) -> None:
    run = start_run(store, str(tmp_path / "run"), CONFIG)
    assert plan_rest(run, [], Selection(where="width < 0")).rows == 0, "not all of the run"
    work_on(run, selection=Selection(ids=("test/7", "test/299")))
    assert sorted(run.table()["puzzle_id"].to_pylist()) == ["test/299", "test/7"]
    work_on(run, selection=Selection(where="cast(source_id as integer) < 5 or puzzle_id = 'test/7'"))
    assert len(run.table()) == 2, "a null is no match"
    work_on(run, selection=Selection(where="len(puzzle_id) = 6", limit=3))
    assert sorted(run.table()["puzzle_id"].to_pylist()) == ["test/0", "test/1", "test/2", "test/299", "test/7"]
    work_on(run)
    assert len(run.table()) == 300


def test_timeouts_are_retried_with_more_time(hard: Store, tmp_path: Path) -> None:
    store = hard
    alone = run_serially(store, tmp_path / "serial")
    run = start_run(store, str(tmp_path / "run"), configuration(1e-3))
    work_on(run)
    timeouts = summarize(run)["status"]["timeout"]
    assert timeouts > 40
    work_on(run, cpu_limit=10.0, selection=Selection(limit=10))
    assert summarize(run)["status"] == {"timeout": timeouts - 10, "ok": 80 - timeouts + 10}
    work_on(run, cpu_limit=10.0)
    assert summarize(run)["status"] == {"ok": 80}
    assert lasting(run).drop_columns("config_hash").equals(lasting(alone).drop_columns("config_hash"))
    assert plan_retry(run, run.result_files(), 20.0).left == []
    assert sum(file.rows for file in run.result_files()) == 80
