"""Manifests, and the files and deletion vectors in them."""
