"""Projects: a person's rows and the versions of the model they made, kept and packed."""
