"""Puts the checkout on the path, so that the commands here run where nothing was installed.

A copy of symdemo that is installed elsewhere would write its results there.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
