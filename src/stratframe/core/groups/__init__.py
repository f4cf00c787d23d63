"""Whole units under a target table: groups, and rows balanced by several margins."""
