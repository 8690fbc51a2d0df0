"""The cost of TLS and passwords for clients of PostgreSQL."""
