"""What `by` may hold: one file for each kind of entry, with all that it knows."""
