"""The ladder: a batch of puzzles, each as far up the rungs as it takes. `solver.ladder.climb` is where to begin."""
