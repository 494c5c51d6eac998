"""The app: one builder per tab, handlers apart from layout, figures apart from both."""

import os

# Gradio reads them when it is imported: it sends no reports, and makes no table of the last events
# after each event.
os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = str(10**9)
os.environ["GRADIO_ANALYTICS_MAX_EVENTS"] = "1"
