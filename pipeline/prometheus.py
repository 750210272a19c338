"""Metrics and their text format, which Prometheus and its node_exporter read (version 0.0.4).

Reference: https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
"""Escapes of a label's value."""


class Metric(NamedTuple):
    """The declaration of a metric: its full name, its type, its description in a line, and its labels."""

    name: str
    kind: Literal["counter", "gauge", "histogram"]
    help: str
    labels: tuple[str, ...] = ()


class MetricSample(NamedTuple):
    """A value of a metric.

    labels    values in the order of the metric's labels
    suffix    of the name, for the series of a histogram
    le        upper bound of a histogram's bucket
    """

    metric: Metric
    value: float
    labels: tuple[str, ...] = ()
    suffix: str = ""
    le: str | None = None


class Histogram:
    """Counts of observed values by upper bound, and their sum."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.counts = dict.fromkeys((*map(str, bounds), "+Inf"), 0)
        self.bounds = bounds
        self.sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.sum += value
        self.counts["+Inf"] += 1
        for bound in self.bounds:
            self.counts[str(bound)] += value <= bound

    def samples(self, metric: Metric, labels: tuple[str, ...]) -> list[MetricSample]:
        """Return the samples: buckets, sum and count."""
        buckets = [MetricSample(metric, count, labels, "_bucket", bound) for bound, count in self.counts.items()]
        sums = [
            MetricSample(metric, self.sum, labels, "_sum"),
            MetricSample(metric, self.counts["+Inf"], labels, "_count"),
        ]
        return [*buckets, *sums]


def exposition(samples: Iterable[MetricSample]) -> str:
    """Return samples in Prometheus's text format, grouped by metric."""
    lines: dict[Metric, list[str]] = {}
    for sample in samples:
        metric = sample.metric
        labels = dict(zip(metric.labels, sample.labels, strict=True))
        if sample.le is not None:
            labels["le"] = sample.le
        head = [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
        pairs = ",".join(f'{name}="{value.translate(ESCAPES)}"' for name, value in labels.items())
        series = f"{metric.name}{sample.suffix}" + (f"{{{pairs}}}" if pairs else "")
        lines.setdefault(metric, head).append(f"{series} {sample.value}")
    return "".join(f"{line}\n" for group in lines.values() for line in group)
