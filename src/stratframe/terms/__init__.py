"""What `by`, `groups` and features may hold: a file for each kind of term, and what they share."""
