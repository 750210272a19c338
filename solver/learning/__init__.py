"""Clause learning for puzzles that probing leaves open: encoding, belief propagation, Glucose."""
