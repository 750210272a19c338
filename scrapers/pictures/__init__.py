"""Pictures and their puzzles: converted from images, generated, or repaired to a unique solution."""
