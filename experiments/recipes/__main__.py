"""`python -m experiments.recipes NAME`: make a shipped model anew."""

import sys

from experiments.recipes.shipped import main

sys.exit(main())
