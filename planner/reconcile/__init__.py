"""Published worked examples beside our figures, as a page."""
