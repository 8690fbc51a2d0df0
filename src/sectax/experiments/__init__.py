"""What varies and what is measured: one folder for each experiment, and rooms for what several of them share."""
