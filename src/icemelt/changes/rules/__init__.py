"""The differentiation rules: how a node's changes are made from the changes of its inputs."""
