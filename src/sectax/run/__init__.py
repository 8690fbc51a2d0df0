"""A run on this machine: plan, pilot, blocks, record, and what follows from them."""
