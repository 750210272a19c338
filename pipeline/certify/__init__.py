"""Verdicts proved again, without trusting the solver."""
