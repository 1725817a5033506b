"""Starting Spark: Java, jars, its settings, the process."""
