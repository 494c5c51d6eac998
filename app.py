"""The app's entry: `python app.py`, and what a Hugging Face Space runs."""

from __future__ import annotations

import argparse

from symdemo.cli.shared import add_address
from symdemo.ui.app import build_app, launch
from symdemo.ui.shared.store import ModelStore

store = ModelStore.of_folder()
demo = build_app(store)


def main() -> None:
    """Read the options and start."""
    parser = argparse.ArgumentParser(description="Start the symdemo app.")
    add_address(parser)
    parser.add_argument("--share", action="store_true", help="open a public link")
    args = parser.parse_args()
    launch(demo, store, args.host, args.port, args.share)


if __name__ == "__main__":
    main()
