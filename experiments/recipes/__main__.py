"""`python -m experiments.recipes NAME`: train a shipped model."""

import sys

from experiments.recipes.shipped import main

sys.exit(main())
