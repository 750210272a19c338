"""Explanations for people: their steps in words, as pictures, as JSON and as a page."""
