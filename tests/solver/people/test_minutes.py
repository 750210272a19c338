"""Minutes and stars: the published formula by a plain twin, equal for symmetric puzzles, damaged parameter files."""

import json
import math
from dataclasses import replace
from importlib.resources import files
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from strategies import PALETTE, images, pictures

from nonocensus.solver.model.fitted_parameters import ParameterError, checksum, parse
from nonocensus.solver.model.puzzle import Block, Puzzle, from_picture, normalize_palette
from nonocensus.solver.model.tables import puzzle_batch
from nonocensus.solver.people import features as features_module
from nonocensus.solver.people.features import FEATURES, STEPS
from nonocensus.solver.people.minutes import build_parameters, estimate, parameters
from nonocensus.solver.people.puzzle_grade import ESTIMATES, grades

FILE = (files("nonocensus.solver.people") / "minutes.json").read_bytes()


def test_indices_are_in_the_order_of_the_features() -> None:
    indices = {name[3:].lower(): index for name, index in vars(features_module).items() if name.startswith("AT_")}
    assert indices == {name: index for index, name in enumerate(FEATURES) if index >= len(STEPS)}


def twin(features: dict[str, float], fields: dict[str, Any]) -> tuple[float, float, float, float]:
    """Return minutes, interval and stars by the formula of solver.people.minutes."""
    seconds, stars, linear = fields["seconds"], fields["stars"], {}
    total = seconds["constant"] + seconds["assumptions"] * math.log(1 + features["log_open"])
    for name, weights in fields["features"].items():
        z = (math.log(1 + features[name]) - weights["mean"]) / weights["scale"]
        linear[name] = z = max(-4.0, min(4.0, z))
        total += weights["seconds"][0] * z + weights["seconds"][1] * z * z
    m = (total - stars["mean"]) / stars["scale"]
    rating = stars["constant"] + stars["length"] * m + stars["square"] * m * m
    for name, z in linear.items():
        rating += (fields["features"][name]["stars"][0] + fields["features"][name]["stars"][1] * m) * z
    rows = fields["interval"]
    places = [math.log(row["seconds"]) for row in rows]
    widening = fields["widening"] if features["log_open"] else 1
    low, high = (
        widening * float(np.interp(total, places, [math.log(row[side]) for row in rows])) for side in ("low", "high")
    )
    return *(math.exp(total + shift) / 60 for shift in (0, low, high)), max(1.0, min(5.0, rating))


@pytest.mark.parametrize("kind", ["mono", "color"])
def test_estimates_are_those_of_the_twin(kind: str) -> None:
    rng = np.random.default_rng(3)
    model = parameters().models[kind]
    counts = np.exp(model.mean + rng.normal(size=(50, len(FEATURES))) * 2 * model.scale)
    counts[:, [*FEATURES].index("cells")] = rng.integers(1, model.cells, 50)
    counts[::2, [*FEATURES].index("log_open")] = 0
    fields = json.loads(FILE)["kinds"][kind]
    expected = [twin(dict(zip(FEATURES, row, strict=True)), fields) for row in counts.tolist()]
    np.testing.assert_allclose(np.array(estimate(counts, model)).T, expected, atol=0.00051)


def test_puzzles_larger_than_any_with_known_times_have_no_estimate() -> None:
    model = parameters().models["mono"]
    counts = np.zeros((2, len(FEATURES)))
    counts[:, [*FEATURES].index("cells")] = model.cells, model.cells + 1
    assert [np.isnan(values).tolist() for values in estimate(counts, model)] == [[False, True]] * 4


def graded(puzzles: list[Puzzle], unique: bool = True) -> pa.RecordBatch:
    return grades(puzzle_batch(puzzles), np.full(len(puzzles), unique))


@given(pictures(colors=2, most=8))
@settings(max_examples=30, deadline=None)
def test_symmetric_puzzles_have_equal_estimates(picture: np.ndarray) -> None:
    each = enumerate(images(picture))
    rows = graded([normalize_palette(from_picture(one, PALETTE, puzzle_id=f"test/{k}")) for k, one in each])
    for name in ("grade", *ESTIMATES):
        assert len(set(rows[name].to_pylist())) == 1


def test_only_unique_puzzles_without_blots_that_techniques_solve_have_estimates() -> None:
    cells = np.array([[1, 1, 0], [1, 0, 0], [1, 1, 1]], np.uint8)
    plain = from_picture(cells, PALETTE[:2], puzzle_id="test/plain")
    blotted = replace(plain, rows=((Block(0, 1),), *plain.rows[1:]), goal=None)
    rows = graded([plain, blotted]).to_pylist()
    assert [row["minutes"] is not None for row in rows] == [True, False]
    row = rows[0]
    assert 0 < row["minutes_low"] < row["minutes"] < row["minutes_high"] < 1
    assert 1 <= row["stars"] < 1.5
    assert [graded([plain], unique=False).to_pylist()[0][name] for name in ESTIMATES] == [None] * 4


def changed(**fields: Any) -> bytes:
    """Return the parameter file with other fields and a matching checksum."""
    whole = json.loads(FILE) | fields
    del whole["checksum"]
    return json.dumps(whole | {"checksum": checksum(whole)}).encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "is damaged"),
        (b"[]", "is damaged"),
        (FILE[:-200], "is damaged"),
        (FILE.replace(b'"widening": 1', b'"widening": 2'), "checksum mismatch"),
        (changed(version=2), "has format version 2, not 1"),
        (changed(kinds={}), "is damaged"),
        (changed(kinds={"mono": {"features": {}}, "color": {}}), "is damaged"),
    ],
)
def test_damaged_parameter_files_are_refused(text: bytes, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason) as raised:
        parse(text, "minutes.json", build_parameters)
    assert str(raised.value).endswith("reinstall nonocensus")
    assert "\n" not in str(raised.value)
