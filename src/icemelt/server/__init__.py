"""The server: a lake's channels and statements over HTTP."""
