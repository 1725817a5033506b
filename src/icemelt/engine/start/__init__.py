"""Starting Spark: Java, jars, settings, the process."""
