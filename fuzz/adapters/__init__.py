"""Zeroers of other packages as targets: found where they are installed, run as they are."""
