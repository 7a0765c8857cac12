"""What people and programs read: the terminal's lines, the JSON report, the page map."""
