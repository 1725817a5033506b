"""The SQL that icemelt runs: Spark's, generated from what `dialect` reads."""
