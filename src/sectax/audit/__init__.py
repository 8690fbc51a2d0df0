"""Doubt: checks that a result must survive before it may be believed."""
