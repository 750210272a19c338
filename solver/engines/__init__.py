"""Engines to compare the ladder with: plain searches, brute force, exact cover, a clause learner. docs/ENGINES.md"""
