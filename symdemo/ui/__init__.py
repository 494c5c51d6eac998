"""The app: one builder per tab, handlers apart from layout, figures apart from both."""

import os

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"  # before gradio is imported: it reports nothing
