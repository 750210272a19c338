"""What runs tasks: this process, others of this machine, or Ray over the cores of a machine or cluster."""
