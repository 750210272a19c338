"""The charts of a report, in order."""

from nonocensus.reports.activity import Activity
from nonocensus.reports.charts import cpu_times, measure_charts, people_charts, verdicts, work_charts
from nonocensus.reports.charts.chart import Chart
from nonocensus.reports.figures import Figures


def charts(figures: Figures, activity: Activity | None = None) -> tuple[Chart, ...]:
    """Return the charts of a census and its run; those without data are left out."""
    made = (
        verdicts.labels(figures),
        verdicts.shares(figures, figures.sources, "sources", "Verdicts by source", "source"),
        verdicts.shares(figures, figures.sizes, "sizes", "Verdicts by size", "longer side in cells"),
        verdicts.shares(figures, verdicts.colored(figures), "colors", "Verdicts by colours", "colours"),
        verdicts.shares(
            figures, figures.densities, "densities", "Verdicts by density",
            "share of cells that are coloured",
        ),
        measure_charts.difficulties(figures),
        measure_charts.correlations(figures),
        verdicts.years(figures),
        cpu_times.times(figures),
        cpu_times.rung_times(figures),
        cpu_times.areas(figures),
        people_charts.minutes(figures),
        people_charts.grades(figures),
        people_charts.agreements(figures),
        people_charts.ratings(figures),
        people_charts.rating_boxes(figures),
        work_charts.rate(activity),
        work_charts.workers(activity),
    )  # fmt: skip
    return tuple(chart for chart in made if chart)
