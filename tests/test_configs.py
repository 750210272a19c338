"""The files for clusters, where a mistake shows only when machines are paid for: formats, commands, versions."""

import json
import re
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from nonocensus import __version__

ROOT = Path(__file__).resolve().parents[1]
CONFIGS = ROOT / "configs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
RAY = re.search(r"^ray==(.+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)[1]


def parsed(name: str) -> Any:
    return yaml.safe_load((CONFIGS / name).read_text())


def test_ray_cluster() -> None:
    """Ray's own schema knows every key; what would be taken from Ray's defaults, installing another Ray, is ours."""
    config = parsed("ray-cluster.yaml")
    folder = Path(find_spec("ray").submodule_search_locations[0]) / "autoscaler"
    jsonschema.validate(config, json.loads((folder / "ray-schema.json").read_text()))
    defaults = yaml.safe_load((folder / "aws" / "defaults.yaml").read_text())
    assert {key for key in defaults if key.endswith("_commands")} <= config.keys()
    assert config["head_node_type"] in config["available_node_types"]
    assert any(path.endswith(".ray/auth_token") for path in config["file_mounts"])
    assert "RAY_AUTH_MODE=token" in " ".join(config["setup_commands"])
    assert "--dashboard-host=127.0.0.1" in " ".join(config["head_start_ray_commands"])


def test_rayjob() -> None:
    """One image for all; the same Ray as in it, new enough for tokens; the cache where the image has it, and warmed."""
    spec = parsed("rayjob.yaml")["spec"]
    cluster = spec["rayClusterSpec"]
    assert cluster["rayVersion"] == RAY
    assert cluster["authOptions"]["mode"] == "token"
    pods = [group["template"]["spec"] for group in [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]]
    containers = [each for pod in pods for each in [*pod["containers"], *pod.get("initContainers", [])]]
    assert {each["image"] for each in containers} == {f"nonocensus:{__version__}"}
    cache = re.search(r"NUMBA_CACHE_DIR=(\S+)", (CONFIGS / "Dockerfile").read_text())[1]
    for pod in pods[1:]:
        (volume,) = pod["volumes"]
        assert "emptyDir" in volume
        mounts = {(mount["name"], mount["mountPath"]) for each in containers[1:] for mount in each["volumeMounts"]}
        # the volume is everybody's, and so is not the cache itself: the cache is a folder in it
        assert mounts == {(volume["name"], str(Path(cache).parent))}
        assert pod["initContainers"][0]["command"] == ["nonocensus", "warm"]


def test_no_cache_where_others_could_make_it_first() -> None:
    """Numba unpickles what it finds there: under /tmp or /var/tmp only by a name that carries the user's."""
    for source in ("docs/CLUSTER.md", "configs/ray-cluster.yaml", "configs/rayjob.yaml", "configs/Dockerfile"):
        for place in re.findall(r"NUMBA_CACHE_DIR=(\S+)", (ROOT / source).read_text()):
            assert "/tmp" not in place or place.endswith("$USER"), source


def test_image() -> None:
    """A Python that the project allows, and the version that the documents name."""
    text = (CONFIGS / "Dockerfile").read_text()
    python = re.search(r"^FROM python:([\d.]+)-slim$", text, re.MULTILINE)[1]
    assert SpecifierSet(PROJECT["requires-python"]).contains(python)
    for name in ("configs/Dockerfile", "docs/CLUSTER.md"):
        assert set(re.findall(r"nonocensus:(\d\S*)", (ROOT / name).read_text())) == {__version__}


def test_cluster_extra() -> None:
    """It allows no Ray without tokens, and the exact Ray of make and the image."""
    (requirement,) = PROJECT["optional-dependencies"]["cluster"]
    allowed = SpecifierSet(requirement.removeprefix("ray[default]"))
    assert allowed.contains(Version(RAY))
    assert not allowed.contains("2.51.9")
