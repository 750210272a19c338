"""Verify stores and runs completely, and quarantine what is damaged."""
