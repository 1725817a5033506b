"""What is asked of the registry."""
