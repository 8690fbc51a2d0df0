"""What other tools print, as text: numbers with their place, and lines that more than one room reads."""
