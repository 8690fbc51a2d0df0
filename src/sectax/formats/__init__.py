"""What other tools print as text, numbers with their place, lines that more than one room reads."""
