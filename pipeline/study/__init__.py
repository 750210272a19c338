"""Studies on disk: puzzles that people are given, who they are to us, and every move that they make."""
