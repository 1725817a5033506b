"""What every statement works with: the session's parts, its Spark jobs, results and errors."""
