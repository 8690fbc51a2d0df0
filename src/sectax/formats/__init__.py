"""Parsing of text from other tools: files, JSON, numbers, shared line formats."""
