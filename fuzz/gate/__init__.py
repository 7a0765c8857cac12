"""The gate: yes or no on a kernel change, the same for the same tree, with its evidence."""
