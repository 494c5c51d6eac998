"""The app’s `gr.Blocks`: all waits for its turn, and no error shows or logs what was sent."""

from __future__ import annotations

import logging
import traceback
from typing import Any

import gradio as gr

from symdemo.ui.shared.traffic.refusals import REFUSED
from symdemo.ui.shared.traffic.turns import FairQueue

logger = logging.getLogger(__name__)


class GuardedBlocks(gr.Blocks):
    """Blocks whose events all go through a `FairQueue`, straight posts to them being refused."""

    def queue(self, *args: Any, **kwargs: Any) -> GuardedBlocks:
        """Put the fair queue in the place of Gradio's."""
        super().queue(*args, **kwargs | {"api_open": False})
        self._queue = FairQueue(self)
        return self

    async def preprocess_data(self, *args: Any, **kwargs: Any) -> Any:
        """The inputs as the components give them on; one that none can take is not quoted."""
        try:
            return await super().preprocess_data(*args, **kwargs)
        except Exception as error:
            logger.warning("An input was refused (%s).", type(error).__name__)
            raise gr.Error(REFUSED, print_exception=False) from None

    async def process_api(self, block_fn: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Run an event; an error that is none of ours is told in a sentence.

        Gradio's own would be printed with everything that was sent, keys of projects among it.
        """
        try:
            return await super().process_api(block_fn, *args, **kwargs)
        except gr.Error as error:
            error.print_exception = False
            raise
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            logger.warning(
                "An event could not be run: %s in %s, line %s.",
                type(error).__name__, where.name, where.lineno,
            )  # fmt: skip
            raise gr.Error(REFUSED, print_exception=False) from None
