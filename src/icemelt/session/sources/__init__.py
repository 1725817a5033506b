"""Sources: what can be read at a point and between two points; cursors that move in them."""
