"""A colour for each label, the same in charts, in the report and on the server's page."""

COLORS = {
    "trivial unique line": "#5fb8a0",
    "unique line": "#1c8a74",
    "unique depth-2": "#3f83d6",
    "unique": "#7c60cf",
    "multiple": "#d38b1c",
    "contradiction": "#c4528f",
    "solvable": "#6f94ac",
    "stalled": "#9a7b5c",
    "timeout": "#d24f45",
    "invalid": "#848b96",
    "error": "#9c8186",
    "killed": "#767d87",
}
"""A colour for each label; all of them are visible on white and on black."""

OTHER_COLOR = "#8a9099"


def label_color(label: str) -> str:
    """The colour that stands for a label everywhere."""
    return COLORS.get(label, OTHER_COLOR)
