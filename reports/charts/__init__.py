"""The charts of the report, and what they are drawn with."""
