"""The command line: `icemelt sql`, `icemelt doctor`."""
