"""The command line: a file or a folder a command, over the rooms beside this one."""
