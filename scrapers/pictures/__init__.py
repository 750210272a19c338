"""Pictures and their puzzles: from images, made by rule, changed until the puzzle has one solution."""
