"""Data sets, measures, runs and reports of `dynagrag evaluate`."""
