"""Local services that stand in for a cloud's: the Lambda service."""
