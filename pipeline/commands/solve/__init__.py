"""The command solve: single puzzles, solved before one's eyes."""
