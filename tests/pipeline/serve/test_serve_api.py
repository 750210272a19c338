"""The API of a running server: what it reads, solves and writes, and how it refuses."""

import base64
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import numpy as np
import psutil
import pytest
from PIL import Image
from serving import BYTES, DIAGONAL, PLUS, PLUS_NON, Server, long_puzzle, record, until

from nonocensus.pipeline.serve.serve_limits import MAX_BODY, MAX_UNFINISHED, PAGE_ROWS
from nonocensus.scrapers.formats import FORMATS, named
from nonocensus.scrapers.formats.writing import is_picture
from nonocensus.solver.model.puzzle import clues_of

pytestmark = pytest.mark.slow


OPTIONS = ("--cpus", "2", "--cpu-limit", "3")


def solve(server: Server, puzzle: dict[str, Any], **asked: Any) -> dict[str, Any]:
    """Return the job after it has ended."""
    return server.job("solve", puzzle=puzzle, **asked)


def about(server: Server) -> dict[str, Any]:
    return dict(server.get("/api/about").json())


def at_length(server: Server, job: dict[str, Any]) -> bool:
    """Return whether a worker has begun a job that needs more than a first try."""
    job = server.get(f"/api/jobs/{job['id']}").json()
    return bool(job["long"]) and job["state"] == "running"


def test_puzzle_with_one_solution_is_solved_at_once(server: Server) -> None:
    job = solve(server, PLUS)
    assert job["state"] == "done"
    assert not job["long"]
    result = job["result"]
    assert (result["solutions"], result["pictures"], result["every"]) == ("unique", ["010111010"], True)
    assert result["technique"] == "line"
    assert result["line_solves"] > 0


def test_up_to_the_requested_number_of_solutions_are_returned(server: Server) -> None:
    result = solve(server, DIAGONAL)["result"]
    assert sorted(result["pictures"]) == ["0110", "1001"]
    permutation = record(np.eye(4))
    result = solve(server, permutation, solutions=100)["result"]
    assert len({*result["pictures"]}) == 24
    assert result["every"]
    result = solve(server, permutation, solutions=5)["result"]
    assert (len({*result["pictures"]}), result["every"]) == (5, False)


def test_begun_grid_restricts_solutions(server: Server) -> None:
    result = solve(server, DIAGONAL, begun="1???")["result"]
    assert (result["solutions"], result["pictures"]) == ("unique", ["1001"])
    assert solve(server, DIAGONAL, begun="11??")["result"]["solutions"] == "none"


def test_contradictory_clues_are_invalid_and_malformed_ones_refused(server: Server) -> None:
    job = solve(server, {"rows": [[[9, 1]]], "columns": [[[1, 1]]]})
    assert (job["state"], job["result"]["status"], job["result"]["label"]) == ("done", "invalid", "invalid")
    assert job["result"]["error"]
    assert solve(server, {"rows": [[[1, 5]]], "columns": [[[1, 1]]]})["state"] == "refused"


def test_cpu_limit_ends_a_long_job(server: Server) -> None:
    job = solve(server, long_puzzle(), cpu_limit=0.5)
    assert (job["state"], job["long"], job["result"]["label"]) == ("done", True, "timeout")
    assert job["result"]["cpu_seconds"] < 3


def test_puzzles_of_files_and_archives_are_parsed(server: Server) -> None:
    found = server.parse(PLUS_NON, "plus.non").json()
    assert found["problems"] == []
    assert found["puzzles"][0]["puzzle"]["rows"] == PLUS["rows"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.non", PLUS_NON)
        archive.writestr("b.non", PLUS_NON.replace(b"3\n1\n\nc", b"2\n1\n\nc"))
        archive.writestr("c.non", b"nothing")
    found = server.parse(packed.getvalue(), "both.zip").json()
    assert [each["puzzle"]["puzzle_id"] for each in found["puzzles"]] == ["local/both.zip/a", "local/both.zip/b"]
    assert [each["name"] for each in found["problems"]] == ["both.zip/c.non"]
    for query, first, wanted in (("", 1, ["b"]), ("BOTH.zip/a 3x3", 0, ["a"]), ("2", 0, ["b"]), ("none", 0, [])):
        found = server.parse(packed.getvalue(), "both.zip", query=query, first=first).json()
        assert [each["puzzle"]["puzzle_id"][-1] for each in found["puzzles"]] == wanted
        assert found["total"] == len(wanted) + first
    large = json.dumps({"rows": [[]] * 400, "columns": [[]] * 400})
    assert server.parse(large.encode(), "large.jsonl").json()["detail"].endswith("puzzles of up to 100,000 cells")
    small = json.dumps({"rows": [[1]], "columns": [[1]]})
    found = server.parse(f"{large}\n{small}\n".encode(), "both.jsonl").json()
    assert (found["total"], [each["name"] for each in found["problems"]]) == (1, ["local/both"])


@pytest.mark.parametrize("data", [b"", b"\0\1\2", b"PK\3\4damaged", b"no puzzle", b"<?xml version='1.0'?><a>"])
def test_file_without_a_puzzle_is_unprocessable(server: Server, data: bytes) -> None:
    reply = server.parse(data, "x.non")
    assert reply.status_code == 422
    assert "\n" not in reply.json()["detail"]
    assert "Traceback" not in reply.text


def test_archive_bomb_is_refused(server: Server) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(20):
            archive.writestr(f"{k}.non", bytes(64 << 20))
    assert server.parse(packed.getvalue(), "bomb.zip").status_code == 422
    assert server.solves()


def test_long_uploads_and_long_puzzles_do_not_delay_a_small_puzzle(server: Server) -> None:
    jobs = [server.post("/api/solve", json={"puzzle": long_puzzle()}).json() for _ in range(4)]
    until(lambda: any(at_length(server, job) for job in jobs))
    with ThreadPoolExecutor(8) as threads:
        uploads = [threads.submit(server.parse, b"\n" * (MAX_BODY // 4)) for _ in range(8)]
        until(lambda: about(server)["queued"] > 2)
        assert server.solves()
        assert not all(upload.done() for upload in uploads)
    assert {upload.result().status_code for upload in uploads} == {422}
    for job in jobs:
        server.client.delete(f"/api/jobs/{job['id']}")


def test_image_becomes_a_puzzle(server: Server) -> None:
    cells = np.zeros((40, 40, 3), np.uint8)
    cells[:, 20:] = 255
    data = io.BytesIO()
    Image.fromarray(cells).save(data, "PNG")
    reply = server.post("/api/image", params={"width": 4, "height": 2}, content=data.getvalue(), headers=BYTES)
    assert reply.json()["puzzle"]["goal"] == "11001100"
    assert server.post("/api/image", content=b"no image", headers=BYTES).status_code == 422


def test_clues_of_a_picture_are_returned(server: Server) -> None:
    reply = server.post("/api/clues", json={"width": 3, "cells": "010111010"}).json()
    assert (reply["puzzle"]["rows"], reply["puzzle"]["columns"]) == (PLUS["rows"], PLUS["columns"])
    for board in ({"width": 2, "cells": "010"}, {"width": 1, "cells": "9"}, {"width": 1, "cells": "?"}):
        assert server.post("/api/clues", json=board).status_code == 422


def test_every_format_is_written(server: Server) -> None:
    puzzle = PLUS | {"goal": "010111010"}
    refused = {each["name"]: each["refuses"] for each in server.get("/api/formats").json()}
    assert refused.keys() == {known.NAME for known in FORMATS}
    assert [refused[name] for name in ("nin", "non", "jsonl")] == [["colors", "blots"], ["blots", "background"], []]
    for known in FORMATS:
        reply = server.post("/api/write", json={"puzzle": puzzle, "format": known.NAME})
        assert reply.status_code == 200, (known.NAME, reply.text)
        (back,) = named(known.NAME).read(base64.b64decode(reply.json()["data"]))
        assert (back.rows, back.columns) == clues_of(np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], np.uint8))
        if is_picture(known):
            assert server.post("/api/write", json={"puzzle": PLUS, "format": known.NAME}).status_code == 422
    assert server.post("/api/write", json={"puzzle": PLUS, "format": "none"}).status_code == 422


def test_archive_list_is_paged_sorted_and_filtered(browsing: Server) -> None:
    page = browsing.get("/api/puzzles").json()
    assert (page["total"], len(page["puzzles"])) == (60, PAGE_ROWS)
    rest = browsing.get("/api/puzzles", params={"first": PAGE_ROWS}).json()["puzzles"]
    rows = page["puzzles"] + rest
    assert [row["place"] for row in rows] == list(range(60))
    for name in ("difficulty", "puzzle_id", "label", "grade"):
        for descending in (False, True):
            asked = {"sort": name, "descending": descending}
            shown = browsing.get("/api/puzzles", params=asked).json()["puzzles"]
            known = [row[name] for row in rows if row[name] is not None]
            unknown = [None] * (len(rows) - len(known))
            assert [row[name] for row in shown] == [*sorted(known, reverse=descending), *unknown][:PAGE_ROWS]
    label = rows[0]["label"]
    wanted = {row["puzzle_id"] for row in rows if row["label"] == label}
    assert browsing.get("/api/puzzles", params={"label": label}).json()["total"] == len(wanted)
    grades = [row["grade"] for row in rows if row["grade"] is not None]
    assert about(browsing)["archive"]["facets"]["grade"][:-1] == [str(grade) for grade in sorted(set(grades))]
    for grade in set(grades):
        assert browsing.get("/api/puzzles", params={"grade": grade}).json()["total"] == grades.count(grade)
    assert browsing.get("/api/puzzles", params={"grade": 10}).status_code == 422
    assert browsing.get("/api/puzzles", params={"query": "RANDOM 3-17"}).json()["total"] == 1
    assert browsing.get("/api/puzzles", params={"query": "' or true --"}).json()["total"] == 0
    assert about(browsing)["archive"]["puzzles"] == 60


def test_archived_result_equals_a_new_solution(browsing: Server) -> None:
    for row in browsing.get("/api/puzzles", params={"first": 40}).json()["puzzles"][:5]:
        found = browsing.get(f"/api/puzzles/{row['puzzle_id']}").json()
        assert found["puzzle"]["puzzle_id"] == row["puzzle_id"]
        job = solve(browsing, found["puzzle"], grade=True)
        assert found["answer"]["label"] == job["result"]["label"] == row["label"]
        assert found["answer"]["grading"]["grade"] == job["result"].get("grading", {}).get("grade") == row["grade"]
        assert found["answer"]["difficulty"] == job["result"]["difficulty"] == row["difficulty"]
    assert browsing.get("/api/puzzles/there/is/none").status_code == 404


def test_archive_routes_are_404_without_an_archive(server: Server) -> None:
    assert about(server)["archive"] is None
    for path in ("/api/puzzles", "/api/puzzles/x"):
        assert server.get(path).status_code == 404


def test_cancelled_job_frees_its_worker(server: Server) -> None:
    job = server.post("/api/solve", json={"puzzle": long_puzzle()}).json()
    until(lambda: server.get(f"/api/jobs/{job['id']}").json()["long"])
    assert server.client.delete(f"/api/jobs/{job['id']}").json()["state"] == "cancelled"
    until(lambda: about(server)["running"] == 0)
    assert server.solves()
    assert server.client.delete("/api/jobs/none").status_code == 404


def test_killed_workers_fail_their_jobs_and_are_replaced(server: Server) -> None:
    """Whatever they do is said to have failed, and others take their places."""
    jobs = [server.post("/api/solve", json={"puzzle": long_puzzle()}).json() for _ in range(2)]
    until(lambda: any(at_length(server, job) for job in jobs))  # a first try would be made again
    before = server.workers
    for process in before:
        process.kill()
    until(lambda: any(server.get(f"/api/jobs/{job['id']}").json()["state"] == "failed" for job in jobs))
    for job in jobs:
        server.client.delete(f"/api/jobs/{job['id']}")
    assert server.solves()
    until(lambda: len({each.pid for each in server.workers} - {each.pid for each in before}) == 3)


def test_job_survives_workers_that_died_idle(server: Server) -> None:
    """The next job is not to blame, and is done."""
    until(lambda: about(server)["running"] == 0 and len(server.workers) == 3)
    for process in (before := server.workers):
        process.kill()
    until(lambda: not any(psutil.pid_exists(process.pid) for process in before))
    assert server.solves()


def test_short_jobs_pass_long_ones(server: Server) -> None:
    jobs = [server.post("/api/solve", json={"puzzle": long_puzzle()}).json() for _ in range(4)]
    until(lambda: all(server.get(f"/api/jobs/{job['id']}").json()["long"] for job in jobs))
    assert all(server.solves() for _ in range(20))
    assert any(server.get(f"/api/jobs/{job['id']}").json()["state"] in ("queued", "running") for job in jobs)
    for job in jobs:
        server.client.delete(f"/api/jobs/{job['id']}")


def test_job_is_200_once_it_is_finished_and_202_before(server: Server) -> None:
    for asked, state in (({"puzzle": PLUS}, "done"), ({"puzzle": PLUS, "begun": "1"}, "refused")):
        reply = server.post("/api/solve", params={"wait": 20}, json=asked)
        assert (reply.status_code, reply.json()["state"]) == (200, state)
    begun = server.post("/api/solve", json={"puzzle": long_puzzle()})
    assert (begun.status_code, begun.json()["state"]) == (202, "queued")
    cancelled = server.client.delete(f"/api/jobs/{begun.json()['id']}")
    assert (cancelled.status_code, cancelled.json()["state"]) == (200, "cancelled")


def test_openapi_lists_every_refusal(server: Server) -> None:
    paths = server.get("/api/openapi.json").json()["paths"]
    assert all(
        {"403", "408", "421", "500", "503"} <= {*about["responses"]}
        for path in paths.values()
        for about in path.values()
    )
    reply = server.post(
        "/api/clues",
        content=b'{"width": 1, "cells": "0", "title": "\xff"}',
        headers={"content-type": "application/json"},
    )
    assert str(reply.status_code) in paths["/api/clues"]["post"]["responses"]
    assert {"200", "202"} <= {*paths["/api/solve"]["post"]["responses"]}


def test_full_queue_is_503_with_retry_after(server: Server) -> None:
    jobs = []
    while (reply := server.post("/api/solve", json={"puzzle": long_puzzle()})).status_code == 202:
        jobs.append(reply.json()["id"])
    assert (reply.status_code, reply.json()) == (503, {"detail": "the server is busy"})
    assert int(reply.headers["retry-after"]) > 0
    assert len(jobs) >= MAX_UNFINISHED
    for job in jobs:
        server.client.delete(f"/api/jobs/{job}")
    until(lambda: about(server)["queued"] + about(server)["running"] == 0)
    assert server.solves()


def test_disconnect_cancels_a_short_job(server: Server) -> None:
    until(lambda: about(server)["running"] == 0)
    with pytest.raises(httpx.ReadTimeout):
        server.post("/api/parse", content=b"\n" * MAX_BODY, headers=BYTES, timeout=0.2)
    until(lambda: about(server)["running"] == 0)


def test_concurrent_requests_get_their_own_answers(server: Server) -> None:
    pictures = [np.random.default_rng(k).random((6, 6)) < 0.6 for k in range(40)]
    with ThreadPoolExecutor(40) as threads:
        jobs = threads.map(lambda picture: solve(server, record(picture)), pictures)
    for picture, job in zip(pictures, jobs, strict=True):
        wanted = clues_of(picture.astype(np.uint8))
        for cells in job["result"]["pictures"]:
            assert clues_of(np.array([*map(int, cells)], np.uint8).reshape(6, 6)) == wanted


def test_body_beyond_the_limit_is_413(server: Server) -> None:
    assert server.parse(bytes(MAX_BODY + 1)).status_code == 413
    chunks = (bytes(1 << 20) for _ in range(1000))
    with suppress(httpx.WriteError):  # the server has closed it before all was sent
        assert server.post("/api/parse", content=chunks, headers=BYTES).status_code == 413
    assert server.solves()
