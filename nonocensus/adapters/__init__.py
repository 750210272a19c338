"""Adapters to libraries that train and test models, each an extra of its own (docs/TASKS.md)."""
