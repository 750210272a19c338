"""docs/API.md: its examples, run against a server as they stand."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from serving import running

from tools import documents

ADDRESS = "http://127.0.0.1:8765"
EXAMPLE = re.compile(r"```sh\n(?P<asked>.*?)```\n```(?:json|xml)\n(?P<said>.*?)```", re.DOTALL)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl on this machine")
def test_examples_of_the_page_run_as_written(tmp_path: Path) -> None:
    page = (documents.ROOT / "docs" / "API.md").read_text()
    examples = list(EXAMPLE.finditer(page))
    assert len(examples) == page.count("```sh")
    with running("--cpus", "2") as server:
        for example in examples:
            assert ADDRESS in example["asked"]
            asked = example["asked"].replace(ADDRESS, server.address)
            done = subprocess.run(["sh", "-ec", asked], cwd=tmp_path, capture_output=True, text=True, check=True)
            wanted = re.escape(example["said"].strip()).replace(re.escape("..."), ".*")
            assert re.fullmatch(wanted, done.stdout.strip(), re.DOTALL), done.stdout
