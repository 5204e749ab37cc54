"""German: what tells it from English, titles and forms of address."""
