"""`python -m symdemo`: the command line."""

import sys

from symdemo.cli import main

sys.exit(main())
