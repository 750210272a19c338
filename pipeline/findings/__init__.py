"""What a run has found: reports, datasets, comparisons, exports, SQL."""
