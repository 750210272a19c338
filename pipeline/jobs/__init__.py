"""Classifying a store: what comes next, what a task does, the loop around it, one command's session."""
