"""An API fuzzed from its OpenAPI description: every reply is one that it documents, and none is a failure."""

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import checks

CHECKED = [checks.not_a_server_error, checks.status_code_conformance, checks.content_type_conformance,
           checks.response_schema_conformance]  # fmt: skip


def assert_as_described(address: str, count: int, examples: int) -> None:
    """Check that there are `count` operations, each with `examples` random requests."""
    schema = schemathesis.openapi.from_url(f"{address}/api/openapi.json")
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) == count
    for operation in operations:

        @given(operation.as_strategy())
        @settings(max_examples=examples, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        def every(case: schemathesis.Case) -> None:
            case.call_and_validate(checks=CHECKED)

        every()
