"""Complete line logic: bit sets, the board, the line solver, and propagation to a fixpoint."""
