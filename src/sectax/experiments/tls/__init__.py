"""What TLS costs a connection: version, key exchange, certificates, resumption, by three libraries."""
