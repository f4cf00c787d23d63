"""Units that are assigned undivided: groups, and rows balanced over several margins."""
