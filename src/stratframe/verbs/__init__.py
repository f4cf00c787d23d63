"""What a user calls: one file for each page of the guide."""
