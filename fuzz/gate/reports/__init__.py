"""Who listens to a gate: the terminal, and the formats of CI."""
