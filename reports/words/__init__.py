"""What people read: figures, steps, verdicts and prompts in words."""
