"""`python -m symdemo`: the command line."""

import sys

from symdemo.cli.main import main

sys.exit(main())
