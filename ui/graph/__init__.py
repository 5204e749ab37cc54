"""The page Graph: an entity and its surroundings, or the heaviest part of the whole."""
