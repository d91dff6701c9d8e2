"""`python -m labelbandit` is the command line."""

import sys

from labelbandit.cli import main

if __name__ == "__main__":
    sys.exit(main())
