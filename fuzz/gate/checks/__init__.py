"""The checks of a gate: one file each, named after what it asks."""
