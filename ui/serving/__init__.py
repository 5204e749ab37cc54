"""How the app is served: who may speak with it, and the password before it."""
