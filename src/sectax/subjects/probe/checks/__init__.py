"""The checks of the conformance suite, by what they look at: the protocol, clocks, work."""
