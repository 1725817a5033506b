"""From resolved trees to the algebra: the only place that knows both."""
