"""The server: a lake's channels over HTTP."""
