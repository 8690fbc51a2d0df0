"""What varies and what is measured. An experiment never opens a process."""
