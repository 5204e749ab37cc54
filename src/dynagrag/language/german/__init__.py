"""German: as much as tells it from English."""
