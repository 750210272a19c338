"""The dataset of a run: its columns, card and metadata."""
