"""The validator: what pbnsolve does as a CGI program (pbnsolve.cgi), for programs written for that.

A form's fields are `image`, the text of a puzzle's file, and `format`; they come in the query or in the body. The reply
is an XML document, also for errors. Source: doc/cgi.md and src/http.c of Jan Wolter's pbnsolve 1.10.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, HTTPException, Request, Response

from nonocensus.pipeline.serve.guard import VALIDATOR
from nonocensus.pipeline.serve.http_api import error_responses, service_of
from nonocensus.reports.words import pbnsolve

MAX_FIELDS = 20

BYTES = "latin-1"
"""An encoding with a character for each byte."""

MEDIA = "application/xml"

DOCUMENT: dict[str, Any] = {"content": {MEDIA: {}}, "description": "pbnsolve's document"}
FIELDS = {
    "image": {"type": "string", "description": "the text of a puzzle's file"},
    "format": {"type": "string", "description": "its format (default: detect from content): xml, non, g, ..."},
}
REFUSED = error_responses(413, 415, 503)
REPLIES = {**REFUSED, 200: DOCUMENT, 503: {**REFUSED[503], "content": {MEDIA: {}}}}
QUERY = [{"name": name, "in": "query", "schema": schema} for name, schema in FIELDS.items()]
BODY = {"content": {"application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": FIELDS}}}}

routes = APIRouter()


@routes.get(VALIDATOR, response_class=Response, responses=REPLIES, openapi_extra={"parameters": QUERY})
async def validate(request: Request) -> Response:
    """Check whether a puzzle has one solution, as pbnsolve's validator does."""
    return await _validate(request, request.scope["query_string"])


@routes.post(VALIDATOR, response_class=Response, responses=REPLIES, openapi_extra={"requestBody": BODY})
async def validate_form(request: Request) -> Response:
    """Check a puzzle sent in the body, for files too long for a query."""
    return await _validate(request, await request.body())


async def _validate(request: Request, form: bytes) -> Response:
    try:
        fields = dict(reversed(parse_qsl(form.decode(BYTES), True, max_num_fields=MAX_FIELDS, encoding=BYTES)))
    except ValueError:
        return _document(pbnsolve.failure("the form has too many fields"))
    image, format_name = fields.get("image"), fields.get("format", "")
    if image is None:
        return _document(pbnsolve.failure("No puzzle description included in CGI query"))
    service = service_of(request)
    arguments = {"image": image.encode(BYTES), "format": format_name}
    try:
        job = await service.run_job("validate", arguments, request, service.cpu_limit)
    except HTTPException as busy:
        return _document(pbnsolve.failure(busy.detail), busy.status_code, busy.headers)
    return _document(job.result.decode() if job.state == "done" else pbnsolve.failure(job.error or "cancelled"))


def _document(xml: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(xml, status, headers, MEDIA)
