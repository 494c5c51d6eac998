"""What all tabs share: the visitor and their projects, models to ask, and how things are shown."""
