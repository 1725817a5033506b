"""The dialect: its parser, its words, and what is said of a text that is not in it."""
