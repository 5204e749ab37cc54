"""The page Ask, and the two that its answers lead to: Why and Source."""
