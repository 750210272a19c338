"""Public names of the packages below."""

import nonocensus.puzzles  # noqa: F401  # gives Puzzle its drawing in notebooks
from pipeline.errors import ClusterError as ClusterError
from pipeline.errors import InputError as InputError
from pipeline.errors import NetworkError as NetworkError
from pipeline.errors import StorageError as StorageError
from pipeline.errors import UserError as UserError
from pipeline.executors.executor import Resources as Resources
from scrapers.pictures.recipe import Recipe as Recipe
from solver.model.puzzle import Block as Block
from solver.model.puzzle import Color as Color
from solver.model.puzzle import InvalidPuzzle as InvalidPuzzle
from solver.model.puzzle import Puzzle as Puzzle
from solver.model.puzzle import from_picture as from_picture
