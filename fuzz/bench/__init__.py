"""Measurements that a user can repeat: baselines and ours side by side, in one run."""
