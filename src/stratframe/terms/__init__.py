"""The terms that `by` and `groups` accept: a module for each kind of term, and shared code."""
