"""A search that learns: kept cases to start from, stretches that leave something out, and whose turn it is."""
