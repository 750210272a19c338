"""Crawl a site into a store: the ledger of replies, and the puzzles table derived from it."""
