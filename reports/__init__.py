"""What a run found, for people: figures, charts, pictures and the report."""
