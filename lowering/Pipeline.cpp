// The order of everything.
