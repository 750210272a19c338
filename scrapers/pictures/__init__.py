"""Pictures and their puzzles: from images, generated, repaired to one solution."""
