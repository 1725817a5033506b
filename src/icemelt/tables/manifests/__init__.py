"""Manifests and what they say of files, deletion vectors among it."""
