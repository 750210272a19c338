import pytest

from nonocensus.pipeline.findings.figures_page import FigureTable, figure, figures_page


@pytest.mark.parametrize(
    ("value", "shown"), [(1234.56, "1,235"), (0.012345, "0.0123"), (1234567, "1,234,567"), (None, ""), ("x", "x")]
)
def test_figures_have_three_digits_or_more(value: object, shown: str) -> None:
    assert figure(value) == shown


def test_page_names_command_and_machine_and_has_the_tables() -> None:
    page = figures_page(
        "Lines", "make lines", [FigureTable("", ["name", "s"], [["a", 0.5]]), FigureTable("More", ["n"], [[1000]])]
    )
    lines = page.splitlines()
    assert lines[0] == "# Lines"
    assert lines[2].startswith("`make lines`, 20")
    assert "Python 3" in lines[2]
    assert lines[4:] == ["| name | s |", "|---|---|", "| a | 0.5 |", "", "## More", "", "| n |", "|---|", "| 1,000 |"]
