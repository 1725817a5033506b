"""The relational algebra that queries are lowered to, and in which their changes are made."""
