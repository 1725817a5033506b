"""Tasks as plain data: when a task runs, what runs before it, what becomes of a run.

The room is pure: no clock, no database, no Spark, no threads. Time is a parameter.
"""

from __future__ import annotations
