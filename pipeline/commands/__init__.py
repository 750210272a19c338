"""The command line: one file a command, over the rooms beside this one."""
