"""The runtime clients under which the local Lambda runs functions."""
