"""Exact cover: Knuth's Algorithm X, with dancing links and with other layouts in memory. docs/EXACT_COVER.md"""
