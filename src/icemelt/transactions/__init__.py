"""All or nothing: workspaces, publication, rebase and re-run."""
