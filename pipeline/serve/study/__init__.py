"""The server's study mode: people solve puzzles in their browsers, and every move is kept."""
