"""Executors of tasks: this process, and Ray."""
