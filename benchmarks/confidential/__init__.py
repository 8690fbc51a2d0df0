"""What the experiment confidential itself costs."""
