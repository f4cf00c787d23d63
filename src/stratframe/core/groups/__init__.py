"""Units that are assigned whole: groups, and rows balanced over several margins."""
