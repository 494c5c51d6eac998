"""`python -m symdemo.recipes NAME`: make a shipped model anew."""

import sys

from symdemo.recipes.shipped import main

sys.exit(main())
