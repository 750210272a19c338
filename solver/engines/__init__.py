"""Baseline engines for the ladder: plain searches, brute force, exact cover, clause learning. docs/ENGINES.md"""
