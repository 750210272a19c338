"""Requests and the jobs that they ask for: submitted, waited for, cancelled when a client goes away."""

import asyncio
from typing import Any

import msgspec
from fastapi import HTTPException, Request

from pipeline.serve.guard import RETRY_SECONDS
from pipeline.serve.jobs import Job
from pipeline.serve.pool import Busy, Pool

FOREVER = 3600.0
"""Seconds that a request waits for a job which ends long before."""


def submitted(pool: Pool, job: Job) -> Job:
    """A job, submitted. Where there are too many it is refused: come again."""
    try:
        return pool.submit(job)
    except Busy:
        raise HTTPException(503, "the server is busy", {"Retry-After": str(RETRY_SECONDS)}) from None


async def waited(pool: Pool, job: Job, request: Request, seconds: float) -> None:
    """Wait until the job has ended, the seconds are over or the client has gone."""
    if job.finished or not seconds:
        return
    leaving = asyncio.create_task(_gone(request))
    try:
        await pool.wait(job, seconds, leaving)
    finally:
        leaving.cancel()


async def ended(pool: Pool, request: Request, task: str, sent: dict[str, Any], seconds: float) -> Job:
    """A job that somebody waits for to its end, and that nobody else knows of; it ends if the client goes away."""
    job = submitted(pool, Job(task, msgspec.msgpack.encode(sent), seconds))
    try:
        await waited(pool, job, request, FOREVER)
    finally:
        pool.cancel(job)
        pool.shelf.drop(job)
    return job


async def _gone(request: Request) -> None:
    """Wait until the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
