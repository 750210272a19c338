"""What has to be in order before a version is tagged."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools import release

CHANGELOG = "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2030-01-31\n- All.\n\n## 1.1.0 - 2029-12-01\n- Some.\n"
CITATION = "version: 1.2.0\ndate-released: 2030-01-31\n"


def test_a_version_in_order() -> None:
    assert list(release.wrong_with("1.2.0", CHANGELOG, CITATION, "v1.1.0\n")) == []


@pytest.mark.parametrize(
    ("changelog", "citation", "tags", "said"),
    [
        (CHANGELOG.replace("## Unreleased\n", "## Unreleased\n- More.\n"), CITATION, "", "under Unreleased"),
        (CHANGELOG.replace("1.2.0 - 2030-01-31", "1.2.0"), CITATION, "", "no heading like ## 1.2.0"),
        (CHANGELOG, CITATION.replace("1.2.0", "1.1.0"), "", "version differs from 1.2.0"),
        (CHANGELOG, CITATION.replace("-31", "-30"), "", "another date than CHANGELOG.md's, 2030-01-31"),
        (CHANGELOG, CITATION, "v1.1.0\nv1.2.0\n", "v1.2.0 is tagged already"),
    ],
)
def test_what_is_not(changelog: str, citation: str, tags: str, said: str) -> None:
    (wrong,) = release.wrong_with("1.2.0", changelog, citation, tags)
    assert said in wrong


def test_left_to_do_ends_with_the_tag_and_skips_what_is_done() -> None:
    new = list(release.left_to_do("1.2.0", "", "", ""))
    urls, site, citation = "\n[project.urls]\n", "site_url: https://example.org/\n", "repository-code: x\ndoi: 10.1/2\n"
    assert list(release.left_to_do("1.2.0", urls, site, citation)) == new[4:]
    assert new[-2] == "now: git tag -a v1.2.0 -m 'nonocensus 1.2.0' && git push origin v1.2.0"


CAPPED = """
import sys, typer
app = typer.Typer()
app.command()(lambda: None)
app([], standalone_mode=False)
print("pydantic" in sys.modules)
"""


@pytest.mark.slow
def test_cap_of_typer_is_still_needed(tmp_path: Path) -> None:
    """Fails once the newest typer no longer imports pydantic: then the cap in pyproject.toml can go."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--target", str(tmp_path), "typer"]
    if subprocess.run(install, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached")
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", CAPPED], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
