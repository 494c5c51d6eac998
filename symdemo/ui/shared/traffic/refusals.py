"""Requests that are refused before any of our own code sees them: said shortly, logged shortly.

What was sent may be megabytes, or somebody's own; Gradio would quote it in its answer and its log.
"""

from __future__ import annotations

import logging
from typing import Any

import gradio as gr
from fastapi.exceptions import RequestValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

logger = logging.getLogger(__name__)

REFUSED = "What was sent does not fit what is asked here; open the page again, or see its API."


class QuietBlocks(gr.Blocks):
    """Blocks that do not quote an input that no component can take."""

    async def preprocess_data(self, *args: Any, **kwargs: Any) -> Any:
        """The inputs as the components give them on."""
        try:
            return await super().preprocess_data(*args, **kwargs)
        except Exception as error:
            logger.warning("An input was refused (%s).", type(error).__name__)
            raise gr.Error(REFUSED, print_exception=False) from None


async def refuse(_request: Request, error: Exception) -> Response:
    """The answer to a body that is not what an address expects."""
    logger.warning("A request was refused (%s).", type(error).__name__)
    return JSONResponse({"detail": REFUSED}, status_code=422)


REFUSALS = {RequestValidationError: refuse}
