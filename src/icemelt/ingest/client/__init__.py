"""The client: channels over HTTP or inside the process. It imports no Spark."""
