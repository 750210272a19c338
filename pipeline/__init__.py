"""The Parquet store, the run folder, the executors and the command line."""
