"""Puzzles graded: how hard they are for people."""
