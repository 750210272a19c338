"""The command line: a file a command (`solve` is a package), and their shared options and output."""
