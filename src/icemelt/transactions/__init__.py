"""Transactions: private workspaces, publication, re-runs, adoption of foreign commits."""
