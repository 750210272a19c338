"""What goes wrong in a way that the user can mend."""


class UserError(Exception):
    """Wrong use or wrong input: one line that says what, where and what to do. The command line exits with 2."""
