"""Count the files of the package that a call runs through."""

import sys
import threading
from collections.abc import Callable
from pathlib import Path

PACKAGE = str(Path(__file__).resolve().parents[2] / "symdemo")


def files_run(function: Callable[..., object], *args: object) -> set[str]:
    """Return the files of `symdemo` whose functions run in a call, in any thread, as "ui/app.py".

    Call the function once before: what is loaded or compiled on first use is not counted then.
    """
    seen: set[str] = set()

    def profile(frame, event, _arg) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            seen.add(frame.f_code.co_filename)

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        function(*args)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return {name.removeprefix(f"{PACKAGE}/") for name in seen if name.startswith(PACKAGE)}
