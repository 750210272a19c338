"""Studies: people who solve puzzles, and how what they do goes with measures of difficulty."""
