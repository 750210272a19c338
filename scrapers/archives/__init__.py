"""Archives and compressed files: read where they lie, one kind a file, within limits that hold for strangers' files."""
