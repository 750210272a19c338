"""The command solve: single puzzles, solved, drawn, explained and saved."""
