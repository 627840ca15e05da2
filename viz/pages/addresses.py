"""Addresses that people type and that Streamlit's pages do not have."""

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route


async def to_explore(request: Request) -> RedirectResponse:
    """From /explore to /, where Streamlit puts the page that opens first, with the view it names.

    The way is relative, so that it also holds below a path of a proxy's.
    """
    query = request.url.query
    return RedirectResponse(f"./?{query}" if query else "./")


ADDRESSES = [Route("/explore", to_explore)]
