"""Stores and runs read whole, and what of them is damaged said and set aside."""
