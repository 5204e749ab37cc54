"""Which embedder finds more of a workspace's own recordings, and what a switch to it costs."""
