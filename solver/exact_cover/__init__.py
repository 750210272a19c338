"""Exact cover: Knuth's Algorithm X with dancing links and other memory layouts. docs/EXACT_COVER.md"""
