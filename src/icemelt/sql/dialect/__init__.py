"""The dialect: parser, keywords, and errors for a text outside the dialect."""
