"""Hosts of subjects: this machine, containers, and machines over ssh."""
