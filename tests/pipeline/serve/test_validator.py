"""The validator, asked as programs asked pbnsolve.cgi."""

import json
from xml.etree import ElementTree

import httpx
import pytest
from serving import PLUS_NON, TWO_NON, Server, long_puzzle

from nonocensus.pipeline.serve.records import parse_puzzle
from nonocensus.scrapers.formats import named

TWO = TWO_NON.decode()
XML = """<?xml version="1.0"?><puzzleset><puzzle type="grid" defaultcolor="black">
<color name="white" char=".">fff</color><color name="black" char="X">000</color>
<clues type="columns"><line><count>1</count></line></clues><clues type="rows"><line><count>1</count></line></clues>
</puzzle></puzzleset>"""


pytestmark = pytest.mark.slow


OPTIONS = ("--cpus", "2", "--cpu-limit", "1")


def said(reply: httpx.Response, status: int = 200) -> dict[str, str]:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/xml"
    return {part.tag: (part.text or "").strip() for part in ElementTree.fromstring(reply.content)}


def test_get_and_post_return_the_same_document(server: Server) -> None:
    fields = {"image": PLUS_NON.decode(), "format": "non"}
    wanted = {"status": "OK", "unique": "1", "logic": "1", "difficulty": "133"}
    assert said(server.get("/validate", params=fields)) == wanted
    assert said(server.post("/validate", data=fields)) == wanted
    assert said(server.post("/validate", data={"image": PLUS_NON.decode()})) == wanted


@pytest.mark.parametrize("known", ["xml", "webpbn-xml", ""])
def test_format_is_a_name_or_a_suffix(server: Server, known: str) -> None:
    assert said(server.post("/validate", data={"image": XML, "format": known}))["unique"] == "1"


def test_second_solution_is_reported(server: Server) -> None:
    found = said(server.post("/validate", data={"image": TWO}))
    assert (found["status"], found["unique"]) == ("OK", "0")
    assert found["alt"] in ("X.\n.X", ".X\nX.")
    goal = said(server.post("/validate", data={"image": TWO + 'goal "1001"\n'}))
    assert goal["alt"] == ".X\nX."


def test_failures_are_reported_in_the_document(server: Server) -> None:
    assert said(server.get("/validate")) == {"status": "FAIL: No puzzle description included in CGI query"}
    for fields, reason in (
        ({"image": ""}, "it is empty"),
        ({"image": "<&'"}, "unknown format"),
        ({"image": PLUS_NON.decode(), "format": "doc"}, "unknown format 'doc'"),
        ({"image": "width 1\nheight 1\nrows\n9\ncolumns\n1\n"}, "no solution"),
        ({"image": "P1 1023 1023\n" + "0 " * 1023**2}, "this server accepts puzzles"),
    ):
        status = said(server.post("/validate", data=fields))["status"]
        assert status.startswith("FAIL: ")
        assert reason in status
    many = {f"field{k}": "" for k in range(100)}
    assert said(server.post("/validate", data=many))["status"].startswith("FAIL")


def test_binary_files_are_accepted(server: Server) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert "binary" in said(server.post("/validate", content=b"image=%00%ff%fe", headers=form))["status"]
    title = b"image=title+%22caf%E9%22%0A" + PLUS_NON.replace(b"\n", b"%0A").replace(b" ", b"+")
    assert said(server.post("/validate", content=title, headers=form))["unique"] == "1"
    assert said(server.post("/validate", content=b"image=%zz&image=1", headers=form))["status"].startswith("FAIL")


def test_cpu_limit_is_reported_as_timeout(server: Server) -> None:
    puzzle = json.dumps(long_puzzle())
    image = named("non").write(parse_puzzle(puzzle.encode()))
    assert said(server.post("/validate", data={"image": image.decode()})) == {"status": "TIMEOUT"}


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}])
def test_cross_origin_form_is_403(server: Server, headers: dict[str, str]) -> None:
    fields = {"image": PLUS_NON.decode()}
    assert server.get("/validate", params=fields, headers=headers).status_code == 403
    assert server.post("/validate", data=fields, headers=headers).status_code == 403


def test_other_content_types_are_415(server: Server) -> None:
    assert server.post("/validate", json={"image": PLUS_NON.decode()}).status_code == 415
