"""What runs tasks: this process, or Ray over the cores of a machine or cluster."""
