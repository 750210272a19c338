"""Everything that brings puzzles in or writes them out: sites, file formats, pictures, generators."""
