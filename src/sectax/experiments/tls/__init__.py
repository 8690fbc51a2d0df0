"""The cost of TLS: version, key exchange, certificates and resumption, for three libraries."""
