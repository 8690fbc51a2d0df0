"""The cost of TLS: version, key exchange, certificates, resumption."""
