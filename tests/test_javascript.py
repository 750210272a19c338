"""The unit tests of the pages' JavaScript, run by node: `node --test tests/javascript`."""

import nodejs
import pytest

FILES = sorted(path.name for path in nodejs.FOLDER.glob("*.test.mjs"))


def test_there_are_unit_tests() -> None:
    assert FILES


@pytest.mark.parametrize("name", FILES)
def test_javascript_unit_tests_pass(name: str) -> None:
    done = nodejs.run("--test", "--test-reporter=spec", str(nodejs.FOLDER / name))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\nℹ fail 0\n" in done.stdout
    assert "\nℹ pass 0\n" not in done.stdout, "no test ran"
