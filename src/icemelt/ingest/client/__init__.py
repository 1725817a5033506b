"""The ingestion client: channels over HTTP or inside the process. The client imports no Spark."""
