"""People's speeds taken out of solving times, against least squares with a column for each person and puzzle."""

import numpy as np
import pytest

from reports.study.speed import without_speed


def slowly(person: np.ndarray, puzzle: np.ndarray, logs: np.ndarray) -> np.ndarray:
    """The same for puzzles that are all linked: times less their person's effect, fitted by a general solver."""
    people, puzzles = person.max() + 1, puzzle.max() + 1
    design = np.concatenate([np.eye(people)[person], np.eye(puzzles)[puzzle]], axis=1)
    effects = np.linalg.lstsq(design, logs)[0][:people]
    adjusted = logs - effects[person] + effects.mean()
    return np.array([np.median(adjusted[puzzle == p]) for p in range(puzzles)])


@pytest.mark.parametrize("seed", range(8))
def test_it_is_least_squares_over_people_and_puzzles(seed: int) -> None:
    generator = np.random.default_rng(seed)
    people, puzzles = generator.integers(2, 12, 2)
    tried = generator.random((people, puzzles)) < 0.6
    tried[0] = True  # who links all puzzles
    tried[:, 0] = True
    person, puzzle = np.nonzero(tried)
    logs = generator.normal(4, 2, len(person))
    assert without_speed(person, puzzle, logs, puzzles) == pytest.approx(slowly(person, puzzle, logs))


def test_quick_people_who_were_given_hard_puzzles_do_not_make_them_easy() -> None:
    """Of two people one is ten times as quick; she alone gets the two hardest puzzles."""
    asks = np.log([10.0, 20.0, 30.0, 60.0, 90.0])
    person, puzzle = np.array([0, 0, 0, 1, 1, 1, 1]), np.array([0, 1, 2, 1, 2, 3, 4])
    logs = asks[puzzle] - np.log(10) * (person == 1)
    plain = [np.median(logs[puzzle == p]) for p in range(5)]
    assert plain[4] < plain[0]
    assert np.diff(without_speed(person, puzzle, logs, 5)) == pytest.approx(np.diff(asks))


def test_a_time_of_average_speed_is_between_the_quick_and_the_slow() -> None:
    person, puzzle = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    logs = np.log([10.0, 20.0, 1000.0, 2000.0])
    assert np.exp(without_speed(person, puzzle, logs, 2)) == pytest.approx([100, 200])


def test_one_long_break_of_several_people_does_not_count() -> None:
    person, puzzle = (axis.ravel() for axis in np.indices((9, 4)))
    logs = np.log(20.0 + 10 * puzzle)
    logs[(person == 4) & (puzzle == 2)] += 5
    found = without_speed(person, puzzle, logs, 4)
    assert found - found[0] == pytest.approx(np.log([1, 1.5, 2, 2.5]), abs=0.2)


def test_only_puzzles_that_people_link_are_compared() -> None:
    """Persons 0 and 1 link three puzzles, person 2 two others, person 3 none; nobody has solved the last."""
    person = np.array([0, 0, 1, 1, 2, 2, 3])
    puzzle = np.array([0, 1, 1, 3, 2, 4, 5])
    found = without_speed(person, puzzle, np.array([1.0, 2.0, 5.0, 6.0, 9.0, 9.0, 3.0]), 7)
    assert np.isnan(found).tolist() == [False, False, True, False, True, True, True]
    assert found[[1, 3]] - found[0] == pytest.approx([1, 2])


@pytest.mark.parametrize("times", [[], [3.0]])
def test_nothing_to_compare(times: list[float]) -> None:
    """One puzzle alone is what it is; of none nothing is known."""
    nobody = np.zeros(len(times), np.int64)
    found = without_speed(nobody, nobody + 1, np.array(times), 3)
    assert found.tolist() == pytest.approx([np.nan, *(times or [np.nan]), np.nan], nan_ok=True)
