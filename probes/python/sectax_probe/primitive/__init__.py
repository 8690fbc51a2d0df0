"""The layer `primitive`: cryptography's own calls over the bytes of the signing input."""
