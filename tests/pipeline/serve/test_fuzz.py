"""The API fuzzed from its OpenAPI description: every reply is one that it documents, and none is a failure."""

import pytest
from hypothesis import HealthCheck, given, settings
from serving import Server

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
