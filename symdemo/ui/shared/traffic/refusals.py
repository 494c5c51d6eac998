"""Requests that are refused before any of our own code sees them: said shortly, logged shortly.

What was sent may be megabytes, or somebody's own; Gradio would quote it in its answer and its log.
"""

from __future__ import annotations

import logging

from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

logger = logging.getLogger(__name__)

REFUSED = "What was sent does not fit what is asked here; open the page again, or see its API."


async def refuse(_request: Request, error: Exception) -> Response:
    """The answer to a body that is not what an address expects."""
    logger.warning("A request was refused (%s).", type(error).__name__)
    return JSONResponse({"detail": REFUSED}, status_code=422)


REFUSALS = {RequestValidationError: refuse}
