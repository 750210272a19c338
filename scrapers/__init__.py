"""Input and output of puzzles: sites, file formats, pictures, generators."""
