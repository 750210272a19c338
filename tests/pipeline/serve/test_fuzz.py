"""The API fuzzed from its own description: every reply is one that it tells of, and none is a failure."""

from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import checks
from serving import Server, running

CHECKED = [checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
           checks.response_schema_conformance]  # fmt: skip


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running("--cpus", "2", "--cpu-limit", "0.5") as server:
        yield server


def test_the_api_is_as_described(server: Server) -> None:
    schema = schemathesis.openapi.from_url(f"{server.address}/api/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == 17
    for operation in operations:

        @given(operation.as_strategy())
        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        def every(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKED)

        every()
