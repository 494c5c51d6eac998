"""What all tabs share: models, projects, requests, events, and how things are shown."""
