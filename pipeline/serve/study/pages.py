"""The study's page."""

from fastapi import APIRouter, Response

PAGE = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Study</title><h1>Study</h1></html>'


def router() -> APIRouter:
    """The route to the page."""
    routes = APIRouter(include_in_schema=False)

    @routes.get("/", response_model=None)
    async def page() -> Response:
        return Response(PAGE, media_type="text/html; charset=utf-8")

    return routes
