"""`python -m icemelt`: the command line, for a Python whose scripts are not on PATH."""

from icemelt.cli.main import main

main()
