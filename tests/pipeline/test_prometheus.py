"""Prometheus's text format."""

from nonocensus.pipeline.prometheus import Histogram, Metric, MetricSample, exposition

DONE = Metric("done_total", "counter", "Done.", ("run", "label"))
SECONDS = Metric("seconds", "histogram", "Durations.", ("route",))


def test_samples_are_grouped_by_metric_and_labels_escaped() -> None:
    histogram = Histogram((0.1, 2.0))
    for value in (0.1, 1.0, 3.0):
        histogram.observe(value)
    samples = [
        MetricSample(DONE, 3, ("a", 'x"\\\n')),
        *histogram.samples(SECONDS, ("/",)),
        MetricSample(DONE, 0.5, ("b", "é")),
    ]
    assert exposition(samples).splitlines() == [
        "# HELP done_total Done.",
        "# TYPE done_total counter",
        r'done_total{run="a",label="x\"\\\n"} 3',
        'done_total{run="b",label="é"} 0.5',
        "# HELP seconds Durations.",
        "# TYPE seconds histogram",
        'seconds_bucket{route="/",le="0.1"} 1',
        'seconds_bucket{route="/",le="2.0"} 2',
        'seconds_bucket{route="/",le="+Inf"} 3',
        'seconds_sum{route="/"} 4.1',
        'seconds_count{route="/"} 3',
    ]
    assert exposition([]) == ""
