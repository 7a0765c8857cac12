"""What people and programs read of a run: subscribers to its events."""
