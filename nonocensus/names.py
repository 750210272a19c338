"""Public names of the packages below."""

import nonocensus.puzzles  # noqa: F401  # gives Puzzle its drawing in notebooks
from nonocensus.pipeline.errors import ClusterError as ClusterError
from nonocensus.pipeline.errors import InputError as InputError
from nonocensus.pipeline.errors import NetworkError as NetworkError
from nonocensus.pipeline.errors import StorageError as StorageError
from nonocensus.pipeline.errors import UserError as UserError
from nonocensus.pipeline.executors.executor import Resources as Resources
from nonocensus.scrapers.pictures.recipe import Recipe as Recipe
from nonocensus.solver.model.puzzle import Block as Block
from nonocensus.solver.model.puzzle import Color as Color
from nonocensus.solver.model.puzzle import InvalidPuzzle as InvalidPuzzle
from nonocensus.solver.model.puzzle import Puzzle as Puzzle
from nonocensus.solver.model.puzzle import from_picture as from_picture
