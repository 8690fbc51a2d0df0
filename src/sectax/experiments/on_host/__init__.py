"""What experiments on hosts share: their names and addresses, what a name promises, containers as hosts."""
