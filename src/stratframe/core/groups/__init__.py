"""Assign units to parts: whole groups, or single rows so that several margins are balanced."""
