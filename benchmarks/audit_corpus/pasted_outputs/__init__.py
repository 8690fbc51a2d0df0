"""What the audit says of an output, however people paste it."""
