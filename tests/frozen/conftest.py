"""The modules of this folder find each other, as they do when `make.py` is run."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
