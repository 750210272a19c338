"""What a run has found: reports, datasets, comparisons, duplicates, exports, SQL."""
