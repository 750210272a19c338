"""The files for clusters and operators, where a mistake shows only when it is too late: formats, commands, versions."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from nonocensus import __version__
from nonocensus.pipeline.run.run_metrics import RUN_METRICS
from nonocensus.pipeline.serve.monitoring import SERVER_METRICS
from nonocensus.pipeline.serve.server import SHUTDOWN_SECONDS

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
        # all containers share the volume: the cache is a folder in it
        assert mounts == {(volume["name"], str(Path(cache).parent))}
        assert pod["initContainers"][0]["command"] == ["nonocensus", "warm"]


def test_no_cache_where_others_could_make_it_first() -> None:
    """Numba unpickles what it finds there: under /tmp or /var/tmp only by a name that carries the user's."""
    for source in (ROOT / "docs/CLUSTER.md", *CONFIGS.iterdir()):
        for place in re.findall(r"NUMBA_CACHE_DIR=(\S+)", source.read_text()):
            assert "/tmp" not in place or place.endswith("$USER"), source


def test_image() -> None:
    """A Python that the project allows, and the version that the documents name."""
    text = (CONFIGS / "Dockerfile").read_text()
    python = re.search(r"^FROM python:([\d.]+)-slim$", text, re.MULTILINE)[1]
    assert SpecifierSet(PROJECT["requires-python"]).contains(python)
    for name in ("configs/Dockerfile", "configs/compose.yaml", "docs/CLUSTER.md"):
        assert set(re.findall(r"nonocensus:(\d\S*)", (ROOT / name).read_text())) == {__version__}


def test_cluster_extra() -> None:
    """It allows no Ray without tokens, and the exact Ray of make and the image."""
    (requirement,) = PROJECT["optional-dependencies"]["cluster"]
    allowed = SpecifierSet(requirement.removeprefix("ray[default]"))
    assert allowed.contains(Version(RAY))
    assert not allowed.contains("2.51.9")


# Monitoring

DASHBOARD = json.loads((CONFIGS / "grafana-dashboard.json").read_text())
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
RULES = [rule for group in parsed("alerts.yml")["groups"] for rule in group["rules"]]
SCRAPED = {"job", "instance"}
"""Labels that Prometheus adds."""


def expressions() -> Iterator[str]:
    """Yield the expressions of dashboard and alerts."""
    yield from (target["expr"] for panel in PANELS for target in panel["targets"])
    yield from (variable["definition"] for variable in DASHBOARD["templating"]["list"] if "definition" in variable)
    yield from (rule["expr"] for rule in RULES)


def test_expressions_name_only_exported_metrics_and_labels() -> None:
    labels = {metric.name: {*metric.labels} for metric in (*RUN_METRICS, *SERVER_METRICS)}
    labels |= {
        f"{metric.name}{suffix}": {*metric.labels, "le"}
        for metric in SERVER_METRICS
        if metric.kind == "histogram"
        for suffix in ("_bucket", "_sum", "_count")
    }
    for expression in expressions():
        series = re.findall(r"\b(nonocensus_\w+)(?:\{([^}]*)\})?", expression)
        known = set[str]().union(*(labels[name] for name, _ in series)) | SCRAPED
        for name, selectors in series:
            assert set(re.findall(r"(\w+)\s*=", selectors)) <= labels[name] | SCRAPED, expression
        for grouped in re.findall(r"\b(?:by|on)\s*\(([^)]*)\)", expression):
            assert {*re.findall(r"\w+", grouped)} <= known, expression
    for rule in RULES:
        assert set(re.findall(r"\$labels\.(\w+)", str(rule["annotations"]))) <= {"run", "command"} | SCRAPED


def test_dashboard_panels_do_not_overlap_and_say_when_there_is_no_data() -> None:
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    cells = set[tuple[int, int]]()
    for panel in DASHBOARD["panels"]:
        x, y, width, height = (panel["gridPos"][name] for name in "xywh")
        taken = {(column, row) for column in range(x, x + width) for row in range(y, y + height)}
        assert x + width <= 24
        assert not cells & taken
        cells |= taken
    assert all(panel["fieldConfig"]["defaults"]["noValue"] for panel in PANELS)


STALL = """
rule_files: [ALERTS]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'nonocensus_run_active{run="r",command="classify"}', values: 1x60}
      - {series: 'nonocensus_run_left{run="r",command="classify"}', values: 9x60}
      - {series: 'nonocensus_run_cpu_limit_seconds{run="r",command="classify"}', values: 60x60}
      - {series: 'nonocensus_run_result_timestamp_seconds{run="r",command="classify"}', values: 0+60x9 600x50}
      - {series: 'nonocensus_run_progress_timestamp_seconds{run="r",command="classify"}', values: 0+60x39 2400x20}
    promql_expr_test:
      - {expr: EXPRESSION, eval_time: 15m, exp_samples: [{labels: SERIES, value: 1}]}
      - {expr: EXPRESSION, eval_time: 30m, exp_samples: [{labels: SERIES, value: 2}]}
      - {expr: EXPRESSION, eval_time: 55m, exp_samples: [{labels: SERIES, value: 4}]}
    alert_rule_test:
      - {eval_time: 20m, alertname: NonocensusRunStalled, exp_alerts: []}
      - {eval_time: 20m, alertname: NonocensusRunSilent, exp_alerts: []}
      - {eval_time: 30m, alertname: NonocensusRunStalled, exp_alerts: [{exp_labels: LABELS, exp_annotations: STALLED}]}
      - {eval_time: 55m, alertname: NonocensusRunStalled, exp_alerts: []}
      - {eval_time: 55m, alertname: NonocensusRunSilent, exp_alerts: [{exp_labels: CRITICAL, exp_annotations: SILENT}]}
"""
"""A command that writes rows for ten minutes and reports for forty, with a CPU limit of a minute."""


@pytest.mark.people
@pytest.mark.skipif(not shutil.which("promtool"), reason="needs promtool, of the package prometheus")
def test_prometheus_shows_a_stall(tmp_path: Path) -> None:
    """Dashboard and alerts at work, stalled and silent."""
    (state,) = (panel["targets"][0]["expr"] for panel in PANELS if panel["title"] == "State")
    labels = {"run": "r", "command": "classify"}
    values = {"$labels.run": "r", "$labels.command": "classify"}
    stalled, silent = (
        {
            name: re.sub(r"{{ (\S+).*?}}", lambda found, late=late: values.get(found[1], late), text)  # type: ignore[misc]
            for name, text in rule["annotations"].items()
        }
        for rule, late in zip(RULES[:2], ("20m 0s", "15m 0s"), strict=True)
    )
    filled = STALL
    for name, value in {
        "ALERTS": str(CONFIGS / "alerts.yml"),
        "EXPRESSION": state.replace("$run", ".*"),
        "SERIES": '{run="r",command="classify"}',
        "LABELS": {**labels, "severity": "warning"},
        "CRITICAL": {**labels, "severity": "critical"},
        "STALLED": stalled,
        "SILENT": silent,
    }.items():
        filled = re.sub(rf"\b{name}\b", lambda _, value=value: json.dumps(value), filled)  # type: ignore[misc]
    path = tmp_path / "stall.yml"
    path.write_text(filled)
    for command in (["check", "config", "prometheus.yml"], ["test", "rules", str(path)]):
        done = subprocess.run(["promtool", *command], cwd=CONFIGS, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_compose_mounts_files_and_volumes_that_exist() -> None:
    compose = parsed("compose.yaml")
    volumes = [volume.split(":") for service in compose["services"].values() for volume in service.get("volumes", [])]
    for source, *_ in volumes:
        assert (CONFIGS / source).exists() if source.startswith(".") else source in compose["volumes"], source
    image = (CONFIGS / "Dockerfile").read_text()
    for _, target, *_ in (volume.split(":") for volume in compose["services"]["nonocensus"]["volumes"]):
        assert re.search(rf"install .*--owner=1000.*\s{target}\b", image.replace("\\\n", "")), target
    (scraped,) = parsed("prometheus.yml")["scrape_configs"][0]["static_configs"][0]["targets"]
    assert scraped == f"{compose['services']['nonocensus']['hostname']}:8765"


def test_systemd_unit_lets_jobs_end() -> None:
    unit = (CONFIGS / "nonocensus.service").read_text()
    assert "KillMode=mixed" in unit  # else systemd ends the workers too, and their jobs fail
    assert int(re.search(r"TimeoutStopSec=(\d+)", unit)[1]) > SHUTDOWN_SECONDS
    assert int(re.search(r"(\d+)s", parsed("compose.yaml")["services"]["nonocensus"]["stop_grace_period"])[1]) > (
        SHUTDOWN_SECONDS
    )
    assert "MemoryDenyWriteExecute=" not in unit


STUBS = {
    "srun": 'while [[ $1 == --* ]]; do shift; done; exec "$@"',
    "ray": 'echo ray "$1" >> calls',
    "nonocensus": 'trap "exit 130" TERM; echo nonocensus "$@" >> calls; [ $1 = warm ] || while :; do sleep 0.02; done',
    "scontrol": 'echo scontrol "$@" >> calls',
}


@pytest.mark.parametrize(("number", "queues_again"), [(signal.SIGUSR1, True), (signal.SIGTERM, False)])
def test_slurm_job_stops_in_order(number: signal.Signals, queues_again: bool, tmp_path: Path) -> None:
    """Near its time limit it queues itself again; cancelled, which is the other signal, it does not."""
    script = (CONFIGS / "slurm.sh").read_text()
    job = re.sub(r"(?m)^(source|export|test) .*$", "", script)
    (tmp_path / "job.sh").write_text(job)
    (tmp_path / "bin").mkdir()
    for name, text in STUBS.items():
        path = tmp_path / "bin" / name
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
    environment = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "SLURM_JOB_ID": "7", "SLURM_NNODES": "2"}
    environment |= {"SLURM_CPUS_ON_NODE": "4", "SLURMD_NODENAME": "node1"}
    command = ["bash", "job.sh", "classify", "store", "--out", "run"]
    calls = tmp_path / "calls"
    with subprocess.Popen(command, cwd=tmp_path, env=environment, start_new_session=True) as process:
        try:
            limit = time.monotonic() + 60.0
            # the other machine's Ray starts in the background, before the command or after it
            while not (calls.exists() and (said := calls.read_text()).count("ray start") == 2 and "classify" in said):
                assert process.poll() is None
                assert time.monotonic() < limit
                time.sleep(0.02)
            process.send_signal(number)
            assert process.wait(60.0) == 130  # nonocensus's own
        finally:
            with suppress(ProcessLookupError):  # raised when all have ended
                os.killpg(process.pid, signal.SIGKILL)
    lines = calls.read_text().splitlines()
    assert lines[0] == "nonocensus warm"
    assert lines.count("ray start") == 2
    assert any(re.fullmatch(r"nonocensus classify store --out run --address \S+:20007", line) for line in lines)
    assert (lines[-1] == "scontrol requeue 7") == queues_again
