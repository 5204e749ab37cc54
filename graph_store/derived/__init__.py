"""From records to the graph: pure functions, the same for every store and for the records inside a filter."""
