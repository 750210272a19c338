"""The validator: what pbnsolve does as a CGI program (pbnsolve.cgi), for programs that ask one.

A form's fields `image`, the text of a puzzle's file, and `format`, in the address or as a body. The answer is an
XML document, which also says what is wrong. Source: doc/cgi.md and src/http.c of Jan Wolter's pbnsolve 1.10.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, HTTPException, Request, Response

from pipeline.serve.guard import VALIDATOR
from pipeline.serve.http_api import responses
from pipeline.serve.pool import Pool
from pipeline.serve.waiting import ended
from reports import pbnsolve

MOST_FIELDS = 20

BYTES = "latin-1"
"""An encoding with a character for each byte."""

MEDIA = "application/xml"

NO_IMAGE = "No puzzle description included in CGI query"

DOCUMENT: dict[str, Any] = {"content": {MEDIA: {}}, "description": "pbnsolve's document"}
FIELDS = {
    "image": {"type": "string", "description": "the text of a puzzle's file"},
    "format": {"type": "string", "description": "its format, where it is not to be found out: xml, non, g, ..."},
}
REFUSED = responses(413, 415, 503)
REPLIES = {**REFUSED, 200: DOCUMENT, 503: {**REFUSED[503], "content": {MEDIA: {}}}}
QUERY = [{"name": name, "in": "query", "schema": schema} for name, schema in FIELDS.items()]
BODY = {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": FIELDS}}}}


def router(pool: Pool, cpu_limit: float) -> APIRouter:
    """The routes of the validator."""
    routes = APIRouter()

    @routes.get(VALIDATOR, response_class=Response, responses=REPLIES, openapi_extra={"parameters": QUERY})
    async def validate(request: Request) -> Response:
        """Whether a puzzle has one solution, as pbnsolve's validator says it."""
        return await answered(request, request.scope["query_string"])

    @routes.post(VALIDATOR, response_class=Response, responses=REPLIES, openapi_extra={"requestBody": BODY})
    async def validate_form(request: Request) -> Response:
        """The same, for puzzles that no address can hold."""
        return await answered(request, await request.body())

    async def answered(request: Request, form: bytes) -> Response:
        try:
            fields = dict(reversed(parse_qsl(form.decode(BYTES), True, max_num_fields=MOST_FIELDS, encoding=BYTES)))
        except ValueError:
            return document(pbnsolve.failure("the form has too many fields"))
        image, known = fields.get("image"), fields.get("format", "")
        if image is None:
            return document(pbnsolve.failure(NO_IMAGE))
        try:
            job = await ended(pool, request, "validate", {"image": image.encode(BYTES), "format": known}, cpu_limit)
        except HTTPException as busy:
            return document(pbnsolve.failure(busy.detail), busy.status_code, busy.headers)
        return document(job.result.decode() if job.state == "done" else pbnsolve.failure(job.error or "cancelled"))

    return routes


def document(xml: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """A reply with a document."""
    return Response(xml, status, headers, MEDIA)
