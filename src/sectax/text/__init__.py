"""Words of people and for people: made safe to print, guessed where misspelt, read; numbers and effects as text."""
