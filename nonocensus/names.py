"""Names of the packages below that programs may use."""

from pipeline.errors import ClusterError as ClusterError
from pipeline.errors import InputError as InputError
from pipeline.errors import NetworkError as NetworkError
from pipeline.errors import StorageError as StorageError
from pipeline.errors import UserError as UserError
from pipeline.executors.resources import Resources as Resources
from scrapers.pictures.recipe import Recipe as Recipe
from solver.puzzle import Block as Block
from solver.puzzle import Color as Color
from solver.puzzle import InvalidPuzzle as InvalidPuzzle
from solver.puzzle import Puzzle as Puzzle
from solver.puzzle import from_picture as from_picture
