"""Results on disk: the run folder, which file counts for a row, what is left to do."""
