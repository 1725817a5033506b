"""The tools of every statement: the parts of the session, Spark jobs, results and errors."""
