"""What the experiment `secrets` runs: AWS's Secrets Manager Agent, and the stand-in for Secrets Manager behind it."""
