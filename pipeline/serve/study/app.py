"""A study's server as an application: guard, the study's page and its routes; nothing that solves or hints."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pipeline.serve.app import assembled
from pipeline.serve.guard import Guard
from pipeline.serve.study import api, asked, pages
from pipeline.serve.study.keeper import Keeper


@asynccontextmanager
async def application(keeper: Keeper, names: frozenset[str]) -> AsyncIterator[Guard]:
    """The application over a study, known by these hosts besides addresses, in small letters."""
    yield assembled([api.router(keeper), pages.router()], asked.KINDS, names)
