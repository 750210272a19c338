"""The figures of a report, counted from a run's rows."""
