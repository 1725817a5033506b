"""What every statement uses: the parts of the session, Spark jobs, results and errors."""
