"""Files by their locations: of this machine, of Hadoop's stores, of Iceberg's file access."""
