"""What makes a sentence right again once two of its phrases have changed places."""
