"""The app's server: which requests it accepts, and the password before it."""
