"""The cache of compiled kernels: other sources, other folder."""

import importlib
import pkgutil
import shutil
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import solver
from solver import jit

PACKAGE = Path(jit.__file__).parent


def folder_of(package: Path) -> Path:
    """The cache folder of a copy of the solver."""
    spec = spec_from_file_location("copied_jit", package / "jit.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    folder: Path = module.CACHE_FOLDER
    return folder


@pytest.mark.parametrize(
    ("source", "counts"),
    [("line.py", True), ("ladder/climb.py", True), ("ladder/new.py", True), ("derivation/checker.py", False)],
)
def test_a_changed_source_has_a_folder_of_its_own(source: str, counts: bool, tmp_path: Path) -> None:
    copied = tmp_path / "solver"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    before = folder_of(copied)
    assert folder_of(copied) == before
    with (copied / source).open("a") as file:
        file.write("# changed\n")
    assert (folder_of(copied) != before) == counts


def test_every_module_with_kernels_counts() -> None:
    for module in pkgutil.walk_packages(solver.__path__, "solver."):
        found = importlib.import_module(module.name)
        kernels = [each for each in vars(found).values() if getattr(each, "__module__", "") == module.name]
        if any(hasattr(each, "signatures") for each in kernels):
            assert Path(str(found.__file__)) in jit.sources(), module.name
