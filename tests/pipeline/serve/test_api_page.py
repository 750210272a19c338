"""The API as its pages say: docs/API.md's examples run as written, and every reply is one that OpenAPI documents."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from serving import Server

from tools import documents

pytestmark = pytest.mark.slow

OPTIONS = ("--cpus", "2", "--cpu-limit", "0.5")


def test_replies_match_the_openapi_description(server: Server) -> None:
    import schemathesis  # takes each test process a second, and only this one needs it

    checks = schemathesis.checks
    checked = [
        checks.not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_schema_conformance,
    ]
    schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 16
    for operation in operations:

        @given(operation.as_strategy())
        @settings(max_examples=25, suppress_health_check=list(HealthCheck))
        def every(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=checked)

        every()


ADDRESS = "http://127.0.0.1:8765"
EXAMPLE = re.compile(r"```sh\n(?P<asked>.*?)```\n```(?:json|xml)\n(?P<said>.*?)```", re.DOTALL)


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl on this machine")
def test_examples_of_the_page_run_as_written(server: Server, tmp_path: Path) -> None:
    page = (documents.ROOT / "docs" / "API.md").read_text()
    examples = list(EXAMPLE.finditer(page))
    assert len(examples) == page.count("```sh")
    for example in examples:
        assert ADDRESS in example["asked"]
        asked = example["asked"].replace(ADDRESS, server.address)
        done = subprocess.run(["sh", "-ec", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
        wanted = re.escape(example["said"].strip()).replace(re.escape("..."), ".*")
        assert re.fullmatch(wanted, done.stdout.strip(), re.DOTALL), done.stdout
