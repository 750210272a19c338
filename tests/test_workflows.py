"""What GitHub and Zenodo read, and what has to be in order before a version is tagged. actionlint checks more."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools import release

ROOT = Path(__file__).resolve().parents[1]
GITHUB = ROOT / ".github"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = {path.stem: yaml.safe_load(path.read_text()) for path in GITHUB.glob("workflows/*.yml")}
JOBS = [(name, job) for name, workflow in sorted(WORKFLOWS.items()) for job in workflow["jobs"]]
RIGHTS = {
    ("release", "pypi"): {"id-token": "write"},
    ("release", "image"): {"contents": "read", "packages": "write"},
    ("release", "tags"): {"packages": "write"},
    ("release", "github"): {"contents": "write"},
    ("site", "deploy"): {"pages": "write", "id-token": "write"},
}
"""The jobs that may do more than read the repository."""


def values(job: dict[str, Any], name: str) -> set[str]:
    """Return the values of a job's matrix."""
    return set(job["strategy"]["matrix"].get(name, ()))


@pytest.mark.parametrize(("workflow", "name"), JOBS)
def test_jobs_have_limits_and_least_rights(workflow: str, name: str) -> None:
    job = WORKFLOWS[workflow]["jobs"][name]
    assert WORKFLOWS[workflow]["permissions"] == {"contents": "read"}
    assert WORKFLOWS[workflow]["concurrency"]["group"]
    assert job.get("permissions") == RIGHTS.get((workflow, name))
    assert job["timeout-minutes"] <= 90
    for step in job["steps"]:
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_actions_are_pinned() -> None:
    """By commit, alike everywhere; the one exception is a branch that its authors advise."""
    used = {use for path in GITHUB.glob("workflows/*.yml") for use in re.findall(r"uses: (.*)", path.read_text())}
    used.remove("pypa/gh-action-pypi-publish@release/v1")
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use) for use in used), used
    assert len({use.split("@")[0] for use in used}) == len(used)


def test_targets_of_make_exist() -> None:
    targets = set(re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split())
    used = values(WORKFLOWS["tests"]["jobs"]["checks"], "target")
    for workflow, name in JOBS:
        commands = "\n".join(step.get("run", "") for step in WORKFLOWS[workflow]["jobs"][name]["steps"])
        used |= set(re.findall(r"\bmake ([a-z-]+)", commands))
    assert {"test", "wheel", "dist", "image", "site", "lint"} <= used <= targets


def test_pythons_agree() -> None:
    """Workflows, classifiers and the wheel's trials have the same versions, from the oldest that the package allows."""
    prefix = "Programming Language :: Python :: "
    classified = {each.removeprefix(prefix) for each in PROJECT["classifiers"] if each.startswith(f"{prefix}3.")}
    tried = WORKFLOWS["release"]["jobs"]["wheels"]["steps"][1]["with"]["python-version"].split()
    assert values(WORKFLOWS["tests"]["jobs"]["linux"], "python") == classified == set(tried)
    assert {f"python{version}" for version in classified} == set(release.PYTHONS)
    assert PROJECT["requires-python"] == f">={min(classified, key=lambda version: int(version.split('.')[1]))}"


@pytest.mark.parametrize("form", ["bug", "verdict", "format"])
def test_issue_forms(form: str) -> None:
    parsed = yaml.safe_load((GITHUB / "ISSUE_TEMPLATE" / f"{form}.yml").read_text())
    assert {"name", "description", "body"} <= parsed.keys()
    assert len({field["id"] for field in parsed["body"]}) == len(parsed["body"])
    assert all(field["attributes"]["label"] for field in parsed["body"])


def test_zenodo_agrees_with_citation() -> None:
    zenodo, citation = (
        json.loads((ROOT / ".zenodo.json").read_text()),
        yaml.safe_load((ROOT / "CITATION.cff").read_text()),
    )
    assert [zenodo[key] for key in ("title", "license", "keywords")] == [
        citation[key] for key in ("title", "license", "keywords")
    ]
    assert zenodo["creators"] == citation["authors"] == PROJECT["authors"]
    assert zenodo["upload_type"] == citation["type"]
    assert zenodo["description"] == PROJECT["description"]
    assert zenodo["license"] == PROJECT["license"]


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
