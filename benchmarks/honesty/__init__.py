"""Real sessions with costs that are known beforehand, through the shipped program."""
