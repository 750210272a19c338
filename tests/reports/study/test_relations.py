"""Correlations of measures with what people did, where it is known what they should be."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from players import Person
from playing import attempted, material, measured, played, studied

from reports.batch import RATED
from reports.ratings import FEW, spearman
from reports.study import relations
from reports.study.attempts import attempts_of
from reports.study.figures import StudyFigures, study_figures
from reports.study.relations import ERRORS, TIME, UNSOLVED, Relation, observed, tries
from reports.study.tables import ATTEMPTS

STUDIES = 120


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer draws of the bootstrap."""
    monkeypatch.setattr(relations, "REPLICATES", 80)


def figures_of(people: list[Person], each: int, costs: list[float] | None = None) -> StudyFigures:
    these = material()
    moves, _ = played(these, people, each, 11, *([] if costs is None else [costs]))
    return study_figures(studied(these.puzzles, attempts_of(moves, these.puzzles)), measured(these))


def found(figures: StudyFigures, of: str) -> dict[str, Relation]:
    return {one.measure: one for one in figures.relations if one.of == of}


@pytest.mark.usefixtures("quick")
def test_times_go_with_work_and_grade_where_harder_techniques_cost_more() -> None:
    """Though the slowest person needs ten times as long as the quickest, and each solves some puzzles only."""
    times = found(figures_of([Person(speed=speed) for speed in np.geomspace(0.5, 5, 12)], 15), TIME)
    assert times["work"].rho > 0.7
    assert times["work"].low > 0.4
    assert times["grade"].rho > 0.3
    assert times["grade"].low > 0


@pytest.mark.usefixtures("quick")
def test_speeds_are_taken_out() -> None:
    """The same people at one speed, or at speeds ten times apart: the times that are left are nearly the same."""
    same, apart = ([Person(speed=speed) for speed in speeds] for speeds in ([1.0] * 12, np.geomspace(0.3, 3, 12)))
    seen = [{one.puzzle_id: one.seconds for one in figures_of(people, 15).tried} for people in (same, apart)]
    assert seen[0].keys() == seen[1].keys()
    logs = np.log([[times[name] for name in seen[0]] for times in seen])
    assert np.corrcoef(logs)[0, 1] > 0.99


@pytest.mark.usefixtures("quick")
def test_errors_and_give_ups_are_held_against_measures_too() -> None:
    """Who knows less gives up where more is needed; who slips at every third step errs more where steps are small."""
    people = [Person(knows=7 + k % 8, slips=0.3) for k in range(16)]
    figures = figures_of(people, 20)
    assert figures.known[ERRORS] == figures.known[UNSOLVED] == len(figures.tried) == 30
    unsolved = found(figures, UNSOLVED)
    assert unsolved["grade"].rho > 0.7
    assert unsolved["grade"].low > 0.4
    assert found(figures, ERRORS)["work"].low > 0.3


def drawn(
    times: Callable[[np.random.Generator, np.ndarray], np.ndarray], people: int, puzzles: int, tried: int
) -> tuple[float, float]:
    """The shares of many small studies in which the interval, and Fisher's alone, contain zero.

    times   logarithms of seconds, float64[people, puzzles], of the puzzles' measures
    """
    rows = material().puzzles.slice(0, puzzles)
    generator = np.random.default_rng(7)
    nothing = {name: pa.nulls(puzzles, pa.float64()) for name in RATED}
    inside = np.zeros(2)
    for _ in range(STUDIES):
        measure = generator.normal(size=puzzles)
        table = pa.table(nothing | {"work": measure})
        logs = times(generator, measure)
        for person in range(people):
            logs[person, generator.permutation(puzzles)[tried:]] = np.nan
        attempts = attempted(rows, np.exp(logs))
        puzzle = pa.compute.index_in(attempts["puzzle_id"], rows["puzzle_id"].combine_chunks()).to_numpy()
        those = tries(attempts, puzzle.astype(np.int64))
        (one,) = (one for one in relations.relations(those, table) if one.of == TIME)
        fisher = spearman(table["work"], pa.chunked_array([observed(those, puzzles)[TIME]]))
        assert fisher is not None
        inside += one.low <= 0 <= one.high, fisher[2] <= 0 <= fisher[3]
    return tuple((inside / STUDIES).tolist())


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_the_interval_contains_zero_where_times_are_random() -> None:
    """In 95 % of studies or more: it is the wider of two intervals, each of which would do here."""

    def random(generator: np.random.Generator, measure: np.ndarray) -> np.ndarray:
        return generator.normal(size=(15, 1)) + generator.normal(0, 0.5, (15, len(measure)))

    wider, fisher = drawn(random, 15, 24, 10)
    assert 0.95 <= wider < 1
    assert 0.9 < fisher <= wider


@pytest.mark.slow
@pytest.mark.usefixtures("quick")
def test_it_holds_where_some_people_alone_find_something_hard() -> None:
    """Each has a slope of their own on the measure, zero on average. Fisher's interval takes puzzles for independent,
    and is too narrow."""

    def own(generator: np.random.Generator, measure: np.ndarray) -> np.ndarray:
        slopes = generator.normal(0, 0.3, (15, 1))
        return generator.normal(size=(15, 1)) + slopes * measure + generator.normal(0, 0.5, (15, len(measure)))

    wider, fisher = drawn(own, 15, 24, 10)
    assert wider >= 0.9
    assert fisher < 0.85


@pytest.mark.usefixtures("quick")
def test_too_few_puzzles_have_no_correlations() -> None:
    these = material()
    few = these.puzzles.slice(0, FEW - 1)
    figures = study_figures(studied(few, attempted(few, np.full((3, len(few)), 20.0))), measured(these).slice(0, 9))
    assert figures.relations == ()
    assert figures.known == {TIME: FEW - 1, ERRORS: FEW - 1, UNSOLVED: FEW - 1}


def test_the_same_attempts_have_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    these, seconds = material(), np.exp(np.random.default_rng(1).normal(size=(6, 30)))
    study = studied(these.puzzles, attempted(these.puzzles, seconds))
    monkeypatch.setattr(relations, "REPLICATES", 20)
    assert study_figures(study, measured(these)) == study_figures(study, measured(these))


@pytest.mark.usefixtures("quick")
def test_one_person_has_fisher_s_interval() -> None:
    """Other people are not known of; docs/STUDIES.md says so."""
    these = material()
    attempts = attempted(these.puzzles, np.exp(np.random.default_rng(1).normal(size=(1, 30))))
    figures = study_figures(studied(these.puzzles, attempts), measured(these))
    seen = {one.puzzle_id: one.seconds for one in figures.tried}
    table = measured(these)
    fisher = spearman(table["work"], pa.chunked_array([[seen[name] for name in table["puzzle_id"].to_pylist()]]))
    one = found(figures, TIME)["work"]
    assert (one.puzzles, one.rho, one.low, one.high) == pytest.approx(fisher)


def test_nobody_at_all() -> None:
    these = material()
    figures = study_figures(studied(these.puzzles, ATTEMPTS.empty_table()), measured(these))
    assert (figures.people, figures.attempts, figures.levels, figures.tried, figures.relations) == (0, 0, (), (), ())
    assert figures.known == {TIME: 0, ERRORS: 0, UNSOLVED: 0}
